/**
 * Where the next take begins in a busy queue. Taken rows stay in the index until a vacuum removes them, which any
 * open transaction in the database prevents; a take from the front would step over all of them. So while many
 * tasks are taken, a take begins at the start tag that the last one reached, and shortly before its moment; one
 * take of each lap begins at the front. A new task whose start tag was set late waits for that take, and so does
 * a due task whose moment is long past.
 */
import { QUEUE_FRONT, type QueueFront } from "./queue-statements.ts"

export interface TakeCursor {
  /** Where to begin now. */
  readonly from: () => QueueFront
  /** Notes how many tasks a take from there got, and how long it lasted. */
  readonly note: (from: QueueFront, taken: readonly TakenRow[], tookMs: number) => void
  /** Nothing more was found from the cursor on: the next take begins at the front. */
  readonly rewind: () => void
}

/** For databases that keep no old rows in indexes: every take begins at the front. */
export const NO_CURSOR: TakeCursor = { from: () => QUEUE_FRONT, note() {}, rewind() {} }

interface TakenRow {
  readonly dueAt: number
  readonly startTag: number | null
}

/** A lap: how long takes begin where the last one ended, before one begins at the front again. */
export const CURSOR_MS = 1_000

/** Tasks taken within a lap from which on a queue counts as busy. */
const BUSY_TASKS = 100
/** If a take from the front is slow, it may use a twentieth of a lap's time. */
const FRONT_SHARE = 0.05
/** The longest lap, however slow that take: tasks released at the front must not wait for minutes. */
const LONGEST_LAP_MS = 20 * CURSOR_MS

export function createTakeCursor(): TakeCursor {
  let reached = QUEUE_FRONT
  let taken = 0
  let isBusy = false
  let beganAt = -Infinity
  let lapMs = CURSOR_MS

  function rewind(): void {
    isBusy = taken >= BUSY_TASKS
    taken = 0
    beganAt = performance.now()
    lapMs = CURSOR_MS
    reached = QUEUE_FRONT
  }

  return {
    from() {
      if (performance.now() - beganAt >= lapMs) rewind()
      return isBusy || taken >= BUSY_TASKS ? reached : QUEUE_FRONT
    },
    note(from, rows, tookMs) {
      taken += rows.length
      for (const row of rows) reached = goOn(reached, row)
      if (from !== QUEUE_FRONT) return
      lapMs = Math.max(lapMs, Math.min(tookMs / FRONT_SHARE, LONGEST_LAP_MS))
    },
    rewind,
  }
}

function goOn({ fromDue, fromTag }: QueueFront, { dueAt, startTag }: TakenRow): QueueFront {
  if (startTag !== null) return { fromDue, fromTag: Math.max(fromTag, startTag) }
  // Due tasks that are queued a moment late, or by a clock that is a little behind, are not passed.
  return { fromDue: Math.max(fromDue, dueAt - CURSOR_MS), fromTag }
}
