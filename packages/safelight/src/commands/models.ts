/**
 * `safelight models`: the models that the service has, and what they cost. Their parameters, as JSON Schema,
 * are in `--json` alone.
 */
import type { ModelInfo } from "@safelight/client"
import { Command } from "commander"
import { toAmount } from "../amount.ts"
import { toTable } from "../table.ts"
import { addServiceOptions, parseName, type ServiceOptions } from "./service-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly json?: true
}

export function createModelsCommand(context: CommandContext): Command {
  const command = new Command("models")
    .description("show the models and their prices")
    .argument("[model]", "public id of one model (default: all of them)", parseName)
    .option("--json", "print what the service sends, JSON Schema of the parameters included")
  return addServiceOptions(command).action((id: string | undefined, options: Options) =>
    show(id, options, context),
  )
}

async function show(
  id: string | undefined,
  options: Options,
  context: CommandContext,
): Promise<void> {
  const { toClient } = await import("./service-options.ts")
  const client = toClient(options, context)
  const found = id === undefined ? await client.models() : await client.model(id)
  if (options.json === true) return context.print(`${JSON.stringify(found)}\n`)
  context.print(toText("model" in found ? [found] : found))
}

function toText(models: readonly ModelInfo[]): string {
  const rows = models.map(({ model, outputs, price }) => [model, outputs.type, toPrice(price)])
  return toTable([["MODEL", "MAKES", "PRICE"], ...rows])
}

function toPrice(price: ModelInfo["price"]): string {
  const { per_image_micros: image, per_video_second_micros: second } = price
  const rates = [
    ...(image === undefined ? [] : [`${toAmount(image)} an image`]),
    ...(second === undefined ? [] : [`${toAmount(second)} a second`]),
  ]
  return rates.join(", ")
}
