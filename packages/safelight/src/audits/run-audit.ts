/** One audit of the whole log for a command, with its progress and its report. */
import { createAudit, describeFinding, type AuditReport } from "@safelight/audit"
import { readKeptPrices, sha256 as digest } from "@safelight/engine"
import type { CommandContext } from "../command-line/command-context.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { formatOutcome, toFindingLines } from "../text/report-lines.ts"
import { withData } from "../data/open-data.ts"
import { createProgress } from "../command-line/progress.ts"
import { AUDIT_EXIT } from "./audit-outcome.ts"

export interface AuditRun {
  readonly kind: "verify" | "replay"
  readonly configuration: Pick<Configuration, "data" | "database" | "models" | "prices">
  /** Words for a report without findings. */
  readonly whole: string
}

export async function runAudit(
  { configuration, kind, whole }: AuditRun,
  options: JsonOption,
  context: CommandContext,
): Promise<void> {
  const { models, prices } = configuration
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const report = await withData(request, async (storage) => {
    const progress = createProgress(context, { isQuiet: true })
    try {
      const book = await readKeptPrices(storage, { models, prices })
      const audit = createAudit({ storage, digest, prices: book, models })
      return await audit[kind](({ tasks, events, findingCount }) => {
        progress.report(`${tasks} tasks, ${events} events, ${findingCount} findings`)
      })
    } finally {
      progress.end()
    }
  })
  printResult(options, context, report, () => formatReport(report, whole))
  context.exitWith(AUDIT_EXIT[report.outcome])
}

function formatReport(report: AuditReport, whole: string): string {
  const { outcome, tasks, events, foreignRows, chargeMicros } = report
  return [
    ...toFindingLines(report, describeFinding),
    ...(foreignRows > 0 ? [formatForeign(foreignRows)] : []),
    `${tasks} tasks, ${events} events, charged ${chargeMicros.total} micro-units`,
    formatOutcome(outcome, whole),
    "",
  ].join("\n")
}

function formatForeign(rows: number): string {
  return `${rows} rows are of another release's projection, and were not compared: \`safelight rebuild\` makes them anew`
}
