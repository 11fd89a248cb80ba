/** Bytes that answers hold at once: an answer with its images in it stays in memory until its reader has it. */

/** Of one answer. */
const ANSWER_BYTES = 32 * 1024 * 1024
/** Of all answers of the process. */
const ALL_BYTES = 256 * 1024 * 1024

export interface Budget {
  /** What one answer takes of it. */
  open(): Held
}

export interface Held {
  readonly isEmpty: boolean
  /** Whether there is room for so many more, which are then held. `answer`: it would be too large by itself. */
  take(bytes: number): "taken" | "answer" | "all"
  /** Twice is safe. */
  release(): void
}

export function createBudget(): Budget {
  let all = 0
  return {
    open() {
      let held = 0
      return {
        get isEmpty() {
          return held === 0
        },
        take(bytes) {
          if (held + bytes > ANSWER_BYTES) return "answer"
          if (all + bytes > ALL_BYTES) return "all"
          held += bytes
          all += bytes
          return "taken"
        },
        release() {
          all -= held
          held = 0
        },
      }
    },
  }
}
