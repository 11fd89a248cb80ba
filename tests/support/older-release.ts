/**
 * An older release, as the sources of a commit in a folder of their own. It runs as this checkout does, from sources and
 * without a build. It shares the packages of this checkout if it wants the same versions, otherwise it installs its own.
 */
import { execFile, spawnSync } from "node:child_process"
import { glob, mkdir, readdir, readFile, readlink, symlink } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { createTemporaryFolder } from "./temporary-folder.ts"

export interface OlderRelease extends AsyncDisposable {
  readonly commit: string
  /** As the root of this checkout. */
  readonly folder: string
  /** The file of its `safelight` command. */
  readonly bin: string
  /** For `NODE_COMPILE_CACHE`: goes with the folder. */
  readonly compiled: string
}

const ROOT = join(import.meta.dirname, "../..")

const LOCK = "package-lock.json"

/** By the places where they are installed. */
interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}

const COMPILED = "tests/node_modules/.cache/compiled"

/** Where npm puts packages. */
const PACKAGES = ["node_modules", "tests/node_modules", "{packages,adapters}/*/node_modules"]

/** This repository's own packages, each a link to its folder: in an older release to that one's. */
const OWN = "@safelight"

/** What no source imports. */
const LEFT_OUT = new Set([".bin", ".cache", ".package-lock.json"])

const run = promisify(execFile)

/** For `{ skip }`: a clone may be shallow, or there may be no repository. */
export function skipWithoutCommit(commit: string): string | false {
  const { status } = spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT })
  return status === 0 ? false : `this clone has no commit ${commit}`
}

/** Rejects where the repository has no such commit. */
export async function openOlderRelease(revision: string): Promise<OlderRelease> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await createTemporaryFolder())
  const { stdout } = await git("rev-parse", "--verify", `${revision}^{commit}`)
  const commit = stdout.trim()
  const archive = join(folder, "sources.tar")
  await git("archive", `--output=${archive}`, commit)
  await run("tar", ["-x", "-f", archive, "-C", folder])
  await ((await hasSamePackages(commit)) ? linkPackages(folder) : installPackages(folder))
  const held = stack.move()
  return {
    commit,
    folder,
    bin: join(folder, "packages/safelight/bin/safelight.js"),
    compiled: join(folder, COMPILED),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

function git(...words: readonly string[]) {
  return run("git", words, { cwd: ROOT, maxBuffer: Infinity })
}

/** Whether all that its lock file names is here in the same version; folders of the repository have none. */
async function hasSamePackages(commit: string): Promise<boolean> {
  const { stdout } = await git("show", `${commit}:${LOCK}`)
  const here = readVersions(await readFile(join(ROOT, LOCK), "utf8"))
  return [...readVersions(stdout)].every(([place, version]) => here.get(place) === version)
}

function readVersions(lock: string): ReadonlyMap<string, string | undefined> {
  const { packages } = JSON.parse(lock) as LockFile
  const installed = Object.entries(packages).filter(([place]) => place.includes("node_modules/"))
  return new Map(installed.map(([place, { version }]) => [place, version]))
}

async function installPackages(folder: string): Promise<void> {
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder })
}

async function linkPackages(folder: string): Promise<void> {
  for await (const place of glob(PACKAGES, { cwd: ROOT })) {
    await linkAll(join(ROOT, place), join(folder, place))
  }
}

async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const { name } = entry
    if (LEFT_OUT.has(name)) continue
    const source = join(from, name)
    if (name === OWN) await linkAll(source, join(to, name))
    else await symlink(entry.isSymbolicLink() ? await readlink(source) : source, join(to, name))
  }
}
