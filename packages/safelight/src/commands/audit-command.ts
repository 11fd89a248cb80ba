/**
 * What the `audit` commands share: options, reports, and exit codes, which differ from those of other commands:
 * 0 whole, 1 differs, 2 could not tell, which includes every failure.
 */
import type { Audit, AuditReport } from "@safelight/audit"
import { isSafelightError } from "@safelight/core"
import { Command } from "commander"
import { CommandError } from "../command-error.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { EXIT } from "../exit-code.ts"
import { toFailure, toOneLine } from "../failure-line.ts"
import { createProgress } from "../progress.ts"
import {
  addDataOptions,
  loadDataAndModels,
  loadDataConfiguration,
  type DataOptions,
} from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

export interface AuditCommand {
  readonly name: "verify" | "replay"
  readonly description: string
  /** Words for a report without findings. */
  readonly whole: string
  readonly context: CommandContext
}

interface Options extends DataOptions {
  readonly json?: true
}

export const CODES = {
  whole: EXIT.done,
  differs: EXIT.failed,
  "could-not-tell": EXIT.refused,
} as const satisfies Record<AuditReport["outcome"], number>

export function createAuditCommand(audit: AuditCommand): Command {
  const command = new Command(audit.name)
    .description(audit.description)
    .option("--json", "print the report as JSON")
  return addDataOptions(command).action(async (options: Options) => {
    try {
      await run(audit, options)
    } catch (error) {
      throw toUntold(error)
    }
  })
}

async function run(audit: AuditCommand, options: Options): Promise<void> {
  const { createAudit, describeFinding } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const { withData } = await import("../open-data.ts")
  const configuration = await load(audit, options)
  const { models, prices } = configuration
  const report = await withData({ configuration, mayCreate: false, purpose: "read" }, (storage) =>
    examine(createAudit({ storage, digest, prices, models }), audit),
  )
  const text = toText(report, audit.whole, describeFinding)
  audit.context.print(options.json === true ? `${JSON.stringify(report)}\n` : text)
  audit.context.exitWith(CODES[report.outcome])
}

/** Chains are verified without models, so that a broken model file does not prevent it. */
async function load(
  { context, name }: AuditCommand,
  options: Options,
): Promise<Pick<Configuration, "data" | "database" | "models" | "prices">> {
  if (name === "replay") return loadDataAndModels(options, context)
  return { ...(await loadDataConfiguration(options, context)), models: [] }
}

async function examine(audit: Audit, { context, name }: AuditCommand): Promise<AuditReport> {
  const progress = createProgress(context, { isQuiet: true })
  try {
    return await audit[name](({ tasks, events, findingCount }) => {
      progress.report(`${tasks} tasks, ${events} events, ${findingCount} findings`)
    })
  } finally {
    progress.end()
  }
}

function toText(
  report: AuditReport,
  whole: string,
  describe: (finding: AuditReport["findings"][number]) => string,
): string {
  const { outcome, tasks, events, findings, findingCount, foreignRows, chargeMicros } = report
  const hidden = findingCount - findings.length
  const words = { whole, differs: "it differs", "could-not-tell": "it could not be told" }
  return [
    ...findings.map((finding) => toOneLine(describe(finding))),
    ...(hidden > 0 ? [`and ${hidden} more findings`] : []),
    ...(foreignRows > 0 ? [toForeign(foreignRows)] : []),
    `${tasks} tasks, ${events} events, charged ${chargeMicros.total} micro-units`,
    words[outcome],
    "",
  ].join("\n")
}

function toForeign(rows: number): string {
  return `${rows} rows are of another release's projection, and were not compared: \`safelight rebuild\` makes them anew`
}

/** A bug means `could not tell` too. */
export function toUntold(error: unknown): unknown {
  if (!(error instanceof CommandError) && !isSafelightError(error)) {
    const message = toFailure(error, { withStack: false }).text.replace(/^safelight: /, "")
    return new CommandError({ exitCode: EXIT.refused, message, cause: error })
  }
  return new CommandError({ exitCode: EXIT.refused, message: error.message, cause: error })
}
