/** The proof that the events of a task are in the log, as a document for whoever has the log's public key. */
import type {
  KeptCheckpoint,
  ProvenEvent,
  StoredEvent,
  TaskProof,
  TaskStorage,
  TreeStorage,
} from "@safelight/core"
import { toBase64 } from "../bytes/base64.ts"
import { proveInclusion } from "../tiles/prove.ts"
import type { TreeHash } from "../tree/hash-tree.ts"
import { createTreeSource } from "./tree-source.ts"

export interface ProveTaskOptions {
  readonly storage: Pick<TaskStorage, "readEvents"> & Pick<TreeStorage, "readLeaves" | "readTile">
  readonly tree: TreeHash
  readonly checkpoint: KeptCheckpoint
}

/**
 * Resolves to the task's first events, as many as the checkpoint has; undefined if it has none. Rejects as the storage
 * does, and with a RangeError if a tile is shorter than the checkpoint says.
 */
export async function proveTask(
  options: ProveTaskOptions,
  task: string,
): Promise<TaskProof | undefined> {
  const { checkpoint, storage } = options
  const [events, leaves] = await Promise.all([storage.readEvents(task), storage.readLeaves(task)])
  const indexes = new Map(leaves.map(({ index, version }) => [version, index]))
  const proven: ProvenEvent[] = []
  for (const event of events) {
    const index = indexes.get(event.version) ?? checkpoint.size
    if (index >= checkpoint.size) break
    // oxlint-disable-next-line no-await-in-loop -- leaves of a task share most of their tiles
    proven.push(await proveEvent(options, event, index))
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

async function proveEvent(
  { checkpoint, storage, tree }: ProveTaskOptions,
  { at, data, hash, schema, type, version }: StoredEvent,
  index: number,
): Promise<ProvenEvent> {
  const source = createTreeSource(storage, { size: checkpoint.size, tree })
  const proof = await proveInclusion(source, index)
  return { version, at, type, schema, data, hash, index, proof: proof.map(toBase64) }
}
