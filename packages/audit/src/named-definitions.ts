/** The definitions that the tasks of an export name: an import needs them, and no others. */
import {
  parsePriceDefinition,
  type Definition,
  type DefinitionStorage,
  type Digest,
  type Task,
} from "@safelight/core"

export interface NamedDefinitions {
  add(task: Pick<Task, "model" | "priceVersion">): void
  /** Those of them that the storage has. */
  list(storage: Pick<DefinitionStorage, "listDefinitions">): Promise<readonly Definition[]>
}

export function createNamedDefinitions(digest: Digest): NamedDefinitions {
  const prices = new Set<string>()
  return {
    add: ({ model, priceVersion }) => void prices.add(JSON.stringify([model, priceVersion])),
    async list(storage) {
      const kept = await storage.listDefinitions("price")
      return kept.filter(({ body }) => {
        const price = parsePriceDefinition(body, digest)
        return price && prices.has(JSON.stringify([price.model, price.priceVersion]))
      })
    },
  }
}

/** What is wrong with a definition of an export, in words; undefined if nothing is. */
export function findDefinitionFault(
  { body, digest: name, kind }: Definition,
  digest: Digest,
): string | undefined {
  if (digest([body]) !== name) return `definition ${name} is not what its digest says`
  if (kind === "model" || parsePriceDefinition(body, digest) !== undefined) return undefined
  return `definition ${name} is no price, or not the one that its version names`
}
