/** The models of a configuration in words, and as JSON: amounts are integer micro-units. */
import type { LoggedParameters, PriceBook } from "@safelight/core"
import type { ModelReport } from "../models/report-models.ts"
import type { Loss, PricedCase, PriceWalk } from "../models/walk-prices.ts"
import { formatAmount } from "./amount.ts"
import { explainCharge } from "./charge-words.ts"
import { formatOneLine } from "./one-line.ts"
import { formatPrice } from "./price-words.ts"

export function formatModels(reports: readonly ModelReport[], prices: PriceBook): string {
  const models = reports.map(toLines).map((lines) => lines.join(""))
  return [...models, toTables(prices)].join("\n")
}

/** What may be wrong, and does not keep the service from starting. */
export function listWarnings(report: ModelReport): readonly string[] {
  const { makers, walk } = report
  const isMade = makers.some(({ faults }) => faults.length === 0)
  return [
    ...(isMade ? [] : ["no channel of this configuration makes it"]),
    ...walk.losses.map((loss) => toLossWords(loss, report)),
  ]
}

function toLossWords({ by, combinations, costMicros, worst }: Loss, { walk }: ModelReport): string {
  const where = `${by} charges more than the price for ${combinations} of ${walk.walked} combinations`
  const example = `such as ${JSON.stringify(pickAsked(worst, walk))}`
  return `${where}, ${example}: ${formatAmount(costMicros)} against ${formatAmount(worst.quoteMicros)}`
}

function toLines(report: ModelReport): readonly string[] {
  const { makers, model, others, price, priceVersion, walk } = report
  const { cheapest, dearest } = walk
  const lines = [
    `  ${formatPrice(price)}  ${priceVersion}`,
    `  ${toWalkWords(report)}`,
    ...(cheapest === undefined ? [] : [`  cheapest: ${toCaseWords(cheapest, report)}`]),
    ...(dearest === undefined ? [] : [`  dearest: ${toCaseWords(dearest, report)}`]),
    ...(makers.length === 0 ? [] : [`  made by ${makers.map(toMakerWords).join(", ")}`]),
    ...(others.length === 0 ? [] : [`  could be made by ${others.join(", ")}: no such channel`]),
    ...listWarnings(report).map((warning) => `  warning: ${warning}`),
  ]
  return [model.id, ...lines].map((line) => `${formatLine(line)}\n`)
}

/** Ids and channels are the operator's words; the indentation stays. */
function formatLine(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ""}${formatOneLine(line.trimStart())}`
}

function toWalkWords({ walk }: ModelReport): string {
  const { cheapest, combinations, parameters, walked } = walk
  if (cheapest === undefined) return "no sample of its parameters is valid, so that none was quoted"
  if (parameters.length === 0) return "it costs the same whatever is asked"
  const which = `${combinations} combinations of ${parameters.join(", ")}`
  if (walked === combinations) return `all ${which} have a price`
  return `each value of ${which} has a price, and so has every combination, since a price is a product`
}

function toCaseWords(found: PricedCase, { price, walk }: ModelReport): string {
  const { logged, quoteMicros, usage } = found
  const asked = pickAsked(found, walk)
  const { rules, sum } = explainCharge({ usage, price, parameters: logged })
  const words = quoteMicros === 0 ? ["nothing"] : [...rules, sum]
  return Object.keys(asked).length === 0
    ? words.join(": ")
    : [JSON.stringify(asked), ...words].join(": ")
}

/** As far as the price or a cost depends on it. */
function pickAsked({ logged }: PricedCase, { parameters }: PriceWalk): LoggedParameters {
  return Object.fromEntries(Object.entries(logged).filter(([name]) => parameters.includes(name)))
}

function toMakerWords({ channel, faults, tier }: ModelReport["makers"][number]): string {
  const why = faults.length === 0 ? "" : `, left out: ${faults.join("; ")}`
  return `${channel} (tier ${tier}${why})`
}

function toTables(prices: PriceBook): string {
  const [current, ...older] = prices.toReversed()
  const others = older.map(({ version }) => `"${version}"`).join(", ")
  const stay = others === "" ? "" : `; older ones, for the tasks accepted under them: ${others}`
  return `${formatOneLine(`table "${current?.version ?? ""}" prices new tasks${stay}`)}\n`
}

export function toModelsRecord(reports: readonly ModelReport[], prices: PriceBook): unknown {
  return {
    tables: prices.map(({ version }, place) => ({
      version,
      prices_new_tasks: place === prices.length - 1,
    })),
    models: reports.map(toRecord),
  }
}

function toRecord(report: ModelReport): unknown {
  const { makers, model, others, price, priceVersion, walk } = report
  return {
    model: model.id,
    price_version: priceVersion,
    price,
    depends_on: walk.parameters,
    combinations: walk.combinations,
    combinations_walked: walk.walked,
    cheapest: walk.cheapest === undefined ? null : toCaseRecord(walk.cheapest, walk),
    dearest: walk.dearest === undefined ? null : toCaseRecord(walk.dearest, walk),
    made_by: makers,
    could_be_made_by: others,
    losses: walk.losses.map(({ by, combinations, costMicros, worst }) => ({
      by,
      combinations,
      cost_micros: costMicros,
      worst: toCaseRecord(worst, walk),
    })),
    warnings: listWarnings(report),
  }
}

function toCaseRecord(found: PricedCase, walk: PriceWalk): unknown {
  return { parameters: pickAsked(found, walk), quote_micros: found.quoteMicros }
}
