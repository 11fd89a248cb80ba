/**
 * `safelight quote`: what a task would cost at most, and how that comes about. Nothing is submitted. The last
 * line is what `tasks submit --quote` takes.
 */
import { jsonText, type Quote } from "@safelight/client"
import { formatAmount, formatSeconds } from "../text/amount.ts"
import { readParameters } from "../client/parameters-argument.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatOneLine } from "../text/one-line.ts"

export const command = defineCommand({
  name: "quote",
  description: "show what a task would cost, and submit nothing",
  arguments: {
    model: argument("public id of the model"),
    parameters: argument("JSON, @file.json, or - for standard input"),
  },
  options: { json: flag("print the quote as the service sends it"), ...SERVICE_OPTIONS },
  async run({ arguments: { model, parameters }, options, context }) {
    const client = toClient(options, context)
    const text = await readParameters(parameters, context, "<parameters>")
    const quote = await client.quote(model, jsonText(text))
    printResult(options, context, quote, () => formatQuote(quote))
  },
})

function formatQuote(quote: Quote): string {
  const { max_cost_micros: costMicros, price_version: version, valid_until: until } = quote
  const lines = [
    ...quote.lines.map(formatItem),
    `at most ${formatAmount(costMicros)}, by table "${version}"`,
    `valid until ${new Date(until * 1_000).toISOString()}`,
    quote.quote,
  ]
  return lines.map((line) => `${formatOneLine(line)}\n`).join("")
}

function formatItem({
  item,
  images = 0,
  duration_ms: durationMs,
  unit_price_micros: unitPriceMicros,
  is_estimate: isEstimate,
}: Quote["lines"][number]): string {
  const what = item.replaceAll("_", " ")
  const quantity = durationMs === undefined ? String(images) : formatSeconds(durationMs)
  const words = isEstimate ? `at most ${quantity}, measured later` : quantity
  return `${what}: ${words}, at ${formatAmount(unitPriceMicros)} ${durationMs === undefined ? "an image" : "a second"}`
}
