/** Refuses a channel's name that neither the configuration nor the database knows, in a line that lists those known. */
import type { Channels } from "@safelight/operator"
import { refused } from "../errors/command-error.ts"

/** Rejects with a `CommandError` if an operator's function found no channel of this name. */
export async function requireKnown<Found>(
  found: Found | undefined,
  name: string,
  channels: Pick<Channels, "listNames">,
): Promise<Found> {
  if (found !== undefined) return found
  const names = (await channels.listNames()).join(", ")
  throw refused(
    `no channel is called "${name}": the configuration and the database know ${names}; --config names the file`,
  )
}
