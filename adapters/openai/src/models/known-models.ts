/** What the service says of its models, asked once: they change only when its process is started anew. */
import type { ModelInfo } from "@safelight/client"
import type { Call } from "../calls/call.ts"
import { readModel } from "./read-model.ts"

export interface KnownModels {
  /** For a caller who may read models. Rejects as `readModel` does, which is not remembered. */
  read(call: Call, id: string): Promise<ModelInfo>
}

export function createKnownModels(): KnownModels {
  const known = new Map<string, ModelInfo>()
  return {
    async read(call, id) {
      const found = known.get(id) ?? (await readModel(call, id))
      known.set(id, found)
      return found
    },
  }
}
