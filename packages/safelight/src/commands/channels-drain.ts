/**
 * `safelight channels drain`: pauses a channel and waits until it has nothing in flight. If time runs out, the
 * channel stays paused.
 */
import { CHANGED_WITHOUT_KEY } from "@safelight/core"
import { requireKnown } from "../channels/require-known.ts"
import { CommandError } from "../errors/command-error.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { durationWithin } from "../command-line/option-values.ts"
import { argument, flag, optionWithDefault } from "../command-line/parameters.ts"
import { formatDuration } from "../text/duration.ts"
import { EXIT } from "../errors/exit-code.ts"
import { createProgress } from "../command-line/progress.ts"
import { formatTaskCount } from "../text/task-text.ts"

const DEFAULT_MS = 600_000

export const command = defineCommand({
  name: "channels drain",
  description: "pause a channel and wait until it has nothing in flight",
  arguments: { name: argument("name of the channel") },
  options: {
    timeout: optionWithDefault(
      "<duration>",
      "how long to wait (default: 10m)",
      DEFAULT_MS,
      durationWithin({ minMs: 1_000, maxMs: 7 * 86_400_000 }),
    ),
    json: flag('print {"channel","state","in_flight"}'),
    ...DATA_OPTIONS,
  },
  async run({ arguments: { name }, options, context }) {
    const { json, timeout: timeoutMs } = options
    const request = { mayCreate: false }
    const inFlight = await useOperator(options, context, request, async ({ channels }) => {
      const progress = createProgress(context)
      const onLook = (tasks: number) => progress.report(`${formatTaskCount(tasks)} in flight`)
      try {
        const { command: by } = CHANGED_WITHOUT_KEY
        const left = await channels.drainChannel(name, { timeoutMs, onLook }, by)
        return await requireKnown(left, name, channels)
      } finally {
        progress.end()
      }
    })
    if (json === true) {
      context.print(`${JSON.stringify({ channel: name, state: "paused", in_flight: inFlight })}\n`)
    } else if (inFlight === 0) {
      context.print(`${name} has nothing in flight, and gets nothing new until it is resumed\n`)
    }
    if (inFlight === 0) return
    const message = `${name} has ${formatTaskCount(inFlight)} in flight after ${formatDuration(timeoutMs)}; it stays paused`
    throw new CommandError({ exitCode: EXIT.failed, message })
  },
})
