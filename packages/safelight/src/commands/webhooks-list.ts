/** `safelight webhooks list`: the account's webhooks. */
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatWebhooks } from "../text/webhook-text.ts"

export const command = defineCommand({
  name: "webhooks list",
  description: "list your webhooks, oldest first",
  options: { json: flag("print the list as the service sends it"), ...SERVICE_OPTIONS },
  async run({ options, context }) {
    const found = await toClient(options, context).webhooks.list()
    printResult(options, context, found, () => formatWebhooks(found))
  },
})
