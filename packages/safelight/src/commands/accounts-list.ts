/** `safelight accounts list`: every account and what it may do. */
import { Command } from "commander"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

export function createAccountsListCommand(context: CommandContext): Command {
  const command = new Command("list")
    .description("list the accounts and their limits, by name")
    .option("--json", "print a list of objects, moments in Unix seconds")
  return addDataOptions(command).action((options: Options) => list(options, context))
}

async function list(options: Options, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const { toAccountsTable, toSettingsRecord } = await import("./account-record.ts")
  const configuration = await loadDataConfiguration(options, context)
  const accounts = await withData({ configuration, mayCreate: false, purpose: "read" }, (storage) =>
    storage.listAccounts(),
  )
  const isJson = options.json === true
  const json = `${JSON.stringify(accounts.map(toSettingsRecord))}\n`
  context.print(isJson ? json : toAccountsTable(accounts))
}
