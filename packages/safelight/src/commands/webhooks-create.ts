/** `safelight webhooks create`: makes a webhook of the account, and shows its secret once. */
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { eventsOption } from "../command-line/webhook-events.ts"
import { printSecret } from "../text/webhook-text.ts"

export const command = defineCommand({
  name: "webhooks create",
  description: "make a webhook and show its secret, once",
  arguments: { url: argument("where messages are posted to") },
  options: {
    events: eventsOption("what is sent, separated by commas (default: task.succeeded,task.failed)"),
    description: option("<text>", "words of your own"),
    json: flag("print the webhook as the service sends it"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { url }, options, context }) {
    const { description, events } = options
    const { webhooks } = toClient(options, context)
    printSecret(await webhooks.create({ url, description, events }), options, context)
  },
})
