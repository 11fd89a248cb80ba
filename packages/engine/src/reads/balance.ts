/**
 * What an account has spent and what is left of its budget. The two reads are not of one moment: a task that
 * finishes between them is in its sums, and a budget that is changed between them may be the old one.
 */
import type { Balance, TaskStorage } from "@safelight/core"

export async function readBalance(
  storage: Pick<TaskStorage, "findAccount" | "readTotals">,
  id: string,
): Promise<Balance> {
  const [{ chargedMicros, reservedMicros }, account] = await Promise.all([
    storage.readTotals(id),
    storage.findAccount(id),
  ])
  const budgetMicros = account?.budgetMicros ?? null
  const leftMicros =
    budgetMicros === null ? null : Math.max(0, budgetMicros - chargedMicros - reservedMicros)
  return { budgetMicros, reservedMicros, chargedMicros, leftMicros }
}
