/**
 * How many more messages may wait for an endpoint. They are counted once; what is added since is taken off, and
 * they are counted again when no room seems left: so it costs a look at the storage for every few thousand.
 */
import { createBoundedCache, type WebhookStorage } from "@safelight/core"

export interface BacklogOptions {
  readonly storage: Pick<WebhookStorage, "countWaiting">
  readonly settings: { readonly waitingPerEndpoint: number }
}

export interface Backlog {
  /** How many of `wanted` more may wait; they count as waiting from now on. Rejects as the storage does. */
  take(endpoint: string, wanted: number): Promise<number>
}

/** Endpoints whose room is remembered. */
const KNOWN = 1_000

export function createBacklog({ settings, storage }: BacklogOptions): Backlog {
  const most = settings.waitingPerEndpoint
  const rooms = createBoundedCache<number>(KNOWN)
  return {
    async take(endpoint, wanted) {
      const known = rooms.get(endpoint) ?? 0
      const room = known >= wanted ? known : most - (await storage.countWaiting({ endpoint, most }))
      const taken = Math.min(room, wanted)
      rooms.set(endpoint, room - taken)
      return taken
    },
  }
}
