/**
 * Where claims go on in a busy queue. Rows that were claimed stay in the index until a vacuum may take
 * them away, which an open transaction anywhere in the database prevents; beginning at the front, each
 * claim would step over all of them. So while many tasks are claimed, a claim goes on from the turn
 * that the last one came to, and from shortly before its moment; one a lap begins at the front. A
 * start whose turn was given late waits for that, and so does a step whose moment is long past.
 */
import { QUEUE_FRONT, type QueueFront } from "./queue-statements.ts"

export interface ClaimCursor {
  /** Where to begin now. */
  readonly from: () => QueueFront
  /** What a claim from there came to, and how long it took. */
  readonly note: (from: QueueFront, claimed: readonly Place[], tookMs: number) => void
  /** Nothing more was found from the cursor on: the next claim begins at the front. */
  readonly rewind: () => void
}

/** For databases in which nothing is left behind: every claim begins at the front. */
export const NO_CURSOR: ClaimCursor = { from: () => QUEUE_FRONT, note() {}, rewind() {} }

interface Place {
  readonly dueAt: number
  readonly turn: number | null
}

/** How long a claim goes on from where the last one came to before it begins at the front again. */
export const CURSOR_MS = 1_000

/** Tasks claimed within a lap from which on a queue counts as busy. */
const BUSY_TASKS = 100
/** Of a lap, where beginning at the front takes long: a twentieth of the time. */
const FRONT_SHARE = 0.05
/** However long that took: what was freed at the front must not wait for minutes. */
const LONGEST_LAP_MS = 20 * CURSOR_MS

export function createClaimCursor(): ClaimCursor {
  let reached = QUEUE_FRONT
  let claimed = 0
  let isBusy = false
  let beganAt = -Infinity
  let lapMs = CURSOR_MS

  function rewind(): void {
    isBusy = claimed >= BUSY_TASKS
    claimed = 0
    beganAt = performance.now()
    lapMs = CURSOR_MS
    reached = QUEUE_FRONT
  }

  return {
    from() {
      if (performance.now() - beganAt >= lapMs) rewind()
      return isBusy || claimed >= BUSY_TASKS ? reached : QUEUE_FRONT
    },
    note(from, places, tookMs) {
      claimed += places.length
      for (const place of places) reached = goOn(reached, place)
      if (from !== QUEUE_FRONT) return
      lapMs = Math.max(lapMs, Math.min(tookMs / FRONT_SHARE, LONGEST_LAP_MS))
    },
    rewind,
  }
}

function goOn({ fromDue, fromTurn }: QueueFront, { dueAt, turn }: Place): QueueFront {
  if (turn !== null) return { fromDue, fromTurn: Math.max(fromTurn, turn) }
  // Steps that are queued a moment late, or by a clock that is a little behind, are not passed.
  return { fromDue: Math.max(fromDue, dueAt - CURSOR_MS), fromTurn }
}
