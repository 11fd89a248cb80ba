/**
 * How much a process may ask about one medium. A parser reads some parts again, but one that asks
 * for more than this is not ours any more, and would make the host read for ever: what the host takes
 * for its reads does not count as the process's time.
 */
import { MOST_ANSWER_BYTES } from "./wire.ts"

export interface QuestionBudget {
  /** Whether `start` to `end` is a range of the medium, short enough, and within what is left. */
  take(start: number, end: number): boolean
}

/** The parsers have been seen to read a long medium through once, and a short one one and a half times. */
const TIMES_READ = 4
/** On top, for media that are so short that the least cost of a question counts: 256 questions. */
const SPARE_BYTES = 16 * 1024 * 1024
/** What a shorter question counts as: it costs its host about as much. */
const LEAST_COST_BYTES = 64 * 1024

export function createQuestionBudget(bytes: number): QuestionBudget {
  let leftBytes = TIMES_READ * bytes + SPARE_BYTES

  return {
    take(start, end) {
      const isRange = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0
      if (!isRange || end <= start || end > bytes || end - start > MOST_ANSWER_BYTES) return false
      leftBytes -= Math.max(end - start, LEAST_COST_BYTES)
      return leftBytes >= 0
    },
  }
}
