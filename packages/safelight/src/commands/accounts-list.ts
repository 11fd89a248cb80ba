/** `safelight accounts list`: every account and what it may do. */
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { formatAccounts, toSettingsRecord } from "../text/account-text.ts"

export const command = defineCommand({
  name: "accounts list",
  description: "list the accounts and their limits, by name",
  options: {
    json: flag("print a list of objects, moments in Unix seconds"),
    ...DATA_OPTIONS,
  },
  async run({ options, context }) {
    const request = { mayCreate: false, purpose: "read" } as const
    const { accounts } = await useOperator(options, context, request, (operator) =>
      operator.accounts.listAccounts({ limit: Number.MAX_SAFE_INTEGER }),
    )
    printResult(options, context, accounts.map(toSettingsRecord), () => formatAccounts(accounts))
  },
})
