/**
 * Price tables in words, each rate with a few examples computed by core. The last table prices new tasks; the
 * others stay, since a task keeps the table that it was accepted under.
 */
import {
  currentPrices,
  imageEdit,
  toPriceVersion,
  type Model,
  type ModelPrice,
  type PriceBook,
  type PriceTable,
  type Usage,
} from "@safelight/core"
import { explainCharge } from "./charge-words.ts"
import { formatPrice } from "./price-words.ts"

interface Example {
  readonly title: string
  readonly usage: Usage
}

interface PricedModel {
  readonly model: Model
  readonly price: ModelPrice
  readonly examples: readonly Example[]
}

const images = (count: number): Usage => ({ images: count, inputVideosMs: [], outputVideoMs: 0 })
const video = (outputVideoMs: number, ...inputVideosMs: number[]): Usage => ({
  images: 0,
  inputVideosMs,
  outputVideoMs,
})

const OF_IMAGES: readonly Example[] = [{ title: "one image", usage: images(1) }]
const OF_EDITS: readonly Example[] = [
  ...OF_IMAGES,
  { title: "an edit of four images", usage: images(4) },
]
/** On both sides of each rule of specification §8. */
const OF_VIDEOS: readonly Example[] = [
  { title: "a video of 5 s", usage: video(5_000) },
  { title: "5 s edited from 2.5 s", usage: video(5_000, 2_500) },
  { title: "5 s edited from 40 s", usage: video(5_000, 40_000) },
]

/** The models of a configuration and their sealed tables. */
export interface Priced {
  readonly models: readonly Model[]
  readonly prices: PriceBook
}

export function formatPrices({ models, prices }: Priced): string {
  const current = currentPrices(prices)
  return prices
    .toReversed()
    .map((table) => toTableText(table, models, table === current))
    .join("\n")
}

/** Oldest first, as in the configuration; amounts are integer micro-units. */
export function toPricesRecord({ models, prices }: Priced): readonly unknown[] {
  const current = currentPrices(prices)
  return prices.map((table) => ({
    version: table.version,
    prices_new_tasks: table === current,
    models: toPricedModels(table, models).map(({ model, price, examples }) => ({
      model: model.id,
      price_version: toPriceVersion(table, model.id),
      price,
      examples: examples.map(({ title, usage }) => ({
        title,
        charge_micros: explainCharge({ usage, price, parameters: {} }).chargeMicros,
      })),
    })),
  }))
}

function toTableText(table: PriceTable, models: readonly Model[], isCurrent: boolean): string {
  const role = isCurrent ? "prices new tasks" : "stays for the tasks that were accepted under it"
  const head = `table "${table.version}" ${role}\n`
  return (
    head +
    toPricedModels(table, models)
      .map((priced) => toModelText(table, priced))
      .join("")
  )
}

function toModelText(table: PriceTable, { model, price, examples }: PricedModel): string {
  const lines = examples.map(({ title, usage }) => {
    const { rules, sum } = explainCharge({ usage, price, parameters: {} })
    return `    ${[title, ...rules, sum].join(": ")}\n`
  })
  return `  ${model.id}  ${formatPrice(price)}  ${toPriceVersion(table, model.id)}\n${lines.join("")}`
}

/** The models that a table prices: an older one may lack some. */
function toPricedModels(table: PriceTable, models: readonly Model[]): readonly PricedModel[] {
  return models.flatMap((model) => {
    const price = table.models[model.id]
    return price === undefined ? [] : [{ model, price, examples: toExamples(model, price) }]
  })
}

function toExamples(model: Model, price: ModelPrice): readonly Example[] {
  if (model.artifacts === "video") return price.perVideoSecondMicros === undefined ? [] : OF_VIDEOS
  if (price.perImageMicros === undefined) return []
  return model.id === imageEdit.id ? OF_EDITS : OF_IMAGES
}
