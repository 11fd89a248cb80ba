/**
 * `safelight prices check`: whether the price tables of a configuration are valid, and what a few tasks would
 * cost. A fault is reported as `serve` would report it, with the same exit code.
 */
import { sealPrices } from "@safelight/core"
import { defineCommand } from "../command-line/define-command.ts"
import { flag, optionalArgument } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { formatPrices, toPricesRecord } from "../text/prices-text.ts"

export const command = defineCommand({
  name: "prices check",
  description: "check the price tables of a configuration and show example charges",
  arguments: {
    file: optionalArgument(
      "configuration file [SAFELIGHT_CONFIG] (default: safelight.config.json, where there is one)",
    ),
  },
  options: { json: flag("print a list of the tables, oldest first") },
  async run({ arguments: { file }, options, context }) {
    const { loadConfiguration } = await import("../configuration/load-configuration.ts")
    const { sha256 } = await import("@safelight/engine")
    const { environment, folder } = context
    const flags = file === undefined ? {} : { config: file }
    const configuration = await loadConfiguration({ flags, environment, folder })
    // A task keeps digits of its price: printed, they tell which table it was accepted under.
    const prices = sealPrices(configuration.prices, sha256)
    const priced = { models: configuration.models, prices }
    printResult(options, context, toPricesRecord(priced), () => formatPrices(priced))
  },
})
