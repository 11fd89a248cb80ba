/**
 * Prices as they are kept beside the log: each under the version that tasks keep, so that a task is charged by its
 * price also once the configuration has lost the table, or has another one of that name. The version's digits prove
 * the price.
 */
import type { Definition } from "../ports/definition-storage.ts"
import { toCanonicalJson } from "../values/canonical-json.ts"
import type { Digest } from "../values/digest.ts"
import { parseJson } from "../values/parse-json.ts"
import { findPrice, sealPrices, toPriceVersion, type ModelPrice, type PriceBook } from "./prices.ts"

/** The body of a kept price. */
export interface PriceDefinition {
  readonly model: string
  readonly price: ModelPrice
  /** As tasks keep it: `2026-12#1a2b3c4d`. */
  readonly priceVersion: string
}

/** A definition for each price of the book. */
export function toPriceDefinitions(book: PriceBook, digest: Digest): readonly Definition[] {
  return sealPrices(book, digest).flatMap((table) =>
    Object.entries(table.models).map(([model, price]): Definition => {
      const priceVersion = toPriceVersion(table, model)
      const body = toCanonicalJson({ model, price: { ...price }, priceVersion })
      return { kind: "price", digest: digest([body]), body }
    }),
  )
}

/** Undefined if the body is no price, or not the one that its version names. */
export function parsePriceDefinition(body: string, digest: Digest): PriceDefinition | undefined {
  const value = parseJson(body)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const { model, price, priceVersion } = value as Record<string, unknown>
  if (typeof model !== "string" || typeof priceVersion !== "string") return undefined
  if (typeof price !== "object" || price === null) return undefined
  const version = priceVersion.slice(0, priceVersion.lastIndexOf("#"))
  const [sealed] = sealPrices([{ version, models: { [model]: price } }], digest)
  if (toPriceVersion(sealed, model) !== priceVersion) return undefined
  return { model, price, priceVersion }
}

/** The book with the kept prices that it lacks before its own tables; the last one prices new tasks as before. */
export function withKeptPrices(
  book: PriceBook,
  kept: readonly Definition[],
  digest: Digest,
): PriceBook {
  const sealed = sealPrices(book, digest)
  const found = kept.flatMap(({ body }) => parsePriceDefinition(body, digest) ?? [])
  const tables = [...Map.groupBy(found, ({ priceVersion }) => priceVersion)]
    .filter(([version, prices]) =>
      prices.some(({ model }) => findPrice(sealed, version, model) === undefined),
    )
    .map(([version, prices]) => {
      const models = prices.map(({ model, price }) => [model, price] as const)
      return { version, models: Object.fromEntries(models) }
    })
  return [...tables, ...book] as unknown as PriceBook
}
