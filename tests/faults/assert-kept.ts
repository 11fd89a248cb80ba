/** A round's report becomes the verdict of a test, which prints it whatever it says. */
import assert from "node:assert/strict"
import type { TestContext } from "node:test"
import { formatReport, type RoundReport } from "./report.ts"

export function assertKept(t: TestContext, report: RoundReport): void {
  for (const line of formatReport(report).split("\n")) t.diagnostic(line)
  assert.deepEqual(report.verdict.broken, [])
  // A round in which nothing happened proves nothing.
  assert.ok(report.accepted > 0 && report.verdict.purchases > 0, "nothing was at stake")
  assert.ok([...report.verdict.outcomes.keys()].some((name) => name.startsWith("succeeded")))
}
