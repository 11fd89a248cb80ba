/** The tables of the tree over the log. */
import type { ArchivedBundle, KeptCheckpoint, LeafRun, TreeHead } from "@safelight/core"
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
  treeEntries: describe<LeafRun>({
    position: integer(),
    entries: entries(),
    firstAt: integer(),
    lastAt: integer(),
  }),
  /** Files that old tiles and entries lie in. */
  treeBundles: describe<ArchivedBundle>({
    id: integer(),
    at: integer(),
    bytes: integer(),
    firstAt: integer(),
    lastAt: integer(),
    locator: text(),
    runsSha256: compact(),
    sha256: compact(),
  }),
  /** Signed: append-only, a trigger refuses everything else. */
  checkpoints: describe<KeptCheckpoint>({ size: integer(), at: integer(), note: text() }),
}
