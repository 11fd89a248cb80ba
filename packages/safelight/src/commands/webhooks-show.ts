/** `safelight webhooks show`: one webhook, without its secret. */
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatWebhook } from "../text/webhook-text.ts"

export const command = defineCommand({
  name: "webhooks show",
  description: "show a webhook",
  arguments: { id: argument("id of the webhook", parseName) },
  options: { json: flag("print it as the service sends it"), ...SERVICE_OPTIONS },
  async run({ arguments: { id }, options, context }) {
    const webhook = await toClient(options, context).webhooks.get(id)
    printResult(options, context, webhook, () => formatWebhook(webhook))
  },
})
