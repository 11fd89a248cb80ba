/**
 * `safelight prices check`: whether the price tables of a configuration are valid, and what a few tasks would
 * cost. A fault is reported as `serve` would report it, with the same exit code.
 */
import { Command } from "commander"
import type { CommandContext } from "./command-context.ts"

interface Options {
  readonly json?: true
}

export function createPricesCheckCommand(context: CommandContext): Command {
  return new Command("check")
    .description("check the price tables of a configuration and show example charges")
    .argument(
      "[file]",
      "configuration file [SAFELIGHT_CONFIG] (default: safelight.config.json, where there is one)",
    )
    .option("--json", "print a list of the tables, oldest first")
    .action((file: string | undefined, options: Options) => check(file, options, context))
}

async function check(
  file: string | undefined,
  options: Options,
  context: CommandContext,
): Promise<void> {
  const { loadConfiguration } = await import("../configuration/load-configuration.ts")
  const { sealPrices } = await import("@safelight/core")
  const { sha256 } = await import("@safelight/engine")
  const { toPricesRecord, toPricesText } = await import("../prices-text.ts")
  const { environment, folder } = context
  const flags = file === undefined ? {} : { config: file }
  const configuration = await loadConfiguration({ flags, environment, folder })
  // A task keeps digits of its price: printed, they tell which table it was accepted under.
  const prices = sealPrices(configuration.prices, sha256)
  const priced = { models: configuration.models, prices }
  const isJson = options.json === true
  context.print(isJson ? `${JSON.stringify(toPricesRecord(priced))}\n` : toPricesText(priced))
}
