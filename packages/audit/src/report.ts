/**
 * What an audit returns, and the ledger that gathers it page by page. The first findings are kept
 * and all are counted, so a wholly broken log does not fill the memory.
 */
import { isObstacle, type Finding } from "./finding.ts"
import { createKeptFindings, type FindingReport } from "./kept-findings.ts"

export type AuditOutcome =
  /** Everything was looked at and is as it was written. */
  | "whole"
  /** At least one difference is proved. */
  | "differs"
  /** No difference was found, but not everything could be judged. */
  | "could-not-tell"

export interface AuditReport extends FindingReport<Finding> {
  readonly outcome: AuditOutcome
  /** Streams looked at, orphaned rows included. */
  readonly tasks: number
  readonly events: number
  /**
   * Rows of another release's projection, whose snapshots nobody reads: they are not compared, and a
   * rebuild projects them again.
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
  readonly countForeignRow: () => void
  readonly charge: (charge: Charge) => void
  toProgress(): AuditProgress
  toReport(): AuditReport
}

export function createLedger(keptFindings: number): Ledger {
  const kept = createKeptFindings<Finding>(keptFindings)
  const byAccount = new Map<string, number>()
  let [tasks, events, foreignRows, total] = [0, 0, 0, 0]
  let outcome: AuditOutcome = "whole"
  const find = (finding: Finding): void => {
    if (!isObstacle(finding)) outcome = "differs"
    else if (outcome === "whole") outcome = "could-not-tell"
    kept.add(finding)
  }
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
    toProgress: () => ({ tasks, events, findingCount: kept.toReport().findingCount }),
    toReport: () => ({
      outcome,
      tasks,
      events,
      ...kept.toReport(),
      foreignRows,
      chargeMicros: { total, byAccount: Object.fromEntries(byAccount) },
    }),
  }
}
