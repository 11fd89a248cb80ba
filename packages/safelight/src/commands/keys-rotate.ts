/**
 * `safelight keys rotate`: replaces a key by a new one, which is shown once. The old one stays valid for the
 * grace, during which clients can be given the new one.
 */
import { CHANGED_WITHOUT_KEY, toUnixSeconds, type RotationResult } from "@safelight/core"
import { refused, type CommandError } from "../errors/command-error.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { durationWithin } from "../command-line/option-values.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { LONGEST_MS } from "../text/duration.ts"

export const command = defineCommand({
  name: "keys rotate",
  description: "replace an API key by a new one of the same account and scopes, shown once",
  arguments: { id: argument("id of the key, as `keys list` shows it") },
  options: {
    grace: option(
      "<duration>",
      "how long the old key stays valid (default: 0s)",
      durationWithin({ minMs: 0, maxMs: LONGEST_MS }),
    ),
    expiresIn: option(
      "<duration>",
      "how long the new key is valid (default: as the old one)",
      durationWithin({ minMs: 1_000, maxMs: LONGEST_MS }),
    ),
    json: flag('print {"id","account","key","expires_at","replaced":{"id","expires_at"}}'),
    ...DATA_OPTIONS,
  },
  async run({ arguments: { id }, options, context }) {
    const { grace: graceMs = 0, expiresIn: lifetimeMs } = options
    const asked = { id, graceMs, ...(lifetimeMs !== undefined && { lifetimeMs }) }
    const result = await useOperator(options, context, { mayCreate: false }, ({ accounts }) =>
      accounts.rotateKey(asked, CHANGED_WITHOUT_KEY.command),
    )
    if (result.kind !== "rotated") throw toRefusal(result)
    const { key, replaced, view } = result
    const { account, createdAt, expiresAt } = view
    const record = {
      id: view.id,
      account,
      key,
      expires_at: toUnixSeconds(expiresAt),
      replaced: { id, expires_at: toUnixSeconds(replaced.expiresAt) },
    }
    const end = expiresAt === 0 ? "" : `; it ends ${toIso(expiresAt)}`
    const verb = replaced.expiresAt <= createdAt ? "ended" : "ends"
    const words = `API key of account "${account}", shown only now${end}.\n${id} ${verb} ${toIso(replaced.expiresAt)}.\n`
    printResult(options, context, record, () => `${key}\n\n${words}`)
  },
})

function toRefusal({ kind }: Exclude<RotationResult, { kind: "rotated" }>): CommandError {
  const messages = {
    unknown: "there is no key with this id; `safelight keys list` shows the ids",
    revoked: "this key is revoked; `safelight keys create` makes another",
  }
  return refused(messages[kind])
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
