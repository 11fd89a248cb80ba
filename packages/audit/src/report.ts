/**
 * What an audit returns, and the ledger that gathers it page by page. The first findings are kept
 * and all are counted, so a wholly broken log does not fill the memory.
 */
import { isObstacle, type Finding } from "./finding.ts"

export type AuditOutcome =
  /** Everything was looked at and is as it was written. */
  | "whole"
  /** At least one difference is proved. */
  | "differs"
  /** No difference was found, but not everything could be judged. */
  | "could-not-tell"

export interface AuditReport {
  readonly outcome: AuditOutcome
  /** Streams looked at, orphaned rows included. */
  readonly tasks: number
  readonly events: number
  /** The first ones; `findingCount` counts all. */
  readonly findings: readonly Finding[]
  readonly findingCount: number
  /**
   * Rows of another release's projection, whose snapshots nobody reads: they are not compared, and a
   * rebuild projects them anew.
   */
  readonly foreignRows: number
  /** The bill: what the log charges, in integer micro-units. Accounts without tasks are absent. */
  readonly chargeMicros: {
    readonly total: number
    readonly byAccount: Readonly<Record<string, number>>
  }
}

/** How far an audit is; after each page. */
export type AuditProgress = Pick<AuditReport, "tasks" | "events" | "findingCount">

export interface Charge {
  readonly account: string
  readonly chargeMicros: number
  readonly task: string
  readonly version: number
}

export interface Ledger {
  readonly find: (finding: Finding) => void
  countTask(events: number): void
  countForeignRow(): void
  charge(charge: Charge): void
  toProgress(): AuditProgress
  toReport(): AuditReport
}

export function createLedger(keptFindings: number): Ledger {
  const findings: Finding[] = []
  const byAccount = new Map<string, number>()
  let tasks = 0
  let events = 0
  let differences = 0
  let obstacles = 0
  let foreignRows = 0
  let total = 0
  const find = (finding: Finding): void => {
    if (isObstacle(finding)) obstacles += 1
    else differences += 1
    if (findings.length < keptFindings) findings.push(finding)
  }
  const toProgress = (): AuditProgress => ({ tasks, events, findingCount: differences + obstacles })
  return {
    find,
    countTask(count) {
      tasks += 1
      events += count
    },
    countForeignRow() {
      foreignRows += 1
    },
    charge({ account, chargeMicros, task, version }) {
      if (!Number.isSafeInteger(total + chargeMicros)) {
        const expected = Number.MAX_SAFE_INTEGER
        find({ kind: "total-too-large", task, version, expected, found: chargeMicros })
        return
      }
      total += chargeMicros
      byAccount.set(account, (byAccount.get(account) ?? 0) + chargeMicros)
    },
    toProgress,
    toReport: () => ({
      outcome: differences > 0 ? "differs" : obstacles > 0 ? "could-not-tell" : "whole",
      ...toProgress(),
      findings,
      foreignRows,
      chargeMicros: { total, byAccount: Object.fromEntries(byAccount) },
    }),
  }
}
