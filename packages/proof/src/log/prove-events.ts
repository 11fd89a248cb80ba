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

export interface EventProverOptions {
  readonly storage: Pick<TreeStorage, "findLeaf" | "readTile">
  readonly tree: TreeHash
  readonly checkpoint: KeptCheckpoint
}

export interface ProveEventsOptions extends EventProverOptions {
  /** Lets others run: each proof takes up to 510 hashes. */
  readonly nextTurn: () => Promise<unknown>
}

/**
 * Proves one event after the other; null if the checkpoint does not have it. A tile is read once, and kept for the next
 * proofs. Rejects as `proveTask` does.
 */
export function createEventProver({
  checkpoint: { size },
  storage,
  tree,
}: EventProverOptions): (event: ShownEvent) => Promise<ProvenEvent | null> {
  const source = keepTiles(createTreeSource(storage, { size, tree }))
  return async (event) => {
    const index = await storage.findLeaf(event)
    return index !== undefined && index < size ? proveEvent(source, event, index) : null
  }
}

/** In the order of `events`, one after the other. Rejects as `proveTask` does. */
export async function proveEvents(
  { nextTurn, ...options }: ProveEventsOptions,
  events: readonly ShownEvent[],
): Promise<EventProofs> {
  const prove = createEventProver(options)
  const proofs: (ProvenEvent | null)[] = []
  for (const event of events) {
    // oxlint-disable-next-line no-await-in-loop -- a page of proofs takes one connection at a time
    proofs.push(await prove(event))
    // oxlint-disable-next-line no-await-in-loop -- see above
    await nextTurn()
  }
  return { checkpoint: options.checkpoint.note, proofs }
}
