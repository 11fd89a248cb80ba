/**
 * What an account has spent and what is left of its budget. Sums are kept for an account with a limit; for any
 * other account they are counted from its charges and the queue. A count that took long is used again for a
 * while, so that frequent questions keep no processor busy. The reads do not see one moment: a task that finishes
 * between them is in the sums, and a budget that is changed between them may be the old one.
 */
import {
  createBoundedCache,
  type Account,
  type AccountTotals,
  type Balance,
  type TaskService,
} from "@safelight/core"
import type { Context } from "../host/context.ts"

/** Counts that take less are made each time, so that they include the newest task: some 500,000 charges. */
const LONG_MS = 50
/** Counting for one account takes a tenth of the time at most. */
const REUSED_TIMES = 10
const REUSED_AT_MOST_MS = 10_000
/** Counts that are kept, some 200 bytes each. */
const KEPT_COUNTS = 1_000

interface LongCount {
  readonly totals: AccountTotals
  /** On the monotonic clock. */
  readonly goodUntil: number
}

export function createBalanceReader({
  clock,
  storage,
}: Pick<Context, "clock" | "storage">): TaskService["readBalance"] {
  const longCounts = createBoundedCache<LongCount>(KEPT_COUNTS)

  async function countTotals(id: string): Promise<AccountTotals> {
    const beganAt = clock.monotonicNow()
    const last = longCounts.get(id)
    if (last !== undefined && beganAt < last.goodUntil) return last.totals
    const totals = await storage.readTotals(id)
    const now = clock.monotonicNow()
    const reusedMs = Math.min(REUSED_TIMES * (now - beganAt), REUSED_AT_MOST_MS)
    if (now - beganAt < LONG_MS) longCounts.delete(id)
    else longCounts.set(id, { totals, goodUntil: now + reusedMs })
    return totals
  }

  return async (id) => {
    const account = await storage.findAccount(id)
    const isCounted = account === undefined || !hasKeptTotals(account)
    return toBalance(account, await (isCounted ? countTotals(id) : storage.readTotals(id)))
  }
}

/** As storages keep them: with either limit. */
function hasKeptTotals({ budgetMicros, unfinishedTasks }: Account): boolean {
  return budgetMicros !== null || unfinishedTasks !== null
}

function toBalance(
  account: Account | undefined,
  { chargedMicros, reservedMicros }: AccountTotals,
): Balance {
  const budgetMicros = account?.budgetMicros ?? null
  const leftMicros =
    budgetMicros === null ? null : Math.max(0, budgetMicros - chargedMicros - reservedMicros)
  return { budgetMicros, reservedMicros, chargedMicros, leftMicros }
}
