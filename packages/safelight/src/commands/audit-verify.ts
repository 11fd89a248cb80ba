/** `safelight audit verify`: whether every event is still what was written. */
import { orUntold } from "../audits/audit-outcome.ts"
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"

export const command = defineCommand({
  name: "audit verify",
  description: "prove every task's chain of hashes",
  options: { json: flag("print the report as JSON"), ...DATA_OPTIONS },
  run: ({ options, context }) =>
    orUntold(async () => {
      const { runAudit } = await import("../audits/run-audit.ts")
      // Without models, so that a broken model file does not prevent it.
      const configuration = { ...(await loadDataConfiguration(options, context)), models: [] }
      const audit = { kind: "verify", configuration, whole: "every chain is whole" } as const
      await runAudit(audit, options, context)
    }),
})
