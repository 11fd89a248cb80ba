/** What a round came to, in lines for people: its seed first, so that it can be run again. */
import type { Verdict } from "./oracle.ts"

export interface RoundReport {
  readonly name: string
  readonly seed: string
  readonly verdict: Verdict
  /** 202s in the ledger. */
  readonly accepted: number
  /** Faults injected, by name. */
  readonly faults: ReadonlyMap<string, number>
  readonly answers: ReadonlyMap<string, number>
  /** What the upstream did, by behaviour. */
  readonly upstream: ReadonlyMap<string, number>
  /** The last words of every node, where a promise was broken. */
  readonly words: readonly string[]
}

export function formatReport(report: RoundReport): string {
  const { verdict } = report
  const { broken } = verdict
  return [
    `round ${report.name}, seed ${report.seed}: ${broken.length === 0 ? "kept" : "BROKEN"}`,
    `  accepted   ${report.accepted} (tasks ${verdict.tasks}, events ${verdict.events})`,
    `  purchases  ${verdict.purchases}, charged ${verdict.chargedMicros} micro-units`,
    `  faults     ${formatCounts(report.faults)}`,
    `  outcomes   ${formatCounts(verdict.outcomes)}`,
    `  answers    ${formatCounts(report.answers)}`,
    `  upstream   ${formatCounts(report.upstream)}`,
    ...broken.map((words) => `  BROKEN: ${words}`),
    ...(broken.length === 0 ? [] : report.words.map((line) => `    ${line}`)),
  ].join("\n")
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
