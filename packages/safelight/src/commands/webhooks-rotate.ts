/** `safelight webhooks rotate`: replaces a webhook's secret, and shows the new one once. */
import { defineCommand } from "../command-line/define-command.ts"
import { durationWithin } from "../command-line/option-values.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { printSecret } from "../text/webhook-text.ts"

/** A week, as the service allows. */
const LONGEST_OVERLAP_MS = 7 * 86_400_000

export const command = defineCommand({
  name: "webhooks rotate",
  description: "replace a webhook's secret and show the new one, once",
  arguments: { id: argument("id of the webhook", parseName) },
  options: {
    overlap: option(
      "<duration>",
      "how long the old one counts too (default: 1d)",
      durationWithin({ minMs: 0, maxMs: LONGEST_OVERLAP_MS }),
    ),
    json: flag("print the webhook as the service sends it"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { id }, options, context }) {
    const { overlap } = options
    const overlapSeconds = overlap === undefined ? undefined : Math.floor(overlap / 1_000)
    const { webhooks } = toClient(options, context)
    printSecret(await webhooks.rotate(id, { overlapSeconds }), options, context)
  },
})
