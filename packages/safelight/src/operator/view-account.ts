/** An account with what its tasks add up to, for commands and the operator's API. */
import type { Account, AccountView, Storage } from "@safelight/core"

/** Rejects with `overloaded` if too many sums wait. */
export async function viewAccount(
  storage: Pick<Storage, "readTotals">,
  account: Account,
): Promise<AccountView> {
  const totals = await storage.readTotals(account.id)
  const { budgetMicros } = account
  const leftMicros =
    budgetMicros === null ? null : budgetMicros - totals.chargedMicros - totals.reservedMicros
  return { account, totals, leftMicros }
}

/** A mistyped name must not look like a revocation. */
export async function isKnownAccount(
  storage: Pick<Storage, "findAccount" | "listTasks">,
  account: string,
): Promise<boolean> {
  if ((await storage.findAccount(account)) !== undefined) return true
  // An account of an embedding host may have tasks and no row.
  return (await storage.listTasks({ account, limit: 1 })).tasks.length > 0
}
