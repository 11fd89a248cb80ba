/** `safelight accounts show`: what an account may do, what it has spent and what is left. */
import { refused } from "../errors/command-error.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { formatAccount, toAccountRecord } from "../text/account-text.ts"

export const command = defineCommand({
  name: "accounts show",
  description: "show an account's limits and what its tasks add up to",
  arguments: { name: argument("the account") },
  options: {
    json: flag("print an object, moments in Unix seconds"),
    ...DATA_OPTIONS,
  },
  async run({ arguments: { name }, options, context }) {
    const request = { mayCreate: false, purpose: "read" } as const
    const view = await useOperator(options, context, request, ({ accounts }) =>
      accounts.findAccount(name),
    )
    if (view === undefined) {
      throw refused("there is no account with this name; `safelight accounts list` shows the names")
    }
    printResult(options, context, toAccountRecord(view), () => formatAccount(view))
  },
})
