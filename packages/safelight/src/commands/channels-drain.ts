/**
 * `safelight channels drain`: pauses a channel and waits until it has nothing in flight. If time runs out, the
 * channel stays paused.
 *
 *   pause ── nodes notice ── in flight > 0 ── … ── 0 → done
 *                                  └ time is up → ends with 1
 */
import { setTimeout } from "node:timers/promises"
import type { Storage } from "@safelight/core"
import { Command } from "commander"
import { CommandError } from "../command-error.ts"
import { formatDuration } from "../duration.ts"
import { EXIT } from "../exit-code.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import { durationWithin } from "./option-values.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly timeout: number
  readonly json?: true
}

/** Longer than a node takes to notice a pause, and to record what it was about to send. */
const NOTICE_MS = 6_000
const LOOK_MS = 1_000
const DEFAULT_MS = 600_000

export function createChannelsDrainCommand(context: CommandContext): Command {
  const timeout = durationWithin({ minMs: 1_000, maxMs: 7 * 86_400_000 })
  const command = new Command("drain")
    .description("pause a channel and wait until it has nothing in flight")
    .argument("<name>", "name of the channel")
    .option("--timeout <duration>", "how long to wait (default: 10m)", timeout, DEFAULT_MS)
    .option("--json", 'print {"channel","state","in_flight"}')
  return addDataOptions(command).action((name: string, options: Options) =>
    drain(name, options, context),
  )
}

async function drain(name: string, options: Options, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const { requireKnownChannel, toTasks } = await import("./channel-name.ts")
  const configuration = await loadDataConfiguration(options, context)
  const inFlight = await withData({ configuration, mayCreate: false }, async (storage) => {
    await requireKnownChannel(storage, name, configuration, context)
    await storage.pauseChannel({ channel: name, pausedAt: Date.now() })
    return waitUntilEmpty(storage, name, options.timeout, context)
  })
  if (options.json === true) {
    context.print(`${JSON.stringify({ channel: name, state: "paused", in_flight: inFlight })}\n`)
  } else if (inFlight === 0) {
    context.print(`${name} has nothing in flight, and gets nothing new until it is resumed\n`)
  }
  if (inFlight === 0) return
  const message = `${name} has ${toTasks(inFlight)} in flight after ${formatDuration(options.timeout)}; it stays paused`
  throw new CommandError({ exitCode: EXIT.failed, message })
}

/** Resolves to the number of tasks left. A count proves nothing until every node has noticed the pause. */
async function waitUntilEmpty(
  storage: Storage,
  name: string,
  timeoutMs: number,
  context: CommandContext,
): Promise<number> {
  const { createProgress } = await import("../progress.ts")
  const { countInFlight, toTasks } = await import("./channel-name.ts")
  const progress = createProgress(context)
  const beganAt = performance.now()
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      const inFlight = await countInFlight(storage, name)
      const passedMs = performance.now() - beganAt
      const isNoticed = passedMs >= NOTICE_MS
      if (isNoticed && (inFlight === 0 || passedMs >= timeoutMs)) return inFlight
      progress.report(`${toTasks(inFlight)} in flight`)
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await setTimeout(LOOK_MS)
    }
  } finally {
    progress.end()
  }
}
