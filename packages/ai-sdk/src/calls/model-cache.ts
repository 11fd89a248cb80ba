/**
 * What the service says of each model, kept for a minute: parameters decide what is sent and what is warned of. A
 * failed read is not kept. A stale description buys nothing wrong, since the service checks every request.
 */
import type { Client, ModelInfo } from "@safelight/client"

/** Models are added and changed by an operator, with a restart. */
const KEPT_MS = 60_000

export interface ModelCache {
  /** Rejects as `client.model` does: with `model_not_found` or `not_found` if there is no such model. */
  read(client: Client, id: string, signal: AbortSignal | undefined): Promise<ModelInfo>
}

export function createModelCache(): ModelCache {
  const kept = new Map<string, { readonly info: ModelInfo; readonly readAt: number }>()
  return {
    async read(client, id, signal) {
      const found = kept.get(id)
      if (found !== undefined && Date.now() - found.readAt < KEPT_MS) return found.info
      const info = await client.model(id, { signal })
      kept.set(id, { info, readAt: Date.now() })
      return info
    },
  }
}
