/** `safelight keys create`: a new API key, shown once; works beside a running service. */
import { API_KEY_SCOPES, type ApiKeyScope } from "@safelight/core"
import { Command, InvalidArgumentError } from "commander"
import { toOneLine } from "../failure-line.ts"
import { addDataOptions, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly account: string
  readonly scopes?: readonly ApiKeyScope[]
  readonly json?: true
}

export function createKeysCreateCommand(context: CommandContext): Command {
  const command = new Command("create")
    .description("make an API key and show it, once")
    .requiredOption("--account <name>", "account it acts for, made where it is new", parseAccount)
    .option("--scopes <list>", `of ${API_KEY_SCOPES.join(",")} (default: all)`, parseScopes)
    .option("--json", 'print {"id","account","key"}')
  return addDataOptions(command).action((options: Options) => create(options, context))
}

async function create(options: Options, context: CommandContext): Promise<void> {
  const { loadConfiguration } = await import("../configuration/load-configuration.ts")
  const { createKey } = await import("../api-keys.ts")
  const { withData } = await import("../open-data.ts")
  const { environment, folder } = context
  const { data } = await loadConfiguration({ flags: options, environment, folder })
  const { account, scopes } = options
  const key = await withData({ folder: data, mayCreate: true }, (keys) =>
    createKey({ keys, account, now: Date.now(), ...(scopes === undefined ? {} : { scopes }) }),
  )
  const words = `${key.key}\n\nAPI key of account "${account}", shown only now.\n`
  context.print(options.json === true ? `${JSON.stringify(key)}\n` : words)
}

/** As long as a name that people read; what a terminal would not show is refused. */
function parseAccount(name: string): string {
  if (name.trim() !== "" && name.length <= 200 && toOneLine(name) === name) return name
  throw new InvalidArgumentError("expected 1 to 200 printable characters.")
}

function parseScopes(list: string): readonly ApiKeyScope[] {
  const names = [...new Set(list.split(",").map((name) => name.trim()))]
  const scopes = API_KEY_SCOPES.filter((scope) => names.includes(scope))
  if (scopes.length === names.length) return scopes
  throw new InvalidArgumentError(`expected some of ${API_KEY_SCOPES.join(",")}.`)
}
