/**
 * The prices by which tasks are charged, with what proves each: the digest of its definition. Those that the log's own
 * database keeps come first. A task of an earlier release names its table without digits of its price, and then nothing
 * proves which price the table had.
 */
import {
  findPrice,
  parsePriceDefinition,
  toPriceDefinitions,
  type Definition,
  type DefinitionStorage,
  type Digest,
  type NamedPrice,
  type PriceBook,
  type Task,
} from "@safelight/core"
import { findDefinitionFault } from "./named-definitions.ts"

export type FindNamedPrice = (task: Pick<Task, "model" | "priceVersion">) => NamedPrice

/** Rejects as the storage does. */
export async function readPriceNames(
  storage: Pick<DefinitionStorage, "listDefinitions">,
  { digest, prices }: { readonly digest: Digest; readonly prices: PriceBook },
): Promise<FindNamedPrice> {
  const kept = await storage.listDefinitions("price")
  const whole = kept.filter((each) => findDefinitionFault(each, digest) === undefined)
  const digests = new Map<string, string>()
  for (const definition of [...whole, ...toPriceDefinitions(prices, digest)]) {
    const key = toKey(definition, digest)
    if (key !== undefined && !digests.has(key)) digests.set(key, definition.digest)
  }
  return ({ model, priceVersion: version }) => ({
    version,
    digest: digests.get(JSON.stringify([model, version])) ?? null,
    price: findPrice(prices, version, model) ?? null,
  })
}

function toKey({ body }: Definition, digest: Digest): string | undefined {
  const price = parsePriceDefinition(body, digest)
  return price && JSON.stringify([price.model, price.priceVersion])
}
