/** The bill by account and month of UTC, and its total. */
import type { Finding } from "./finding.ts"
import type { AuditReport } from "./report.ts"
import type { ToldCharge } from "./tell-task.ts"

export interface MonthlyBill {
  readonly account: string
  /** Of UTC: `2026-11`. */
  readonly month: string
  /** That were charged for something. */
  readonly tasks: number
  /** Integer micro-units. */
  readonly chargeMicros: number
}

export interface MonthlyBills {
  /** A charge by which the total would be no safe integer is a finding, and in no sum. */
  add(charge: ToldCharge): void
  toReport(): Pick<AuditReport, "chargeMicros"> & { readonly bills: readonly MonthlyBill[] }
}

export function createMonthlyBills(find: (finding: Finding) => void): MonthlyBills {
  const bills = new Map<string, MonthlyBill>()
  let total = 0
  return {
    add({ account, at, chargeMicros, event, task }) {
      if (!Number.isSafeInteger(total + chargeMicros)) {
        const facts = { expected: Number.MAX_SAFE_INTEGER, found: chargeMicros }
        find({ kind: "total-too-large", task, version: event.version, ...facts })
        return
      }
      total += chargeMicros
      const month = toMonth(at)
      const key = JSON.stringify([account, month])
      const before = bills.get(key) ?? { tasks: 0, chargeMicros: 0 }
      const sums = { tasks: before.tasks + 1, chargeMicros: before.chargeMicros + chargeMicros }
      bills.set(key, { account, month, ...sums })
    },
    toReport() {
      const byAccount = new Map<string, number>()
      for (const { account, chargeMicros } of bills.values()) {
        byAccount.set(account, (byAccount.get(account) ?? 0) + chargeMicros)
      }
      return {
        chargeMicros: { total, byAccount: Object.fromEntries(byAccount) },
        bills: [...bills.values()].toSorted(compare),
      }
    },
  }
}

/** `2026-11`, of UTC. */
export function toMonth(at: number): string {
  return new Date(at).toISOString().slice(0, -"-01T00:00:00.000Z".length)
}

function compare(one: MonthlyBill, other: MonthlyBill): number {
  if (one.account !== other.account) return one.account < other.account ? -1 : 1
  return one.month < other.month ? -1 : 1
}
