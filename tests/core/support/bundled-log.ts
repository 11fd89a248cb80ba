/** A signed log whose tree is large enough that parts of it may be archived: most of its leaves are of made-up events. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { archiveTree, type TreeArchiveOptions, type TreeArchiveReport } from "@safelight/audit"
import { createTreeSource, proveConsistency, proveTask } from "@safelight/proof"
import { sha256 } from "@safelight/proof/node"
import type { Storage } from "@safelight/core"
import { growTree, hashTile, signStorage, tree } from "../../support/signed-storage.ts"
import { createArchivedLog, type ArchivedDatabase, type ArchivedLog } from "./archived-log.ts"
import { NOW } from "./transfer-source.ts"

/** Two bundles and some more; the leaves of the sample tasks are the first. */
const LEAVES = 140_000

export async function createBundledLog(
  openDatabase?: () => Promise<ArchivedDatabase>,
  leaves = LEAVES,
): Promise<ArchivedLog> {
  const log = await createArchivedLog(openDatabase)
  await growTree(log.storage, leaves)
  await signStorage(log.storage)
  return log
}

export function archiveBundles(
  { artifacts, storage }: ArchivedLog,
  options: Partial<TreeArchiveOptions> = {},
): Promise<TreeArchiveReport> {
  return archiveTree({ storage, artifacts, hashTile, now: NOW, before: NOW, ...options })
}

/** What can be read of the tree: proofs of the tasks, which leaves stand for what, every tile. */
export async function readTreeOf(storage: Storage, tasks: readonly string[]): Promise<unknown> {
  const { size } = (await storage.readTree()) ?? assert.fail()
  const checkpoint = (await storage.findCheckpoint({ mostSize: size })) ?? assert.fail()
  const options = { storage, tree, sha256, checkpoint, viewer: "operator" } as const
  const proofs: unknown[] = []
  for (const task of tasks) proofs.push((await proveTask(options, task)) ?? assert.fail())
  const source = createTreeSource(storage, { size, tree })
  const consistency = await proveConsistency(source, 1_000)
  const hash = createHash("sha256")
  for (let from = 0; from < size; from += 5_000) {
    hash.update(JSON.stringify(await storage.listLeaves({ from, limit: 5_000 })))
  }
  for (let index = 0; index * 256 < size; index += 1) {
    hash.update((await storage.readTile({ level: 0, index })) ?? assert.fail())
  }
  return { proofs, consistency, rest: hash.digest("hex") }
}
