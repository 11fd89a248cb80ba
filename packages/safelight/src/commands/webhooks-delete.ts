/** `safelight webhooks delete`: deletes a webhook with its deliveries, and prints nothing. */
import { defineCommand } from "../command-line/define-command.ts"
import { argument } from "../command-line/parameters.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"

export const command = defineCommand({
  name: "webhooks delete",
  description: "delete a webhook with its deliveries",
  arguments: { id: argument("id of the webhook", parseName) },
  options: SERVICE_OPTIONS,
  async run({ arguments: { id }, options, context }) {
    await toClient(options, context).webhooks.delete(id)
  },
})
