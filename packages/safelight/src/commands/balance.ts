/** `safelight balance`: what the account has spent and what it has left. */
import type { Balance } from "@safelight/client"
import { formatAmount } from "../text/amount.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatTable } from "../text/table.ts"

export const command = defineCommand({
  name: "balance",
  description: "show what your account has spent and what it has left",
  options: { json: flag("print the balance as the service sends it"), ...SERVICE_OPTIONS },
  async run({ options, context }) {
    const balance = await toClient(options, context).balance()
    printResult(options, context, balance, () => formatBalance(balance))
  },
})

function formatBalance({
  currency,
  budget_micros: budget,
  left_micros: left,
  reserved_micros: reserved,
  spent_micros: spent,
}: Balance): string {
  return formatTable([
    ["budget", budget === null ? "none" : formatAmount(budget, currency)],
    ["spent", formatAmount(spent, currency)],
    ["reserved", formatAmount(reserved, currency)],
    ...(left === null ? [] : [["left", formatAmount(left, currency)]]),
  ])
}
