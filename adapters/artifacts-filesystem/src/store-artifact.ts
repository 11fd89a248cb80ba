/**
 * Stores one artifact, under a new locator or under one that another storage gave out. A crash before the rename
 * leaves an incoming file that nobody can open; a crash after it leaves a whole artifact that only `list` shows.
 * A folder's name is an entry of its parent: every folder up to the root is synced, whoever made it, since its
 * maker may have died before syncing.
 *
 *   incoming file → written → synced → renamed into place → folders synced
 */
import { dirname, join } from "node:path"
import {
  isArtifactLocator,
  untilAborted,
  type AbortSignalLike,
  type ArtifactPut,
  type ArtifactRestore,
  type RestoreOutcome,
  type StoredArtifact,
} from "@safelight/core"
import { createRandomName, toLocator, toLocatorFolders } from "./locator.ts"
import { removeEmptyFolders } from "./remove-artifact.ts"
import { createFile, makeFolder, toIncoming, type RootFolder } from "./root-folder.ts"
import {
  createAborted,
  createUnavailable,
  throwIfAborted,
  toErrorName,
  translateFailure,
} from "./storage-failure.ts"
import { writeBody, type WrittenBody } from "./write-body.ts"

export type PutStep = "written" | "synced" | "renamed"

export interface StoreHost {
  readonly rootFolder: RootFolder
  /** Shards whose name this process has made durable: at most 256, since shards stay. */
  readonly durableShards: Set<string>
  readonly onStep: (step: PutStep) => void | Promise<void>
}

/**
 * How often a put makes its folders again after a remove has removed them. Each time another call has made
 * progress. The bound ends a loop without such a race, caused by a link that leads nowhere.
 */
const MAX_MOVES = 100

/** Ends a restore whose body has another length or hash than expected. */
const DIFFERS = new Error("the body differs")

export async function putArtifact(host: StoreHost, request: ArtifactPut): Promise<StoredArtifact> {
  const random = createRandomName()
  const locator = toLocator({ task: request.task, key: request.key, random })
  const { body, signal } = request
  const written = await store(host, { locator, incoming: random, body, ...(signal && { signal }) })
  return { locator, ...written }
}

/** Stores a body under the locator that a moved log names. A body that differs is never renamed into place. */
export async function restoreArtifact(
  host: StoreHost,
  request: ArtifactRestore,
): Promise<RestoreOutcome> {
  if (!isArtifactLocator(request.locator)) return "foreign-locator"
  // A name of its own: one locator may be restored by two calls at once.
  const incoming = createRandomName()
  try {
    await store(host, { ...request, incoming, expected: request })
    return "stored"
  } catch (error) {
    if (error === DIFFERS) return "differs"
    throw error
  }
}

interface BodyAtLocator {
  readonly locator: string
  /** The name of its incoming file, which no other call uses. */
  readonly incoming: string
  readonly body: AsyncIterable<Uint8Array>
  readonly signal?: AbortSignalLike
  /** The length and the hash that the body must have; without it any body is stored. */
  readonly expected?: WrittenBody
}

/** Rejects with `DIFFERS` if the body is not what was expected. */
async function store(host: StoreHost, request: BodyAtLocator): Promise<WrittenBody> {
  throwIfAborted(request.signal)
  const root = await translateFailure(() => host.rootFolder.prepare())
  const { expected, locator } = request
  const incoming = toIncoming(root, request.incoming)
  let current = incoming
  try {
    const written = await writeIncoming(host, request, incoming)
    throwIfAborted(request.signal)
    if (expected !== undefined && !isSame(written, expected)) throw DIFFERS
    await translateFailure(() => moveIntoLocator(host, { root, incoming, locator }))
    current = join(root, locator)
    await host.onStep("renamed")
    await translateFailure(() => syncFolders(host, root, locator))
    return written
  } catch (error) {
    // A restore that has come so far may stand where an earlier one was acknowledged, with the same bytes.
    const isRestored = current !== incoming && expected !== undefined
    if (!isRestored) await discard(host, { root, locator, current })
    throw error
  }
}

function isSame(one: WrittenBody, other: WrittenBody): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256
}

async function writeIncoming(
  { rootFolder, onStep }: StoreHost,
  request: BodyAtLocator,
  incoming: string,
): Promise<WrittenBody> {
  const file = await translateFailure(() => createFile(rootFolder.files, incoming))
  let written: WrittenBody
  try {
    const { body, signal } = request
    written = await writeBody(file, signal ? untilAborted(body, signal, createAborted) : body)
    await onStep("written")
    await translateFailure(() => file.sync())
  } catch (error) {
    await file.close().catch(ignoreSecondFailure)
    throw error
  }
  await translateFailure(() => file.close())
  await onStep("synced")
  return written
}

interface Move {
  readonly root: string
  readonly incoming: string
  readonly locator: string
}

async function moveIntoLocator(host: StoreHost, move: Move): Promise<void> {
  for (let count = 1; count <= MAX_MOVES; count += 1) {
    if (await tryMove(host, move)) return
  }
  throw createUnavailable("The artifact's folder vanished each time it was made")
}

/** False if a folder disappeared meanwhile. */
async function tryMove(host: StoreHost, move: Move): Promise<boolean> {
  const { files } = host.rootFolder
  const path = join(move.root, move.locator)
  try {
    await makeFolders(host, move)
    const folder = dirname(path)
    if ((await files.realpath(folder)) !== folder) {
      throw createUnavailable("A link stands where the artifact's folder belongs")
    }
    await files.rename(move.incoming, path)
    return true
  } catch (error) {
    if (toErrorName(error) !== "ENOENT") throw error
    // Another try can succeed only if the incoming file is still there.
    await files.lstat(move.incoming)
    return false
  }
}

/** Usually the shard exists and the task's folder does not: that costs two calls. */
async function makeFolders({ rootFolder, durableShards }: StoreHost, move: Move): Promise<void> {
  const { files } = rootFolder
  const { key, task, shard } = toLocatorFolders(move.locator)
  try {
    await makeFolder(files, join(move.root, task))
  } catch (error) {
    if (toErrorName(error) !== "ENOENT") throw error
    durableShards.delete(shard)
    await makeFolder(files, join(move.root, shard))
    await makeFolder(files, join(move.root, task))
  }
  await makeFolder(files, join(move.root, key))
}

async function syncFolders(host: StoreHost, root: string, locator: string): Promise<void> {
  const { sync } = host.rootFolder
  const { key, task, shard } = toLocatorFolders(locator)
  const syncs = [key, task, shard].map((folder) => sync(join(root, folder)))
  if (!host.durableShards.has(shard)) syncs.push(sync(root))
  await Promise.all(syncs)
  host.durableShards.add(shard)
}

/** Failures are ignored: the failure that led here is the one to report. */
async function discard(
  { rootFolder }: StoreHost,
  left: { readonly root: string; readonly locator: string; readonly current: string },
): Promise<void> {
  await rootFolder.files.unlink(left.current).catch(ignoreSecondFailure)
  await removeEmptyFolders(rootFolder, left.root, left.locator).catch(ignoreSecondFailure)
}

function ignoreSecondFailure(_error: unknown): void {}
