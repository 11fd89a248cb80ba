/**
 * `safelight keys rotate`: replaces a key by a new one, which is shown once. The old one stays valid for the
 * grace, during which clients can be given the new one.
 */
import type { RotateKeyResult } from "@safelight/access"
import { toUnixSeconds } from "@safelight/core"
import { Command } from "commander"
import { refused, type CommandError } from "../command-error.ts"
import { LONGEST_MS } from "../duration.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import { durationWithin } from "./option-values.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly grace?: number
  readonly expiresIn?: number
  readonly json?: true
}

export function createKeysRotateCommand(context: CommandContext): Command {
  const toGrace = durationWithin({ minMs: 0, maxMs: LONGEST_MS })
  const toTerm = durationWithin({ minMs: 1_000, maxMs: LONGEST_MS })
  const command = new Command("rotate")
    .description("replace an API key by a new one of the same account and scopes, shown once")
    .argument("<id>", "id of the key, as `keys list` shows it")
    .option("--grace <duration>", "how long the old key stays valid (default: 0s)", toGrace)
    .option(
      "--expires-in <duration>",
      "how long the new key is valid (default: as the old one)",
      toTerm,
    )
    .option("--json", 'print {"id","account","key","expires_at","replaced":{"id","expires_at"}}')
  return addDataOptions(command).action((id: string, options: Options) =>
    rotate(id, options, context),
  )
}

async function rotate(id: string, options: Options, context: CommandContext): Promise<void> {
  const { rotateKey } = await import("@safelight/access")
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const { grace: graceMs = 0, expiresIn } = options
  const now = Date.now()
  const asked = expiresIn === undefined ? {} : { expiresAt: now + expiresIn }
  const result = await withData({ configuration, mayCreate: false }, (keys) =>
    rotateKey({ keys, id, now, graceMs, ...asked }),
  )
  if (result.kind !== "rotated") throw toRefusal(result)
  const { expiresAt, key, replacedExpiresAt } = result
  const replaced = { id, expires_at: toUnixSeconds(replacedExpiresAt) }
  const json = { ...key, expires_at: toUnixSeconds(expiresAt), replaced }
  const end = expiresAt === 0 ? "" : `; it ends ${toIso(expiresAt)}`
  const verb = replacedExpiresAt <= now ? "ended" : "ends"
  const words = `API key of account "${key.account}", shown only now${end}.\n${id} ${verb} ${toIso(replacedExpiresAt)}.\n`
  context.print(options.json === true ? `${JSON.stringify(json)}\n` : `${key.key}\n\n${words}`)
}

function toRefusal({ kind }: Exclude<RotateKeyResult, { kind: "rotated" }>): CommandError {
  const messages = {
    unknown: "there is no key with this id; `safelight keys list` shows the ids",
    revoked: "this key is revoked; `safelight keys create` makes another",
  }
  return refused(messages[kind])
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
