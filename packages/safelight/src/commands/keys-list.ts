/** `safelight keys list`: every key there is, revoked ones too. A key itself can't be shown again. */
import { toUnixSeconds, type StoredKey } from "@safelight/core"
import { Command } from "commander"
import { addDataOptions, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

export function createKeysListCommand(context: CommandContext): Command {
  const command = new Command("list")
    .description("list the API keys, oldest first")
    .option("--json", "print a list of objects, moments in Unix seconds")
  return addDataOptions(command).action((options: Options) => list(options, context))
}

async function list(options: Options, context: CommandContext): Promise<void> {
  const { loadConfiguration } = await import("../configuration/load-configuration.ts")
  const { withData } = await import("../open-data.ts")
  const { environment, folder } = context
  const { data } = await loadConfiguration({ flags: options, environment, folder })
  const keys = await withData({ folder: data, mayCreate: false }, (storage) => storage.listKeys())
  context.print(options.json === true ? `${JSON.stringify(keys.map(toRecord))}\n` : toTable(keys))
}

/** 0 for a moment that has not come, as in the task API. */
function toRecord(key: StoredKey): Record<string, unknown> {
  return {
    id: key.id,
    account: key.account,
    scopes: key.scopes,
    created_at: toUnixSeconds(key.createdAt),
    revoked_at: toUnixSeconds(key.revokedAt),
    expires_at: toUnixSeconds(key.expiresAt),
  }
}

function toTable(keys: readonly StoredKey[]): string {
  const rows = keys.map((key) => [
    key.id,
    key.account,
    new Date(key.createdAt).toISOString(),
    key.revokedAt === 0 ? "valid" : `revoked ${new Date(key.revokedAt).toISOString()}`,
    key.scopes.join(","),
  ])
  const all = [["ID", "ACCOUNT", "CREATED", "STATE", "SCOPES"], ...rows]
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  )
  const lines = all.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "),
  )
  return `${lines.join("\n")}\n`
}
