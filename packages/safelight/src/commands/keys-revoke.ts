/** `safelight keys revoke`: revokes a key. A running service refuses it within a second. */
import { Command } from "commander"
import { refused } from "../command-error.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

export function createKeysRevokeCommand(context: CommandContext): Command {
  const command = new Command("revoke")
    .description("revoke an API key; may be repeated")
    .argument("<id>", "id of the key, as `keys list` shows it")
  return addDataOptions(command).action((id: string, options: DataOptions) =>
    revoke(id, options, context),
  )
}

async function revoke(id: string, options: DataOptions, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const isRevoked = await withData({ configuration, mayCreate: false }, (storage) =>
    storage.revokeKey({ id, revokedAt: Date.now() }),
  )
  if (isRevoked) return context.print(`revoked ${id}\n`)
  const message = "there is no key with this id; `safelight keys list` shows the ids"
  throw refused(message)
}
