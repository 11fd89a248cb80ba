/**
 * `safelight drill`: judges a restored backup before it is put to use: whether it is whole, up to when it reaches, what it
 * lacks of the original while that still exists, and what becomes of purchases and artifacts. Every side is only read.
 * Exit codes are those of an audit.
 */
import { AUDIT_EXIT, orUntold } from "../audits/audit-outcome.ts"
import { READING_OPTIONS, toReading } from "../audits/reading-options.ts"
import { ARTIFACTS_OPTION, CONFIG_OPTION, loadDataAndModels } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag, option, requiredOption } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"

export const command = defineCommand({
  name: "drill",
  description: "judge a restored backup before it is served: only reads, adopts nothing",
  options: {
    restored: requiredOption(
      "<place>",
      "the restored database: a PostgreSQL URL, or a data folder",
    ),
    database: option("<url>", "the original, if it still exists: a PostgreSQL database"),
    data: option("<folder>", "the same: a data folder"),
    artifacts: ARTIFACTS_OPTION,
    ...READING_OPTIONS,
    json: flag("print the report as JSON"),
    config: CONFIG_OPTION,
  },
  run: ({ options, context }) =>
    orUntold(async () => {
      const { artifacts, config } = options
      const reading = toReading(options)
      const { toDrillPlaces } = await import("../audits/drill-places.ts")
      const { runDrill } = await import("../audits/run-drill.ts")
      const { formatDrill } = await import("../text/drill-text.ts")
      const given = { ...(artifacts && { artifacts }), ...(config && { config }) }
      const configuration = await loadDataAndModels(given, context)
      const places = toDrillPlaces(configuration, options, context)
      const report = await runDrill({ configuration, reading, ...places }, context)
      printResult(options, context, report, () => formatDrill(report, configuration.currency))
      context.exitWith(AUDIT_EXIT[report.outcome])
    }),
})
