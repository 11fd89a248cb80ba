/**
 * The channel that a command is about. A name that neither the configuration nor the database knows is a typing
 * error: pausing it would change nothing and report success.
 */
import type { Storage } from "@safelight/core"
import { refused } from "../command-error.ts"
import { planChannels } from "../channels/plan-channels.ts"
import { isKnownChannel, listKnownChannels } from "../channels/known-channels.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import type { CommandContext } from "./command-context.ts"

/** Rejects with a `CommandError` that lists the known names. */
export async function requireKnownChannel(
  storage: Storage,
  name: string,
  { channels, codeFault }: Pick<ReadConfiguration, "channels" | "codeFault">,
  { environment }: Pick<CommandContext, "environment">,
): Promise<void> {
  const plans = await planChannels({ channels, codeFault, environment })
  if (await isKnownChannel(storage, name, plans)) return
  const names = (await listKnownChannels(storage, plans)).join(", ")
  throw refused(
    `no channel is called "${name}": the configuration and the database know ${names}; --config names the file`,
  )
}

/** Tasks that the channel has, over all nodes. */
export async function countInFlight(storage: Storage, name: string): Promise<number> {
  const loads = await storage.countInFlight()
  return loads.find(({ channel }) => channel === name)?.tasks ?? 0
}

/** `2 tasks`. */
export function toTasks(count: number): string {
  return `${count} task${count === 1 ? "" : "s"}`
}
