/** The tables of the tree over the log. */
import type { KeptCheckpoint, TreeHead } from "@safelight/core"
import { bytes, compact, describe, integer, nullable, text, type Column } from "./columns.ts"
import { PACKED_ENTRIES, type Entry } from "./packed-entries.ts"

/** The tree, `id` 1; no row before it is begun. */
export interface TreeRow extends TreeHead {
  readonly id: number
  /** Up to which task earlier events were noted; null once all are. */
  readonly notedTo: string | null
  /** How many pages of tasks were noted. */
  readonly notedPages: number
  /** Up to this number a trigger may have noted events that were noted by such a page too. */
  readonly doubledTo: number
}

/**
 * A note that events have no leaf yet, as the dialect writes it. One row of `id` 0 notes none: where numbers follow the
 * largest one, they begin above it.
 */
export interface EventNoteRow {
  readonly id: number
  readonly events: string
}

/** What leaves stand for that came in one commit: at most 256 of them. */
export interface TreeEntriesRow {
  /** Of the first leaf. */
  readonly position: number
  /** The earliest and the latest moment of their events. */
  readonly firstAt: number
  readonly lastAt: number
  /** Tasks and versions. */
  readonly entries: readonly Entry[]
}

export interface TreeTileRow {
  readonly level: number
  readonly position: number
  readonly hashes: Uint8Array
}

const entries = (): Column<readonly Entry[]> => ({
  type: "text",
  isNullable: false,
  codec: PACKED_ENTRIES,
})

export const TREE_TABLES = {
  tree: describe<TreeRow>({
    id: integer(),
    doubledTo: integer(),
    notedPages: integer(),
    notedTo: nullable(compact()),
    root: compact(),
    size: integer(),
  }),
  /** Notes of events that have no leaf yet, by a trigger of `events`. */
  unsequencedEvents: describe<EventNoteRow>({ id: integer(), events: text() }),
  treeTiles: describe<TreeTileRow>({ level: integer(), position: integer(), hashes: bytes() }),
  treeEntries: describe<TreeEntriesRow>({
    position: integer(),
    entries: entries(),
    firstAt: integer(),
    lastAt: integer(),
  }),
  /** Signed: append-only, a trigger refuses everything else. */
  checkpoints: describe<KeptCheckpoint>({ size: integer(), at: integer(), note: text() }),
}
