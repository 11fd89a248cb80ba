/**
 * `safelight quote`: what a task would cost at most, and how that comes about. Nothing is submitted. The last
 * line is what `tasks submit --quote` takes.
 */
import { jsonText, type Quote } from "@safelight/client"
import { Command } from "commander"
import { toAmount, toSeconds } from "../amount.ts"
import { toOneLine } from "../failure-line.ts"
import { addServiceOptions, type ServiceOptions } from "./service-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly json?: true
}

export function createQuoteCommand(context: CommandContext): Command {
  const command = new Command("quote")
    .description("show what a task would cost, and submit nothing")
    .argument("<model>", "public id of the model")
    .argument("<parameters>", "JSON, @file.json, or - for standard input")
    .option("--json", "print the quote as the service sends it")
  return addServiceOptions(command).action((model: string, parameters: string, options: Options) =>
    show({ model, parameters }, options, context),
  )
}

async function show(
  { model, parameters }: { readonly model: string; readonly parameters: string },
  options: Options,
  context: CommandContext,
): Promise<void> {
  const { readParameters } = await import("../client/parameters-argument.ts")
  const { toClient } = await import("./service-options.ts")
  const client = toClient(options, context)
  const text = await readParameters(parameters, context, "<parameters>")
  const quote = await client.quote(model, jsonText(text))
  context.print(options.json === true ? `${JSON.stringify(quote)}\n` : toText(quote))
}

function toText(quote: Quote): string {
  const { max_cost_micros: costMicros, price_version: version, valid_until: until } = quote
  const lines = [
    ...quote.lines.map(toLineText),
    `at most ${toAmount(costMicros)}, by table "${version}"`,
    `valid until ${new Date(until * 1_000).toISOString()}`,
    quote.quote,
  ]
  return lines.map((line) => `${toOneLine(line)}\n`).join("")
}

function toLineText({
  item,
  images = 0,
  duration_ms: durationMs,
  unit_price_micros: unitPriceMicros,
  is_estimate: isEstimate,
}: Quote["lines"][number]): string {
  const what = item.replaceAll("_", " ")
  const quantity = durationMs === undefined ? String(images) : toSeconds(durationMs)
  const words = isEstimate ? `at most ${quantity}, measured later` : quantity
  return `${what}: ${words}, at ${toAmount(unitPriceMicros)} ${durationMs === undefined ? "an image" : "a second"}`
}
