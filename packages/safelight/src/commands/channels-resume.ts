/** `safelight channels resume`: ends a pause or a drain, on every node. */
import { CHANGED_WITHOUT_KEY } from "@safelight/core"
import { requireKnown } from "../channels/require-known.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"

export const command = defineCommand({
  name: "channels resume",
  description: "end a pause or a drain",
  arguments: { name: argument("name of the channel") },
  options: { json: flag('print {"channel","state","in_flight"}'), ...DATA_OPTIONS },
  async run({ arguments: { name }, options, context }) {
    const request = { mayCreate: false }
    const { inFlight } = await useOperator(options, context, request, async ({ channels }) => {
      const standing = await channels.resumeChannel(name, CHANGED_WITHOUT_KEY.command)
      return requireKnown(standing, name, channels)
    })
    printResult(
      options,
      context,
      { channel: name, state: "open", in_flight: inFlight },
      () => `${name} is open: it gets tasks again within a few seconds\n`,
    )
  },
})
