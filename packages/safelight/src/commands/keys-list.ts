/** `safelight keys list`: all keys, revoked ones too. A key's secret can't be shown again. */
import { toUnixSeconds, type KeyView } from "@safelight/core"
import { Command } from "commander"
import { toTable } from "../table.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
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
  const { withData } = await import("../open-data.ts")
  const { toKeyView } = await import("../operator/key-view.ts")
  const configuration = await loadDataConfiguration(options, context)
  const stored = await withData({ configuration, mayCreate: false, purpose: "read" }, (storage) =>
    storage.listKeys(),
  )
  const now = Date.now()
  const keys = stored.map((key) => toKeyView(key, now))
  const json = `${JSON.stringify(keys.map(toRecord))}\n`
  context.print(options.json === true ? json : toKeysTable(keys))
}

/** 0 stands for a moment that is not set, as in the task API. */
function toRecord(key: KeyView): Record<string, unknown> {
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

function toKeysTable(keys: readonly KeyView[]): string {
  const rows = keys.map((key) => [
    key.id,
    key.account,
    toIso(key.createdAt),
    key.expiresAt === 0 ? "never" : toIso(key.expiresAt),
    key.revokedAt === 0 ? key.state : `revoked ${toIso(key.revokedAt)}`,
    key.scopes.join(","),
  ])
  return toTable([["ID", "ACCOUNT", "CREATED", "EXPIRES", "STATE", "SCOPES"], ...rows])
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
