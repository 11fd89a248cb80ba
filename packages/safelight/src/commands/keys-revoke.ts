/** `safelight keys revoke`: revokes a key. A running service refuses it within a second. */
import { CHANGED_WITHOUT_KEY } from "@safelight/core"
import { refused } from "../errors/command-error.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument } from "../command-line/parameters.ts"

export const command = defineCommand({
  name: "keys revoke",
  description: "revoke an API key; may be repeated",
  arguments: { id: argument("id of the key, as `keys list` shows it") },
  options: DATA_OPTIONS,
  async run({ arguments: { id }, options, context }) {
    const revoked = await useOperator(options, context, { mayCreate: false }, ({ accounts }) =>
      accounts.revokeKey({ id }, CHANGED_WITHOUT_KEY.command),
    )
    if (revoked !== undefined) return context.print(`revoked ${id}\n`)
    throw refused("there is no key with this id; `safelight keys list` shows the ids")
  },
})
