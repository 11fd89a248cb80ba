/** The releases whose nodes a round starts: this one, and older ones by their commits. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { resolveTask } from "@safelight/engine"
import { openOlderRelease } from "../support/older-release.ts"
import { openStorage } from "./open-storage.ts"

export interface Release {
  readonly name: string
  /** As the root of this checkout. */
  readonly folder: string
  readonly openStorage: typeof openStorage
  readonly resolveTask: typeof resolveTask
}

/** What a release says of the databases that it migrates. */
export interface ReleaseSchema {
  readonly version: number
  readonly oldestCodeVersion: number
}

const SCHEMA = "packages/store/src/migrate.ts"

export const THIS_RELEASE: Release = {
  name: "this release",
  folder: join(import.meta.dirname, "../.."),
  openStorage,
  resolveTask,
}

/** Rejects where the repository has no such commit. */
export async function openRelease(revision: string): Promise<Release & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const { commit, folder } = stack.use(await openOlderRelease(revision))
  const [storages, engine] = await Promise.all([
    load<Pick<Release, "openStorage">>(folder, "tests/faults/open-storage.ts"),
    load<Pick<Release, "resolveTask">>(folder, "packages/engine/src/index.ts"),
  ])
  const held = stack.move()
  return {
    name: commit.slice(0, 8),
    folder,
    openStorage: storages.openStorage,
    resolveTask: engine.resolveTask,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function load<Module>(folder: string, path: string): Promise<Module> {
  return (await import(join(folder, path))) as Module
}

/** The oldest code is a constant of the sources, and nothing that a package exports. */
export async function readReleaseSchema({ folder }: Release): Promise<ReleaseSchema> {
  const { SCHEMA_VERSION } = await load<{ readonly SCHEMA_VERSION: number }>(folder, SCHEMA)
  const [, digits] =
    /oldestCodeVersion: (\d+)/.exec(await readFile(join(folder, SCHEMA), "utf8")) ?? []
  assert.ok(digits, `${SCHEMA} names the oldest code`)
  return { version: SCHEMA_VERSION, oldestCodeVersion: Number(digits) }
}
