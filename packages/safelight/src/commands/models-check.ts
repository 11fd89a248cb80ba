/**
 * `safelight models check`: whether the models and prices of a configuration are valid, what the cheapest and the
 * dearest request of each would be quoted, and who makes it. Faults end it with the exit code of `serve`, which names
 * the first; here all are named, of every file.
 */
import { SafelightError, sealPrices, withModelPrices } from "@safelight/core"
import { CONFIG_OPTION } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag, optionalArgument } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName } from "../command-line/service-options.ts"
import type { Configuration } from "../configuration/configuration.ts"
import type { ConfigurationSource } from "../configuration/load-configuration.ts"
import { refused } from "../errors/command-error.ts"
import { formatModels, toModelsRecord } from "../text/models-text.ts"

export const command = defineCommand({
  name: "models check",
  description:
    "check models and prices of a configuration; shows what they cost and who makes them",
  arguments: {
    model: optionalArgument("public id of one model (default: all of them)", parseName),
  },
  options: { config: CONFIG_OPTION, json: flag("print models and price tables as JSON") },
  async run({ arguments: { model: id }, options, context }) {
    const { planChannels } = await import("../channels/plan-channels.ts")
    const { reportModels } = await import("../models/report-models.ts")
    const { sha256 } = await import("@safelight/engine")
    const { environment, folder } = context
    const flags = options.config === undefined ? {} : { config: options.config }
    const { channels, models, prices } = await load({ flags, environment, folder })
    const shown = models.filter((model) => id === undefined || model.id === id)
    if (shown.length === 0) throw refused(`${id ?? ""} is no model of this configuration`)
    const plans = await planChannels({ channels, models, environment })
    // A task keeps digits of its price: printed, they tell which table it was accepted under.
    const sealed = sealPrices(withModelPrices(prices, models), sha256)
    const reports = reportModels({ channels, models: shown, plans, prices: sealed })
    printResult(options, context, toModelsRecord(reports, sealed), () =>
      formatModels(reports, sealed),
    )
  },
})

async function load(source: ConfigurationSource): Promise<Configuration> {
  const { loadConfiguration } = await import("../configuration/load-configuration.ts")
  try {
    return await loadConfiguration(source)
  } catch (cause) {
    const { listConfigurationFaults } = await import("../configuration/list-faults.ts")
    const faults = await listConfigurationFaults(source)
    if (faults.length < 2) throw cause
    throw new SafelightError({ code: "invalid-configuration", message: faults.join("; "), cause })
  }
}
