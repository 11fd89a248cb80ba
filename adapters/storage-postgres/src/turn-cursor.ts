/**
 * Where claims go on in a busy queue. Rows that were claimed stay in the index until a vacuum may take
 * them away, which an open transaction anywhere in the database prevents; beginning at the front, each
 * claim would step over all of them. So while many starts are claimed, a claim goes on from the turn
 * that the last one came to, and begins at the front once a second. A start whose turn was given late
 * waits for that.
 */
import { FIRST_TURN } from "@safelight/store"
import { DEFAULTS } from "./defaults.ts"

export interface TurnCursor {
  /** The turn to begin at now. */
  readonly from: () => number
  readonly note: (turns: readonly (number | null)[]) => void
  /** Nothing more was found from the cursor on: the next claim begins at the front. */
  readonly rewind: () => void
}

/** Starts claimed within a second from which on a queue counts as busy. */
const BUSY_STARTS = 100

export function createTurnCursor(): TurnCursor {
  let highest = FIRST_TURN
  let claimed = 0
  let beganAt = -Infinity
  let isBusy = false

  function rewind(): void {
    isBusy = claimed >= BUSY_STARTS
    claimed = 0
    beganAt = performance.now()
    highest = FIRST_TURN
  }

  return {
    from() {
      if (performance.now() - beganAt >= DEFAULTS.cursorMs) rewind()
      return isBusy || claimed >= BUSY_STARTS ? highest : FIRST_TURN
    },
    note(turns) {
      for (const turn of turns) {
        if (turn === null) continue
        claimed += 1
        highest = Math.max(highest, turn)
      }
    },
    rewind,
  }
}
