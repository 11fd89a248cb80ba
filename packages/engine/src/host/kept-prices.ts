/** The prices that the database knows, beside those of a configuration. */
import {
  toPriceDefinitions,
  withKeptPrices,
  withModelPrices,
  type DefinitionStorage,
  type OwnPrice,
  type PriceBook,
} from "@safelight/core"
import { sha256 } from "./sha256.ts"

/** The tables of a configuration, and the models, which may have prices of their own. */
export interface PriceSource {
  readonly prices: PriceBook
  readonly models: readonly OwnPrice[]
}

/** The book with the prices that tasks were accepted under before. Rejects as the storage does. */
export async function readKeptPrices(
  storage: Pick<DefinitionStorage, "listDefinitions">,
  { models, prices }: PriceSource,
): Promise<PriceBook> {
  const kept = await storage.listDefinitions("price")
  return withKeptPrices(withModelPrices(prices, models), kept, sha256)
}

/**
 * The same, once the prices of the source are kept in the database; a host calls it before it makes its engine. Twice
 * is the same as once. Rejects as the storage does.
 */
export async function keepPrices(
  storage: DefinitionStorage,
  source: PriceSource,
): Promise<PriceBook> {
  const book = withModelPrices(source.prices, source.models)
  const kept = await storage.listDefinitions("price")
  const known = new Set(kept.map(({ digest }) => digest))
  const added = toPriceDefinitions(book, sha256).filter(({ digest }) => !known.has(digest))
  await storage.keepDefinitions(added)
  return withKeptPrices(book, kept, sha256)
}
