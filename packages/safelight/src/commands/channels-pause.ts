/**
 * `safelight channels pause`: a channel gets no new tasks. It is recorded in the database, so that every node obeys,
 * after a restart too. Tasks that the channel has continue.
 */
import { CHANGED_WITHOUT_KEY } from "@safelight/core"
import { requireKnown } from "../channels/require-known.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { formatTaskCount } from "../text/task-text.ts"

export const command = defineCommand({
  name: "channels pause",
  description: "give a channel no new tasks; those that it has continue",
  arguments: { name: argument("name of the channel") },
  options: { json: flag('print {"channel","state","in_flight"}'), ...DATA_OPTIONS },
  async run({ arguments: { name }, options, context }) {
    const request = { mayCreate: false }
    const { inFlight } = await useOperator(options, context, request, async ({ channels }) => {
      const standing = await channels.pauseChannel(name, CHANGED_WITHOUT_KEY.command)
      return requireKnown(standing, name, channels)
    })
    const has = `it has ${formatTaskCount(inFlight)} in flight`
    printResult(
      options,
      context,
      { channel: name, state: "paused", in_flight: inFlight },
      () => `${name} is paused: within a few seconds it gets nothing new; ${has}\n`,
    )
  },
})
