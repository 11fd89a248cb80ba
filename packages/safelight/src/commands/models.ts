/**
 * `safelight models`: the models that the service has, and what they cost. Their parameters, as JSON Schema,
 * are in `--json` alone.
 */
import type { ModelInfo } from "@safelight/client"
import { defineCommand } from "../command-line/define-command.ts"
import { flag, optionalArgument } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatPrice, toModelPrice } from "../text/price-words.ts"
import { formatTable } from "../text/table.ts"

export const command = defineCommand({
  name: "models",
  description: "show the models and their prices",
  arguments: {
    model: optionalArgument("public id of one model (default: all of them)", parseName),
  },
  options: {
    json: flag("print what the service sends, JSON Schema of the parameters included"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { model: id }, options, context }) {
    const client = toClient(options, context)
    const found = id === undefined ? await client.models() : await client.model(id)
    printResult(options, context, found, () => formatModels("model" in found ? [found] : found))
  },
})

function formatModels(models: readonly ModelInfo[]): string {
  const rows = models.map(({ currency, model, outputs, price }) => [
    model,
    outputs.type,
    formatPrice(toModelPrice(price), currency),
  ])
  return formatTable([["MODEL", "MAKES", "PRICE"], ...rows])
}
