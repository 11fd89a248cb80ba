/** `safelight accounts show`: what an account may do, what it has spent and what is left. */
import { Command } from "commander"
import { refused } from "../command-error.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

export function createAccountsShowCommand(context: CommandContext): Command {
  const command = new Command("show")
    .description("show an account's limits and what its tasks add up to")
    .argument("<name>", "the account")
    .option("--json", "print an object, moments in Unix seconds")
  return addDataOptions(command).action((name: string, options: Options) =>
    show(name, options, context),
  )
}

async function show(name: string, options: Options, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const { describeAccount } = await import("./account-record.ts")
  const configuration = await loadDataConfiguration(options, context)
  const text = await withData(
    { configuration, mayCreate: false, purpose: "read" },
    async (storage) => {
      const account = await storage.findAccount(name)
      if (account === undefined) return undefined
      return describeAccount(account, { storage, isJson: options.json === true })
    },
  )
  if (text !== undefined) return context.print(text)
  const message = "there is no account with this name; `safelight accounts list` shows the names"
  throw refused(message)
}
