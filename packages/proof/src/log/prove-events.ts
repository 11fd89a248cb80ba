/** Proofs of events of many tasks under one checkpoint. */
import type {
  EventProofs,
  KeptCheckpoint,
  ProvenEvent,
  ShownEvent,
  TreeStorage,
} from "@safelight/core"
import type { TreeHash } from "../tree/hash-tree.ts"
import { proveEvent } from "./prove-event.ts"
import { createTreeSource, keepTiles } from "./tree-source.ts"

export interface ProveEventsOptions {
  readonly storage: Pick<TreeStorage, "findLeaf" | "readTile">
  readonly tree: TreeHash
  readonly checkpoint: KeptCheckpoint
  /** Lets others run: each proof takes up to 510 hashes. */
  readonly nextTurn: () => Promise<unknown>
}

/**
 * In the order of `events`, one after the other. A tile is read once, and kept for the next proofs. Rejects as
 * `proveTask` does.
 */
export async function proveEvents(
  { checkpoint, nextTurn, storage, tree }: ProveEventsOptions,
  events: readonly ShownEvent[],
): Promise<EventProofs> {
  const source = keepTiles(createTreeSource(storage, { size: checkpoint.size, tree }))
  const proofs: (ProvenEvent | null)[] = []
  for (const event of events) {
    // oxlint-disable-next-line no-await-in-loop -- a page of proofs takes one connection at a time
    const index = await storage.findLeaf(event)
    const isIn = index !== undefined && index < checkpoint.size
    // oxlint-disable-next-line no-await-in-loop -- see above
    proofs.push(isIn ? await proveEvent(source, event, index) : null)
    // oxlint-disable-next-line no-await-in-loop -- see above
    await nextTurn()
  }
  return { checkpoint: checkpoint.note, proofs }
}
