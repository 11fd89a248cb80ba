/** An account with what its tasks add up to. */
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
