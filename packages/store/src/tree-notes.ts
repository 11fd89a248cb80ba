/**
 * The notes of events that have no leaf yet. A note is removed by the commit that gives its events their leaves, never
 * by its number alone: one with a smaller number may still be committed. While a tree was opened, an event may have been
 * noted twice: by the trigger, and by the page that found it, whose number is smaller. So of notes from that time the
 * events are left out that have a leaf, or stand in the same list already.
 */
import type { TreeStorage, UnsequencedEvent } from "@safelight/core"
import type { Connections } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import { TREE_STATEMENTS, type NoteRange } from "./tree-statements.ts"

/** Before every number. */
const START = -(2 ** 53)

/** One note may stand for one event, or for all of a commit: what the first page has tells how many more it takes. */
const FIRST_PAGE = 32
const LEAST_PAGE = 8

export type HasLeaf = (event: UnsequencedEvent) => Promise<boolean>

export function createNoteList(
  { read }: Pick<Connections, "read">,
  compiler: Compiler,
  hasLeaf: HasLeaf,
): TreeStorage["listUnsequenced"] {
  const { listNotes } = TREE_STATEMENTS(compiler)
  const { fromNote = fromJsonNote } = compiler.dialect

  async function dropDoubled(
    events: readonly UnsequencedEvent[],
    listed: readonly UnsequencedEvent[],
  ): Promise<readonly UnsequencedEvent[]> {
    const single: UnsequencedEvent[] = []
    for (const event of events) {
      const isListed = listed.some(
        ({ task, version }) => task === event.task && version === event.version,
      )
      // oxlint-disable-next-line no-await-in-loop -- once in the life of a tree
      if (!isListed && !(await hasLeaf(event))) single.push(event)
    }
    return single
  }

  return async function listUnsequenced(limit) {
    const events: UnsequencedEvent[] = []
    const notes: number[] = []
    for (let page = FIRST_PAGE; events.length < limit; page = toNextPage(limit, events, notes)) {
      // oxlint-disable-next-line no-await-in-loop -- the next page only if this one is not enough
      const rows = await read(listNotes, { above: notes.at(-1) ?? START, limit: page })
      for (const { doubledTo, events: text, id } of rows) {
        if (events.length >= limit) break
        const noted = fromNote(text).toSorted((one, other) => one.version - other.version)
        const mayBeDoubled = id > 0 && id <= doubledTo
        // oxlint-disable-next-line no-await-in-loop -- see above
        events.push(...(mayBeDoubled ? await dropDoubled(noted, events) : noted))
        notes.push(id)
      }
      if (rows.length < page) break
    }
    return { events, notes }
  }
}

/** As many notes as the events take that are missing, if they hold as many as those before. */
function toNextPage(
  limit: number,
  { length: events }: readonly unknown[],
  { length: notes }: readonly unknown[],
): number {
  return Math.max(LEAST_PAGE, Math.ceil(((limit - events) * notes) / Math.max(1, events)))
}

function fromJsonNote(note: string): readonly UnsequencedEvent[] {
  const rows = JSON.parse(note) as [task: string, version: number, at: number, hash: string][]
  return rows.map(([task, version, at, hash]) => ({ task, version, at, hash }))
}

/** Runs of numbers without a gap: what stands in a gap may be a note that nobody has read. */
export function toNoteRanges(notes: readonly number[]): readonly NoteRange[] {
  const ranges: { firstNote: number; lastNote: number }[] = []
  for (const note of notes) {
    const range = ranges.at(-1)
    if (range !== undefined && range.lastNote + 1 === note) range.lastNote = note
    else ranges.push({ firstNote: note, lastNote: note })
  }
  return ranges
}
