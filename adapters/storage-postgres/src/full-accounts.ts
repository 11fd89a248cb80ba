/**
 * Accounts that had no room lately: a batch with one of them is judged at once, since as a whole it
 * would fall. Forgetting one costs a batch its first try.
 */
import type { Judgement, LogChange } from "@safelight/store"

export interface FullAccounts {
  readonly areIn: (batch: readonly LogChange[]) => boolean
  /** What became of a batch that was judged. */
  readonly note: (batch: readonly LogChange[], outcomes: Judgement["outcomes"]) => void
}

/** Some tens of bytes each. */
const MOST = 1_000

export function createFullAccounts(): FullAccounts {
  const full = new Set<string>()
  const isFull = ({ append, isAsked }: LogChange): boolean =>
    isAsked && full.has(append.changes.task.account)
  return {
    areIn: (batch) => full.size > 0 && batch.some(isFull),
    note(batch, outcomes) {
      for (const [index, { append, isAsked }] of batch.entries()) {
        const outcome = outcomes[index]
        if (!isAsked || outcome === undefined || outcome instanceof Error) continue
        const { account } = append.changes.task
        if (outcome.kind !== "refused") full.delete(account)
        else if (full.size < MOST) full.add(account)
      }
    },
  }
}
