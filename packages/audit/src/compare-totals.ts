/**
 * An account's kept totals beside what its rows add up to. Both were read at one moment, so on a
 * live service too a difference is damage and not a task that finished meanwhile.
 */
import type { AccountTotals, KeptTotals } from "@safelight/core"
import type { Finding } from "./finding.ts"

export function compareTotals(
  { account, kept, counted }: KeptTotals,
  find: (finding: Finding) => void,
): void {
  for (const field of Object.keys(counted) as (keyof AccountTotals)[]) {
    const found = kept?.[field] ?? null
    if (found === counted[field]) continue
    const facts = { expected: counted[field], found }
    find({ kind: "totals-differ", task: null, version: null, account, field, ...facts })
  }
}
