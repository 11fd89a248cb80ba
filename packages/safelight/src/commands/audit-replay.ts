/** `safelight audit replay`: whether the live rows and the charges are what the log makes. */
import { orUntold } from "../audits/audit-outcome.ts"
import { DATA_OPTIONS, loadDataAndModels } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"

export const command = defineCommand({
  name: "audit replay",
  description: "fold the log and compare it with the live rows and charges",
  options: { json: flag("print the report as JSON"), ...DATA_OPTIONS },
  run: ({ options, context }) =>
    orUntold(async () => {
      const { runAudit } = await import("../audits/run-audit.ts")
      const configuration = await loadDataAndModels(options, context)
      const whole = "the log makes every row and charge"
      await runAudit({ kind: "replay", configuration, whole }, options, context)
    }),
})
