/**
 * Gives the events of a log their leaves, after they were committed. Any number of processes may do it over one storage:
 * a tree is extended by whoever is first, and the others begin anew from there. What a process has in memory of a tree
 * is used only as long as the storage has the same one.
 */
import {
  SafelightError,
  toHex,
  type TreeExtension,
  type TreeHead,
  type TreeStorage,
} from "@safelight/core"
import { HASH_BYTES } from "../bytes/sha256.ts"
import { listPartialTiles, type Tile } from "../tiles/tile.ts"
import { createTreeBuilder, type TreeBuilder } from "../tiles/tree-builder.ts"
import type { TreeHash } from "../tree/hash-tree.ts"
import { hashEventEntry } from "./event-entry.ts"
import { createTreeSource } from "./tree-source.ts"

export interface SequencerOptions {
  readonly storage: Pick<TreeStorage, "extendTree" | "listUnsequenced" | "readTile" | "readTree">
  readonly tree: TreeHash
  /** Events that get their leaves in one commit; 5,000 by default, which take some 20 ms of hashing. */
  readonly batchEvents?: number
}

export interface Sequencer {
  /**
   * Resolves to the tree once every event has a leaf that was committed before the call; undefined without a tree.
   * Rejects with `storage-corrupt` if the kept tiles do not make the kept root, and with the storage's errors; a call
   * after that begins anew.
   */
  sequence(): Promise<TreeHead | undefined>
}

const BATCH_EVENTS = 5_000

export function createSequencer(options: SequencerOptions): Sequencer {
  const { batchEvents = BATCH_EVENTS, storage, tree } = options
  let known: TreeBuilder | undefined

  /** Taken out of `known`: an extension that fails leaves it behind the storage or before it. */
  async function takeBuilder(head: TreeHead): Promise<TreeBuilder> {
    const builder = known
    known = undefined
    if (builder?.size === head.size && toHex(builder.root()) === head.root) return builder
    return loadBuilder(options, head)
  }

  async function extend(
    head: TreeHead,
  ): Promise<{ readonly head: TreeHead; readonly isAll: boolean }> {
    const unsequenced = await storage.listUnsequenced(batchEvents)
    const { events, notes } = unsequenced
    if (notes.length === 0) return { head, isAll: true }
    const builder = await takeBuilder(head)
    const full = events.flatMap((event) => builder.append(hashEventEntry(tree, event)))
    const to = { size: builder.size, root: toHex(builder.root()) }
    const tiles = [...full, ...builder.partialTiles()]
    const extension: TreeExtension = { from: head, to, unsequenced, tiles }
    if (!(await storage.extendTree(extension))) return { head, isAll: false }
    known = builder
    return { head: to, isAll: events.length < batchEvents }
  }

  return {
    async sequence() {
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- each batch continues the tree of the one before
        const head = await storage.readTree()
        if (head === undefined) return undefined
        // oxlint-disable-next-line no-await-in-loop -- see above
        const extended = await extend(head)
        if (extended.isAll) return extended.head
      }
    },
  }
}

/** Continues the tree from the tiles that the storage has. */
async function loadBuilder(
  { storage, tree }: SequencerOptions,
  { root, size }: TreeHead,
): Promise<TreeBuilder> {
  const { readTile } = createTreeSource(storage, { size, tree })
  const partialTiles = await Promise.all(
    listPartialTiles(size).map(async (place): Promise<Tile> => {
      const hashes = await readTile(place)
      return { ...place, hashes: hashes.subarray(0, place.width * HASH_BYTES) }
    }),
  )
  const isWhole = partialTiles.every(({ hashes, width }) => hashes.length === width * HASH_BYTES)
  const builder = isWhole ? createTreeBuilder({ tree, size, partialTiles }) : undefined
  if (builder !== undefined && toHex(builder.root()) === root) return builder
  const message = `the tiles of the tree of ${size} events do not make its root`
  throw new SafelightError({ code: "storage-corrupt", message })
}
