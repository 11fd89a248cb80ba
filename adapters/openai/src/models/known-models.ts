/** What the service says of its models, asked once: they change only when its process is started anew. */
import type { Client, ModelInfo } from "@safelight/client"
import { readModel } from "./read-model.ts"

export interface KnownModels {
  /** For a caller who may read models. Rejects as `readModel` does, which is not remembered. */
  read(client: Client, id: string, signal: AbortSignal): Promise<ModelInfo>
}

export function createKnownModels(): KnownModels {
  const known = new Map<string, ModelInfo>()
  return {
    async read(client, id, signal) {
      const found = known.get(id) ?? (await readModel(client, id, signal))
      known.set(id, found)
      return found
    },
  }
}
