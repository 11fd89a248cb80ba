/** An account's bill for people: each charge with the arithmetic in words, and the sums at the end. */
import { describeFinding, type BilledCharge, type BillReport } from "@safelight/audit"
import type { Bill, BillForm } from "../audits/run-bill.ts"
import { formatAmount } from "./amount.ts"
import { explainCharge } from "./charge-words.ts"
import { formatOneLine } from "./one-line.ts"
import { formatOutcome, toFindingLines } from "./report-lines.ts"
import { formatTable } from "./table.ts"

export function createBillText(
  { account, isOver, month }: Bill,
  currency: string | undefined,
): BillForm {
  return {
    begin: () => toLines([`account ${account}, ${month} (UTC), by the moment of the end`, ""]),
    addCharge: (charge) => toLines(toChargeLines(charge, currency)),
    end: (report) => `${formatSums(report, currency)}${toLines(toEndLines(report, isOver))}`,
  }
}

function toChargeLines(charge: BilledCharge, currency: string | undefined): readonly string[] {
  const { endedAt, event, finding, model, outcome, price, task } = charge
  const details = [
    `price ${price.version}, ${price.digest === null ? "without a definition" : `definition ${price.digest}`}`,
    ...toArithmetic(charge, currency),
    `charged ${formatAmount(charge.chargeMicros, currency)} by event ${event.version}, hash ${event.hash}`,
    ...(finding === null ? [] : [describeFinding(finding)]),
  ]
  return [
    `${new Date(endedAt).toISOString()}  ${task}  ${model}  ${outcome}`,
    ...details.map((line) => `  ${formatOneLine(line)}`),
    "",
  ]
}

function toArithmetic(
  { chargeMicros, limitMicros, measuredMicros, lines, parameters, price, usage }: BilledCharge,
  currency: string | undefined,
): readonly string[] {
  if (measuredMicros === null) return ["what it must cost can't be computed"]
  const isExplained = lines.length > 0 && usage !== null && price.price !== null
  const { rules, sum } = isExplained
    ? explainCharge({ usage, price: price.price, parameters, currency })
    : { rules: [], sum: `usage and price make ${formatAmount(measuredMicros, currency)}` }
  const isLimited = measuredMicros > limitMicros && chargeMicros !== measuredMicros
  const limit = `at most what was reserved is charged: ${formatAmount(limitMicros, currency)}`
  return [...rules, sum, ...(isLimited ? [limit] : [])]
}

function formatSums(
  { billedMicros, chargeMicros, charges, recomputedMicros }: BillReport,
  currency: string | undefined,
): string {
  const recomputed =
    recomputedMicros === null ? "unknown" : formatAmount(recomputedMicros, currency)
  return formatTable([
    ["charges", String(charges)],
    ["billed", formatAmount(billedMicros, currency)],
    ["charged", formatAmount(chargeMicros, currency)],
    ["recomputed", recomputed],
  ])
}

function toEndLines(report: BillReport, isOver: boolean): readonly string[] {
  const { outcome, untoldCharges } = report
  return [
    ...toFindingLines(report, describeFinding),
    ...(untoldCharges > 0 ? [`items of the bill without a charge: ${untoldCharges}`] : []),
    ...(isOver ? [] : ["the month is not over"]),
    formatOutcome(outcome, "every charge follows from the log"),
  ]
}

/** Empty lines stay, and so does the indentation. */
function toLines(lines: readonly string[]): string {
  return lines
    .map((line) => `${line.slice(0, line.search(/\S|$/))}${formatOneLine(line)}\n`)
    .join("")
}
