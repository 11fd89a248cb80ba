/** `safelight webhooks test`: sends a test message, and shows its delivery. */
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatDelivery } from "../text/webhook-text.ts"

export const command = defineCommand({
  name: "webhooks test",
  description: "send a test message to a webhook",
  arguments: { id: argument("id of the webhook", parseName) },
  options: { json: flag("print the delivery as the service sends it"), ...SERVICE_OPTIONS },
  async run({ arguments: { id }, options, context }) {
    const delivery = await toClient(options, context).webhooks.test(id)
    printResult(options, context, delivery, () => formatDelivery(delivery))
  },
})
