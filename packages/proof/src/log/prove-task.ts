/** The proof that the events of a task are in the log, as a document for whoever has the log's public key. */
import {
  toShownEvents,
  type Digest,
  type KeptCheckpoint,
  type ProofViewer,
  type ProvenEvent,
  type ShownEvent,
  type StoredEvent,
  type TaskProof,
  type TaskStorage,
  type TreeStorage,
} from "@safelight/core"
import { toDigest } from "../bytes/digest.ts"
import type { Sha256 } from "../bytes/sha256.ts"
import type { TreeHash } from "../tree/hash-tree.ts"
import { proveEvent } from "./prove-event.ts"
import { createTreeSource, keepTiles } from "./tree-source.ts"

export interface ProveTaskOptions {
  readonly storage: Pick<TaskStorage, "readEvents"> & Pick<TreeStorage, "readLeaves" | "readTile">
  readonly tree: TreeHash
  readonly sha256: Sha256
  readonly checkpoint: KeptCheckpoint
  /** To an account nothing is told that is the operator's alone. */
  readonly viewer: ProofViewer
}

/**
 * Resolves to the task's first events, as many as the checkpoint has and the viewer may have; undefined if there are
 * none. Rejects as the storage does, and with a RangeError if a tile is shorter than the checkpoint says.
 */
export async function proveTask(
  options: ProveTaskOptions,
  task: string,
): Promise<TaskProof | undefined> {
  const { checkpoint, sha256, storage, tree, viewer } = options
  const [stored, leaves] = await Promise.all([storage.readEvents(task), storage.readLeaves(task)])
  const digest = toDigest(sha256)
  const events =
    viewer === "account"
      ? toShownEvents(digest, stored)
      : stored.map((event) => toCovered(digest, event))
  const indexes = new Map(leaves.map(({ index, version }) => [version, index]))
  const source = keepTiles(createTreeSource(storage, { size: checkpoint.size, tree }))
  const proven: ProvenEvent[] = []
  for (const event of events) {
    const index = indexes.get(event.version) ?? checkpoint.size
    if (index >= checkpoint.size) break
    // oxlint-disable-next-line no-await-in-loop -- leaves of a task share most of their tiles, which are kept
    proven.push(await proveEvent(source, event, index))
  }
  if (proven.length === 0) return undefined
  return {
    format: "safelight-proof",
    version: 1,
    task,
    checkpoint: checkpoint.note,
    events: proven,
  }
}

/** An operator may know the hash of an event that has all its members in `data`, too. */
function toCovered(digest: Digest, { sealed, ...event }: StoredEvent): ShownEvent {
  return sealed === null ? event : { ...event, sealed: digest([sealed]) }
}
