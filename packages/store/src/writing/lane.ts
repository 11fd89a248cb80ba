/**
 * What a driver does to write: one batch after another, each as a whole. A driver tries once; what to do
 * about a try that failed is decided in `tries.ts`, for every database alike.
 */
import type { SafelightError } from "@safelight/core"

export interface Lane<Work, Outcome> {
  /**
   * Commits a batch. Resolves, once it is durable, to the outcome of each piece of work in its order; an
   * error there refuses that piece alone. It rejects with a `DatabaseError` where the whole of it was not
   * committed: `change` if a part of it can't be stored, `lost` if it may have been committed after all.
   */
  readonly commit: (
    batch: readonly Work[],
    how: How,
  ) => Promise<readonly (Outcome | SafelightError)[]>
  /**
   * Resolves once something was written and undone; rejects with the reason why not. Not called while
   * the lane commits. `isAfterFailure`: commits have failed, so that it must need room of its own.
   */
  readonly prove?: (isAfterFailure: boolean) => Promise<void>
}

/** What earlier tries of the same batch showed. */
export interface How {
  /** One failed: each piece has to be judged by itself, and what is stored already counts as committed. */
  readonly judgesEach: boolean
  /** One was sent and not answered: it may still be committed, or find room that this one does not. */
  readonly isUnknown: boolean
  /** How many timed out on rows that another session locks: then those tasks are to be left out. */
  readonly lockTimeouts: number
}
