/** `safelight keys create`: makes an API key and shows it, once. A service may be running. */
import { API_KEY_SCOPES, toUnixSeconds, type ApiKeyScope } from "@safelight/core"
import { Command, InvalidArgumentError } from "commander"
import { parseAccountName } from "./account-name.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import { LONGEST_MS } from "../duration.ts"
import { durationWithin } from "./option-values.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly account: string
  readonly scopes?: readonly ApiKeyScope[]
  readonly expiresIn?: number
  readonly json?: true
}

export function createKeysCreateCommand(context: CommandContext): Command {
  const toTerm = durationWithin({ minMs: 1_000, maxMs: LONGEST_MS })
  const command = new Command("create")
    .description("make an API key and show it, once")
    .requiredOption(
      "--account <name>",
      "account it acts for; it is made if it is new",
      parseAccountName,
    )
    .option(
      "--scopes <list>",
      `of ${API_KEY_SCOPES.join(",")} (default: all but admin)`,
      parseScopes,
    )
    .option(
      "--expires-in <duration>",
      "how long it is valid, as in 30d (default: for ever)",
      toTerm,
    )
    .option("--json", 'print {"id","account","key","expires_at"}')
  return addDataOptions(command).action((options: Options) => create(options, context))
}

async function create(options: Options, context: CommandContext): Promise<void> {
  const { createKey } = await import("@safelight/access")
  const { makeAccount } = await import("../new-account.ts")
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const { account, scopes, expiresIn } = options
  const now = Date.now()
  const expiresAt = expiresIn === undefined ? 0 : now + expiresIn
  const { defaults } = configuration.accounts
  const key = await withData({ configuration, mayCreate: true }, async (storage) => {
    await makeAccount(storage, { id: account, now, defaults })
    const named = scopes === undefined ? {} : { scopes }
    return createKey({ keys: storage, account, now, expiresAt, ...named })
  })
  const json = { ...key, expires_at: toUnixSeconds(expiresAt) }
  const end = expiresAt === 0 ? "" : `; it ends ${new Date(expiresAt).toISOString()}`
  const words = `${key.key}\n\nAPI key of account "${key.account}", shown only now${end}.\n`
  context.print(options.json === true ? `${JSON.stringify(json)}\n` : words)
}

function parseScopes(list: string): readonly ApiKeyScope[] {
  const names = [...new Set(list.split(",").map((name) => name.trim()))]
  const scopes = API_KEY_SCOPES.filter((scope) => names.includes(scope))
  if (scopes.length === names.length) return scopes
  throw new InvalidArgumentError(`expected some of ${API_KEY_SCOPES.join(",")}.`)
}
