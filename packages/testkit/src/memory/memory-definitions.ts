/** Definitions of models and prices, in the storage in memory. */
import type { Definition, DefinitionStorage } from "@safelight/core"

export function createMemoryDefinitions(): DefinitionStorage {
  const kept = new Map<string, Definition>()
  return {
    async keepDefinitions(definitions) {
      for (const each of definitions) if (!kept.has(each.digest)) kept.set(each.digest, each)
    },
    findDefinition: async (digest) => kept.get(digest),
    async listDefinitions(kind) {
      const all = [...kept.values()].filter((each) => each.kind === kind)
      return all.toSorted((one, other) => (one.digest < other.digest ? -1 : 1))
    },
  }
}
