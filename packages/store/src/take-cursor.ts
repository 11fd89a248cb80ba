/**
 * Where takings go on in a busy queue. Rows that were taken stay in the index until a vacuum may take
 * them away, which an open transaction anywhere in the database prevents; beginning at the front, each
 * taking would step over all of them. So while many tasks are taken, a taking goes on from the start
 * tag that the last one came to, and from shortly before its moment; one a lap begins at the front. A new
 * task whose start tag came late waits for that, and so does a due task whose moment is long past.
 */
import { QUEUE_FRONT, type QueueFront } from "./queue-statements.ts"

export interface TakeCursor {
  /** Where to begin now. */
  readonly from: () => QueueFront
  /** What a taking from there came to, and how long it took. */
  readonly note: (from: QueueFront, taken: readonly Place[], tookMs: number) => void
  /** Nothing more was found from the cursor on: the next taking begins at the front. */
  readonly rewind: () => void
}

/** For databases in which nothing is left behind: every taking begins at the front. */
export const NO_CURSOR: TakeCursor = { from: () => QUEUE_FRONT, note() {}, rewind() {} }

interface Place {
  readonly dueAt: number
  readonly startTag: number | null
}

/** How long a taking goes on from where the last one came to before it begins at the front again. */
export const CURSOR_MS = 1_000

/** Tasks taken within a lap from which on a queue counts as busy. */
const BUSY_TASKS = 100
/** Of a lap, where beginning at the front takes long: a twentieth of the time. */
const FRONT_SHARE = 0.05
/** However long that took: what was freed at the front must not wait for minutes. */
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
    note(from, places, tookMs) {
      taken += places.length
      for (const place of places) reached = goOn(reached, place)
      if (from !== QUEUE_FRONT) return
      lapMs = Math.max(lapMs, Math.min(tookMs / FRONT_SHARE, LONGEST_LAP_MS))
    },
    rewind,
  }
}

function goOn({ fromDue, fromTag }: QueueFront, { dueAt, startTag }: Place): QueueFront {
  if (startTag !== null) return { fromDue, fromTag: Math.max(fromTag, startTag) }
  // Due tasks that are queued a moment late, or by a clock that is a little behind, are not passed.
  return { fromDue: Math.max(fromDue, dueAt - CURSOR_MS), fromTag }
}
