/**
 * Prices: versioned configuration. A task keeps the version it was accepted under, so a price
 * table in use is never edited, only followed by a newer one. All amounts are integer micro-units
 * of the account's currency.
 */

export interface ModelPrice {
  readonly perImageMicros?: number
  readonly perVideoSecondMicros?: number
}

export interface PriceTable {
  readonly version: string
  readonly models: Readonly<Record<string, ModelPrice>>
}

/** Every table that a task may name; the last one prices new tasks. */
export type PriceBook = readonly [PriceTable, ...PriceTable[]]

/** The table new tasks are priced by. */
export function currentPrices(book: PriceBook): PriceTable {
  return book.at(-1) as PriceTable
}

/** The price of `model` under table `version`, or undefined if the book lacks it. */
export function findPrice(book: PriceBook, version: string, model: string): ModelPrice | undefined {
  return book.find((table) => table.version === version)?.models[model]
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
