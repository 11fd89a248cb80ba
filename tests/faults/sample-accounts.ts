/**
 * One look at every account with a limit: what its tasks spend, how many are unfinished and how many run,
 * each counted by the rows of one moment, and the sums that are kept.
 */
import type { Storage } from "@safelight/core"
import type { AccountSample } from "./judge-limits.ts"
import { openRawRows } from "./raw-rows.ts"

/** Dispatched and not over: a channel may work on it. One in doubt is nobody's. */
const RUNNING = `select ready.account as account, count(*) as tasks
  from ready join tasks on tasks.task = ready.task
  where tasks.snapshot like '%"state":"running"%' or tasks.snapshot like '%"state":"dispatching"%'
  group by ready.account`

export async function sampleAccounts(
  place: string,
  storage: Storage,
): Promise<readonly AccountSample[]> {
  await using raw = await openRawRows(place)
  const from = Date.now()
  const counts = await raw.read<{ readonly account: string; readonly tasks: number | string }>(
    RUNNING,
  )
  const running = new Map(counts.map(({ account, tasks }) => [account, Number(tasks)]))
  const totals = await storage.scanTotals()
  const to = Date.now()
  const sums = new Map(totals.map((each) => [each.account, each]))
  const accounts = [...new Set([...sums.keys(), ...running.keys()])]
  return accounts.map((account) => {
    const { counted, kept } = sums.get(account) ?? {}
    return {
      account,
      from,
      to,
      spentMicros: (counted?.chargedMicros ?? 0) + (counted?.reservedMicros ?? 0),
      unfinishedTasks: counted?.unfinishedTasks ?? 0,
      runningTasks: running.get(account) ?? 0,
      ...(kept && {
        kept: {
          spentMicros: kept.chargedMicros + kept.reservedMicros,
          unfinishedTasks: kept.unfinishedTasks,
        },
      }),
    }
  })
}
