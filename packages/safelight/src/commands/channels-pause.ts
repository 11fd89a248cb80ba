/**
 * `safelight channels pause` and `resume`: whether a channel gets new tasks. It is recorded in the database, so
 * every node obeys, after a restart too. Tasks that the channel has continue in any case.
 */
import { Command } from "commander"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

export function createChannelsPauseCommand(context: CommandContext): Command {
  const command = new Command("pause")
    .description("give a channel no new tasks; those that it has continue")
    .argument("<name>", "name of the channel")
    .option("--json", 'print {"channel","state","in_flight"}')
  return addDataOptions(command).action((name: string, options: Options) =>
    set(name, "paused", options, context),
  )
}

export function createChannelsResumeCommand(context: CommandContext): Command {
  const command = new Command("resume")
    .description("end a pause or a drain")
    .argument("<name>", "name of the channel")
    .option("--json", 'print {"channel","state","in_flight"}')
  return addDataOptions(command).action((name: string, options: Options) =>
    set(name, "open", options, context),
  )
}

async function set(
  name: string,
  state: "open" | "paused",
  options: Options,
  context: CommandContext,
): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const { countInFlight, requireKnownChannel, toTasks } = await import("./channel-name.ts")
  const configuration = await loadDataConfiguration(options, context)
  const inFlight = await withData({ configuration, mayCreate: false }, async (storage) => {
    await requireKnownChannel(storage, name, configuration, context)
    if (state === "open") await storage.resumeChannel(name)
    else await storage.pauseChannel({ channel: name, pausedAt: Date.now() })
    return countInFlight(storage, name)
  })
  const record = { channel: name, state, in_flight: inFlight }
  if (options.json === true) return context.print(`${JSON.stringify(record)}\n`)
  const has = `it has ${toTasks(inFlight)} in flight`
  context.print(
    state === "open"
      ? `${name} is open: it gets tasks again within a few seconds\n`
      : `${name} is paused: within a few seconds it gets nothing new; ${has}\n`,
  )
}
