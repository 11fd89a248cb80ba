/** `safelight webhooks replay`: sends one delivery again, or every failed one. */
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option, optionalArgument } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatDelivery } from "../text/webhook-text.ts"

export const command = defineCommand({
  name: "webhooks replay",
  description: "send one delivery again, or every failed one",
  arguments: {
    id: argument("id of the webhook", parseName),
    delivery: optionalArgument("id of a delivery; without it every failed one", parseName),
  },
  options: {
    since: option("<seconds>", "of the failed ones those made at this Unix second or later"),
    json: flag("print the answer as the service sends it"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { id, delivery: one }, options, context }) {
    const { webhooks } = toClient(options, context)
    if (one !== undefined) {
      const delivery = await webhooks.replay(id, one)
      return printResult(options, context, delivery, () => formatDelivery(delivery))
    }
    // As it was typed: the service checks it.
    const since = options.since as unknown as number | undefined
    const replayed = await webhooks.replayFailed(id, { since })
    printResult(options, context, { replayed }, () => `${replayed} are sent again\n`)
  },
})
