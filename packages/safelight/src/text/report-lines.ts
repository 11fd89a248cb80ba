/** What the reports of audits have in common, for people: their findings, and what came of it. */
import { formatOneLine } from "./one-line.ts"

/** Those that the report lists, and how many more there are. */
export function toFindingLines<Finding>(
  {
    findingCount,
    findings,
  }: { readonly findingCount: number; readonly findings: readonly Finding[] },
  describe: (finding: Finding) => string,
): readonly string[] {
  const hidden = findingCount - findings.length
  return [
    ...findings.map((finding) => formatOneLine(describe(finding))),
    ...(hidden > 0 ? [`and ${hidden} more findings`] : []),
  ]
}

/** `whole` are the words for a report in which nothing differs. */
export function formatOutcome(
  outcome: "could-not-tell" | "differs" | "whole",
  whole: string,
): string {
  return { whole, differs: "it differs", "could-not-tell": "it could not be told" }[outcome]
}
