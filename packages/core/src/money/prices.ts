/**
 * Prices: versioned configuration. A task keeps the version it was accepted under, so a price
 * table in use is never edited, only followed by a newer one. A sealed table's version ends, for each model, with
 * digits of that model's price: edited under its name it is another one, and the task's is missing. A bare name
 * is what earlier releases wrote. All amounts are integer micro-units of the account's currency.
 */
import { toCanonicalJson } from "../values/canonical-json.ts"
import type { Digest } from "../values/digest.ts"
import type { Factors } from "./factors.ts"
import type { PriceRates } from "./rates.ts"

/** Rates, and factors by the value of logged parameters: what was used costs their sum times their product. */
export interface ModelPrice extends PriceRates {
  readonly factors?: Factors
}

export interface PriceTable {
  readonly version: string
  readonly models: Readonly<Record<string, ModelPrice>>
  /** By model, digits of its price: what `sealPrices` adds. */
  readonly digests?: Readonly<Record<string, string>>
}

/** Every table that a task may name; the last one prices new tasks. */
export type PriceBook = readonly [PriceTable, ...PriceTable[]]

export interface OwnPrice {
  readonly id: string
  /** Of the model's own file. */
  readonly price?: ModelPrice
}

/**
 * The book with the models' own prices in every table that lacks them, so that a task of one is charged by it whatever
 * table came after. A table's price wins.
 */
export function withModelPrices(book: PriceBook, models: Iterable<OwnPrice>): PriceBook {
  const own = [...models].flatMap(({ id, price }) =>
    price === undefined ? [] : [[id, price] as const],
  )
  if (own.length === 0) return book
  const prices = Object.fromEntries(own)
  return book.map((table) => ({
    ...table,
    models: { ...prices, ...table.models },
  })) as unknown as PriceBook
}

/** Enough that a price which was edited has others. */
const DIGITS = 8

/** The longest name of a table, so that what a task keeps of it is no longer than an event may hold. */
export const MAX_TABLE_NAME_LENGTH = 190

/** The book with the digits of every price, by which new tasks are accepted. */
export function sealPrices(book: PriceBook, digest: Digest): PriceBook {
  return book.map((table) => {
    const digests = Object.entries(table.models).map(([model, price]) => {
      return [model, digest([toCanonicalJson({ ...price })]).slice(0, DIGITS)] as const
    })
    return { ...table, digests: Object.fromEntries(digests) }
  }) as unknown as PriceBook
}

/** What a task of `model` that is priced by `table` keeps: `2026-11#1a2b3c4d`, or the bare name if unsealed. */
export function toPriceVersion({ digests = {}, version }: PriceTable, model: string): string {
  const digits = Object.hasOwn(digests, model) ? digests[model] : undefined
  return digits === undefined ? version : `${version}#${digits}`
}

/** Whether a task's version names this table, whatever it says of its prices. */
export function isNamedBy({ version: name }: PriceTable, version: string): boolean {
  return (
    version === name ||
    (version.startsWith(`${name}#`) && version.length === name.length + 1 + DIGITS)
  )
}

/** The table new tasks are priced by. */
export function currentPrices(book: PriceBook): PriceTable {
  return book.at(-1) as PriceTable
}

/** The price of `model` under `version`, as a task keeps it; undefined if the book lacks it, or has another. */
export function findPrice(book: PriceBook, version: string, model: string): ModelPrice | undefined {
  const isMeant = (table: PriceTable): boolean =>
    table.version === version || toPriceVersion(table, model) === version
  const models = book.find(isMeant)?.models ?? {}
  return Object.hasOwn(models, model) ? models[model] : undefined
}

/** What the studio's renderings cost unless configured otherwise: estimates, not a quotation. */
export const DEFAULT_PRICES: PriceBook = [
  {
    version: "default-1",
    models: {
      "vendor-a/v4.1/flash/text-to-image": { perImageMicros: 10_000 },
      "vendor-b/imagine-image/v2.0/edit": { perImageMicros: 20_000 },
      "vendor-c/video-2.5/reference-to-video": { perVideoSecondMicros: 100_000 },
    },
  },
]
