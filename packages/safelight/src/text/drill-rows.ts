/** The lines of a drill's report. */
import { toFindingLines } from "./report-lines.ts"

/** A label, or none for a line that continues, and words. */
export type DrillRow = readonly [label: string, words: string]

/** Of each kind. */
const SHOWN = 5

/** The first findings, and how many more there are. */
export function toFoundRows<Finding>(
  report: { readonly findingCount: number; readonly findings: readonly Finding[] },
  describe: (finding: Finding) => string,
): readonly DrillRow[] {
  const { findingCount, findings } = report
  const lines = toFindingLines({ findingCount, findings: findings.slice(0, SHOWN) }, describe)
  return lines.map((line) => ["", line])
}
