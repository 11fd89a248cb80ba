/** `safelight balance`: what the account has spent and what it has left. */
import type { Balance } from "@safelight/client"
import { Command } from "commander"
import { toAmount } from "../amount.ts"
import { toTable } from "../table.ts"
import { addServiceOptions, type ServiceOptions } from "./service-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly json?: true
}

export function createBalanceCommand(context: CommandContext): Command {
  const command = new Command("balance")
    .description("show what your account has spent and what it has left")
    .option("--json", "print the balance as the service sends it")
  return addServiceOptions(command).action((options: Options) => show(options, context))
}

async function show(options: Options, context: CommandContext): Promise<void> {
  const { toClient } = await import("./service-options.ts")
  const balance = await toClient(options, context).balance()
  context.print(options.json === true ? `${JSON.stringify(balance)}\n` : toText(balance))
}

function toText({
  budget_micros: budget,
  left_micros: left,
  reserved_micros: reserved,
  spent_micros: spent,
}: Balance): string {
  return toTable([
    ["budget", budget === null ? "none" : toAmount(budget)],
    ["spent", toAmount(spent)],
    ["reserved", toAmount(reserved)],
    ...(left === null ? [] : [["left", toAmount(left)]]),
  ])
}
