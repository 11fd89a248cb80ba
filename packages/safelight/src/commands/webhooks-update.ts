/** `safelight webhooks update`: changes what is given of a webhook. */
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { eventsOption } from "../command-line/webhook-events.ts"
import { formatWebhook } from "../text/webhook-text.ts"

export const command = defineCommand({
  name: "webhooks update",
  description: "change a webhook; what is not given stays",
  arguments: { id: argument("id of the webhook", parseName) },
  options: {
    to: option("<url>", "where messages are posted to"),
    events: eventsOption("what is sent, separated by commas"),
    description: option("<text>", "words of your own"),
    enable: flag("send again, whatever it was disabled for"),
    disable: flag("send nothing, and give up what waits"),
    json: flag("print it as the service sends it"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { id }, options, context }) {
    const { description, disable, enable, events, to: url } = options
    const enabled = disable === true ? false : enable
    const { webhooks } = toClient(options, context)
    const webhook = await webhooks.update(id, { url, description, enabled, events })
    printResult(options, context, webhook, () => formatWebhook(webhook))
  },
})
