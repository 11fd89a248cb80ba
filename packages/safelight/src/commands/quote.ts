/**
 * `safelight quote`: what a task would cost at most, and how that comes about. Nothing is submitted. The last
 * line is what `tasks submit --quote` takes.
 */
import { jsonText, type Quote } from "@safelight/client"
import { formatAmount, formatSeconds } from "../text/amount.ts"
import { formatFactor } from "../text/charge-words.ts"
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

type Line = Quote["lines"][number]

function formatQuote(quote: Quote): string {
  const {
    currency,
    max_cost_micros: costMicros,
    price_version: version,
    valid_until: until,
  } = quote
  const lines = [
    ...quote.lines.map((line) => formatItem(line, currency)),
    `at most ${formatAmount(costMicros, currency)}, by table "${version}"`,
    `valid until ${new Date(until * 1_000).toISOString()}`,
    quote.quote,
  ]
  return lines.map((line) => `${formatOneLine(line)}\n`).join("")
}

const UNIT_WORDS: Readonly<Record<Line["unit"], string>> = {
  image: "an image",
  second: "a second",
  request: "a request",
  thousand_characters: "a thousand characters",
  thousand_tokens: "a thousand tokens",
}

function formatItem(line: Line, currency: string | undefined): string {
  const { factors = [], item, is_estimate: isEstimate, unit, unit_price_micros: unitMicros } = line
  const quantity = formatQuantity(line)
  const words = isEstimate ? `at most ${quantity}, measured later` : quantity
  const price = `${formatAmount(unitMicros, currency)} ${UNIT_WORDS[unit]}`
  const times = factors.map(({ factor, param, value }) => {
    const parameter = param.replace(/^parameters\./, "")
    return ` × ${formatFactor({ factor, parameter, value })}`
  })
  return `${item.replaceAll("_", " ")}: ${words}, at ${price}${times.join("")}`
}

function formatQuantity({ characters, duration_ms: durationMs, images, requests, tokens }: Line) {
  if (durationMs !== undefined) return formatSeconds(durationMs)
  return String(images ?? requests ?? characters ?? tokens ?? 0)
}
