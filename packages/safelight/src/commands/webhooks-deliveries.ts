/** `safelight webhooks deliveries`: what was sent to a webhook and what it answered, or one delivery with its body. */
import type { DeliveryQuery } from "@safelight/client"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option, optionalArgument } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatOneLine } from "../text/one-line.ts"
import { formatDeliveries, formatDelivery } from "../text/webhook-text.ts"

export const command = defineCommand({
  name: "webhooks deliveries",
  description: "list what was sent to a webhook, newest first, or show one delivery",
  arguments: {
    id: argument("id of the webhook", parseName),
    delivery: optionalArgument("id of a delivery", parseName),
  },
  options: {
    status: option("<status>", "pending, delivered or failed"),
    limit: option("<count>", "deliveries a page, 1 to 100; 20 by default"),
    cursor: option("<cursor>", "continues an earlier page, which printed it"),
    json: flag("print it as the service sends it"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { id, delivery: one }, options, context }) {
    const { webhooks } = toClient(options, context)
    if (one !== undefined) {
      const delivery = await webhooks.delivery(id, one)
      return printResult(options, context, delivery, () => formatDelivery(delivery))
    }
    const { cursor: from, limit, status } = options
    // As they were typed: the service checks them.
    const query = { status, limit, cursor: from } as unknown as DeliveryQuery
    const page = await webhooks.deliveries(id, query)
    if (options.json === true) return context.print(`${JSON.stringify(page)}\n`)
    context.print(formatDeliveries(page.deliveries))
    const { next_cursor: cursor } = page
    if (cursor !== null) {
      context.printError(`${formatOneLine(`there is more: --cursor ${cursor}`)}\n`)
    }
  },
})
