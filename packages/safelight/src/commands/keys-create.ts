/** `safelight keys create`: makes an API key and shows it, once. A service may be running. */
import {
  API_KEY_SCOPES,
  CHANGED_WITHOUT_KEY,
  toUnixSeconds,
  type ApiKeyScope,
} from "@safelight/core"
import { InvalidArgumentError } from "commander"
import { parseAccountName } from "../command-line/account-name.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { durationWithin } from "../command-line/option-values.ts"
import { flag, option, requiredOption } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { LONGEST_MS } from "../text/duration.ts"

export const command = defineCommand({
  name: "keys create",
  description: "make an API key and show it, once",
  options: {
    account: requiredOption(
      "<name>",
      "account it acts for; it is made if it is new",
      parseAccountName,
    ),
    scopes: option(
      "<list>",
      `of ${API_KEY_SCOPES.join(",")} (default: all but admin)`,
      parseScopes,
    ),
    expiresIn: option(
      "<duration>",
      "how long it is valid, as in 30d (default: for ever)",
      durationWithin({ minMs: 1_000, maxMs: LONGEST_MS }),
    ),
    json: flag('print {"id","account","key","expires_at"}'),
    ...DATA_OPTIONS,
  },
  async run({ options, context }) {
    const { account, expiresIn: lifetimeMs, scopes } = options
    const { command: by } = CHANGED_WITHOUT_KEY
    const asked = {
      account,
      ...(scopes !== undefined && { scopes }),
      ...(lifetimeMs !== undefined && { lifetimeMs }),
    }
    const made = await useOperator(options, context, { mayCreate: true }, async ({ accounts }) => {
      await accounts.makeAccount(account, by)
      return accounts.createKey(asked, by)
    })
    if (made === undefined) throw new Error("the account that was made is not there")
    const { key, view } = made
    const { expiresAt, id } = view
    const record = { id, account, key, expires_at: toUnixSeconds(expiresAt) }
    const end = expiresAt === 0 ? "" : `; it ends ${new Date(expiresAt).toISOString()}`
    const words = `${key}\n\nAPI key of account "${account}", shown only now${end}.\n`
    printResult(options, context, record, () => words)
  },
})

function parseScopes(list: string): readonly ApiKeyScope[] {
  const names = [...new Set(list.split(",").map((name) => name.trim()))]
  const scopes = API_KEY_SCOPES.filter((scope) => names.includes(scope))
  if (scopes.length === names.length) return scopes
  throw new InvalidArgumentError(`expected some of ${API_KEY_SCOPES.join(",")}.`)
}
