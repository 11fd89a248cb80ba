/** `safelight keys list`: all keys, revoked ones too. A key's secret can't be shown again. */
import { toUnixSeconds, type KeyView } from "@safelight/core"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { formatTable } from "../text/table.ts"

export const command = defineCommand({
  name: "keys list",
  description: "list the API keys, oldest first",
  options: {
    json: flag("print a list of objects, moments in Unix seconds"),
    ...DATA_OPTIONS,
  },
  async run({ options, context }) {
    const request = { mayCreate: false, purpose: "read" } as const
    const keys = await useOperator(options, context, request, ({ accounts }) =>
      accounts.listAllKeys(),
    )
    printResult(options, context, keys.map(toRecord), () => formatKeys(keys))
  },
})

/** 0 stands for a moment that is not set, as in the task API. */
function toRecord(key: KeyView): object {
  return {
    id: key.id,
    account: key.account,
    scopes: key.scopes,
    state: key.state,
    created_at: toUnixSeconds(key.createdAt),
    revoked_at: toUnixSeconds(key.revokedAt),
    expires_at: toUnixSeconds(key.expiresAt),
  }
}

function formatKeys(keys: readonly KeyView[]): string {
  const rows = keys.map((key) => [
    key.id,
    key.account,
    toIso(key.createdAt),
    key.expiresAt === 0 ? "never" : toIso(key.expiresAt),
    key.revokedAt === 0 ? key.state : `revoked ${toIso(key.revokedAt)}`,
    key.scopes.join(","),
  ])
  return formatTable([["ID", "ACCOUNT", "CREATED", "EXPIRES", "STATE", "SCOPES"], ...rows])
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
