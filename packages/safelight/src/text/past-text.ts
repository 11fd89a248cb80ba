/** The log as it stood at a moment, for people: tasks by state, the bill by account and month, and what is wrong. */
import type { Finding, PastReport } from "@safelight/audit"
import { formatAmount, formatUnits } from "./amount.ts"
import { formatOneLine } from "./one-line.ts"
import { formatOutcome, toFindingLines } from "./report-lines.ts"
import { formatTable } from "./table.ts"

export interface PastTextOptions {
  readonly describeFinding: (finding: Finding) => string
  /** Of the file that was asked for. */
  readonly path: string | undefined
  readonly currency: string | undefined
}

const WHOLE = "every chain is whole up to then, and makes its charges"

export function formatPast(report: PastReport, options: PastTextOptions): string {
  const { chargeMicros, events, outcome, tasks } = report
  const charged = formatAmount(chargeMicros.total, options.currency)
  const sections = [
    `as it stood ${formatUntil(report)}\n`,
    formatStates(report),
    formatBills(report),
    toFindingLines(report, options.describeFinding)
      .map((line) => `${line}\n`)
      .join(""),
    `${tasks} tasks, ${events} events, charged ${charged}\n${formatOutcome(outcome, WHOLE)}\n`,
    options.path === undefined ? "" : formatFile(report, options.path),
  ]
  return sections.filter((section) => section !== "").join("\n")
}

function formatUntil({ untilAt, untilSize }: PastReport): string {
  if (untilAt === null) return `in the tree of ${untilSize} events`
  return `at ${new Date(untilAt).toISOString()}`
}

function formatStates({ tasksByState }: PastReport): string {
  const rows = Object.entries(tasksByState)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([state, tasks]) => [state, String(tasks)])
  if (rows.length === 0) return ""
  return formatTable([["STATE", "TASKS"], ...rows], { numeric: [1] })
}

function formatBills({ bills }: PastReport): string {
  if (bills.length === 0) return ""
  const head = ["ACCOUNT", "MONTH", "TASKS", "MICRO-UNITS", "UNITS"]
  const rows = bills.map(({ account, chargeMicros, month, tasks }) => {
    return [account, month, String(tasks), String(chargeMicros), formatUnits(chargeMicros)]
  })
  return formatTable([head, ...rows], { numeric: [2, 3, 4] })
}

function formatFile({ untoldTasks }: PastReport, path: string): string {
  if (untoldTasks === 0) return `written to ${formatOneLine(path)}\n`
  const whose = untoldTasks === 1 ? "a task" : `${untoldTasks} tasks`
  return `nothing was written: the state of ${whose} can't be told\n`
}
