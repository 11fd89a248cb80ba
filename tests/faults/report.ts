/** What a round came to, in lines for people: its seed first, so that it can be run again. */
import { LAST_LINES } from "./node-process.ts"
import type { Verdict } from "./oracle.ts"

export interface RoundReport {
  readonly name: string
  readonly seed: string
  readonly verdict: Verdict
  /** 202s in the ledger. */
  readonly accepted: number
  /** The longest time without a 202, until the round was ended. */
  readonly longestGapMs: number
  /** Faults injected, by name. */
  readonly faults: ReadonlyMap<string, number>
  readonly answers: ReadonlyMap<string, number>
  /** What the upstream did, by behaviour. */
  readonly upstream: ReadonlyMap<string, number>
  /** What befell streams and messages. */
  readonly audience: ReadonlyMap<string, number>
  /** What each node wrote to its log, in the order in which they ended. */
  readonly logs: readonly (readonly string[])[]
  /** The upstream's calls, in order. */
  readonly diary: readonly string[]
}

export function formatReport(report: RoundReport): string {
  const { verdict } = report
  const { broken } = verdict
  return [
    `round ${report.name}, seed ${report.seed}: ${broken.length === 0 ? "kept" : "BROKEN"}`,
    `  accepted   ${report.accepted} (tasks ${verdict.tasks}, events ${verdict.events}), ${report.longestGapMs} ms apart at most`,
    `  purchases  ${verdict.purchases}, charged ${verdict.chargedMicros} micro-units`,
    `  faults     ${formatCounts(report.faults)}`,
    `  outcomes   ${formatCounts(verdict.outcomes)}`,
    `  answers    ${formatCounts(report.answers)}`,
    `  upstream   ${formatCounts(report.upstream)}`,
    `  audience   ${formatCounts(report.audience)}`,
    ...broken.map((words) => `  BROKEN: ${words}`),
    ...(broken.length === 0 ? [] : formatEvidence(report)),
  ].join("\n")
}

/** All that is known of every task about which a promise was broken, and each node's last words. */
function formatEvidence({ verdict, logs, diary }: RoundReport): readonly string[] {
  const lines = [...logs.flat(), ...diary].toSorted()
  const histories = [...verdict.histories].flatMap(([task, events]) => [
    `  HISTORY of ${task}`,
    ...events.map((event) => `    ${JSON.stringify(event)}`),
    ...lines.filter((line) => line.includes(task)).map((line) => `    ${line}`),
  ])
  const lastWords = logs.flatMap((log, index) => [
    `  LOG of node ${index + 1}`,
    ...log.slice(-LAST_LINES).map((line) => `    ${line}`),
  ])
  return [...histories, ...lastWords]
}

/** All rounds of a run together. */
export function formatTotals(seed: string, reports: readonly RoundReport[]): string {
  const sum = (count: (report: RoundReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0)
  return [
    `seed ${seed}: ${reports.length} rounds`,
    `  accepted   ${sum(({ accepted }) => accepted)} (tasks ${sum(({ verdict }) => verdict.tasks)})`,
    `  purchases  ${sum(({ verdict }) => verdict.purchases)}`,
    `  faults     ${formatCounts(addUp(reports.map(({ faults }) => faults)))}`,
    `  outcomes   ${formatCounts(addUp(reports.map(({ verdict }) => verdict.outcomes)))}`,
    `  broken     ${sum(({ verdict }) => verdict.broken.length)}`,
  ].join("\n")
}

function addUp(all: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const total = new Map<string, number>()
  for (const counts of all) {
    for (const [name, count] of counts) total.set(name, (total.get(name) ?? 0) + count)
  }
  return total
}

function formatCounts(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ")
}
