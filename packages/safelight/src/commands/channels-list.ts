/**
 * `safelight channels list`: the channels, whether an operator paused them, and what the tasks of all nodes say
 * of them. No provider is asked, and no file that defines a model is run.
 */
import { MODELS } from "@safelight/core"
import { Command } from "commander"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

export function createChannelsListCommand(context: CommandContext): Command {
  const command = new Command("list")
    .description("list the channels with their tasks in flight and the outcomes of the last day")
    .option("--json", "print a list of objects, moments in Unix seconds")
  return addDataOptions(command).action((options: Options) => list(options, context))
}

async function list(options: Options, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const { planChannels } = await import("../channels/plan-channels.ts")
  const { sumLastDay } = await import("../channels/last-day.ts")
  const { readToldFacts } = await import("../channels/channel-views.ts")
  const { toChannelRecords, toChannelsText } = await import("../channels/channel-report.ts")
  const configuration = await loadDataConfiguration(options, context)
  const { environment } = context
  const { channels, codeFault, modelFiles } = configuration
  const models = modelFiles.length === 0 ? { models: MODELS } : {}
  const plans = await planChannels({ channels, codeFault, environment, ...models })
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const facts = await withData(request, async (storage) => ({
    plans,
    paused: await storage.listPausedChannels(),
    loads: await storage.countInFlight(),
    outcomes: await sumLastDay(storage),
    ...(await readToldFacts(storage)),
  }))
  const records = toChannelRecords(facts)
  if (options.json === true) return context.print(`${JSON.stringify(records)}\n`)
  context.print(toChannelsText(records))
}
