/** The definitions that the tasks of an export name: an import needs them, and no others. */
import {
  parseModelDefinition,
  parsePriceDefinition,
  type Definition,
  type DefinitionStorage,
  type Digest,
  type Task,
} from "@safelight/core"

export interface NamedDefinitions {
  add(task: Pick<Task, "definition" | "model" | "priceVersion">): void
  /** Those of them that the storage has. */
  list(storage: Pick<DefinitionStorage, "listDefinitions">): Promise<readonly Definition[]>
}

export function createNamedDefinitions(digest: Digest): NamedDefinitions {
  const models = new Set<string>()
  const prices = new Set<string>()
  return {
    add({ definition, model, priceVersion }) {
      prices.add(JSON.stringify([model, priceVersion]))
      if (definition !== undefined) models.add(definition)
    },
    async list(storage) {
      const [keptModels, keptPrices] = await Promise.all([
        storage.listDefinitions("model"),
        storage.listDefinitions("price"),
      ])
      const named = keptPrices.filter(({ body }) => {
        const price = parsePriceDefinition(body, digest)
        return price && prices.has(JSON.stringify([price.model, price.priceVersion]))
      })
      return [...keptModels.filter(({ digest: name }) => models.has(name)), ...named]
    },
  }
}

/** What is wrong with a definition of an export, in words; undefined if nothing is. */
export function findDefinitionFault(definition: Definition, digest: Digest): string | undefined {
  const { body, digest: name, kind } = definition
  if (digest([body]) !== name) return `definition ${name} is not what its digest says`
  if (kind === "model") {
    const isModel = parseModelDefinition(definition, digest) !== undefined
    return isModel ? undefined : `definition ${name} is no model that this release reads`
  }
  if (parsePriceDefinition(body, digest) !== undefined) return undefined
  return `definition ${name} is no price, or not the one that its version names`
}
