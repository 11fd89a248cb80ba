/**
 * Accounts that had no room lately: a batch with one of them is judged at once, since as a whole it
 * would fall. Forgetting one costs a batch its first try.
 */
import type { Change, Outcome } from "./change.ts"

export interface FullAccounts {
  readonly areIn: (batch: readonly Change[]) => boolean
  /** What became of a change of a batch that was judged. */
  readonly note: (change: Change, outcome: Outcome) => void
}

/** Some tens of bytes each. */
const MOST = 1_000

export function createFullAccounts(): FullAccounts {
  const full = new Set<string>()
  const isFull = ({ append, isJudged }: Change): boolean =>
    isJudged && full.has(append.changes.task.account)
  return {
    areIn: (batch) => full.size > 0 && batch.some(isFull),
    note({ append, isJudged }, outcome) {
      const { account } = append.changes.task
      if (!isJudged) return
      if (outcome.kind !== "refused") full.delete(account)
      else if (full.size < MOST) full.add(account)
    },
  }
}
