/** `safelight audit bill`: the charges of an account's month, each with what proves it. */
import { orUntold } from "../audits/audit-outcome.ts"
import { parseAccountName } from "../command-line/account-name.ts"
import { DATA_OPTIONS, loadDataAndModels } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { parseMonthArgument } from "../command-line/month-argument.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { refused } from "../errors/command-error.ts"

export const command = defineCommand({
  name: "audit bill",
  description: "prove an account's bill for a month: each charge with its evidence, by its moment",
  arguments: {
    account: argument("the account", parseAccountName),
    month: argument("the month in which tasks ended, such as 2026-11, UTC", parseMonthArgument),
  },
  options: {
    json: flag("print one JSON object, a charge a line"),
    proofs: flag("with --json: prove that each charge is in the signed log, under one checkpoint"),
    ...DATA_OPTIONS,
  },
  run: ({ arguments: { account, month: period }, options, context }) =>
    orUntold(async () => {
      const { from, name: month, to } = period
      const now = Date.now()
      if (from > now) throw refused(`month: ${month} has not begun`)
      const isJson = options.json === true
      const hasProofs = options.proofs === true
      if (hasProofs && !isJson) throw refused("--proofs: proofs are for programs, add --json")
      const { runBill } = await import("../audits/run-bill.ts")
      const configuration = await loadDataAndModels(options, context)
      const bill = { account, month, from, to, isOver: to <= now }
      await runBill({ configuration, bill, hasProofs, isJson }, context)
    }),
})
