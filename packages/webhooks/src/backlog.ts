/**
 * How many more messages may wait for an endpoint. They are counted once; what is added since is taken off, and
 * they are counted again when no room seems left: so it costs a look at the storage for every few thousand.
 */
import {
  createBoundedCache,
  createSemaphore,
  type Clock,
  type WebhookStorage,
} from "@safelight/core"

export interface BacklogOptions {
  readonly storage: Pick<WebhookStorage, "countWaiting">
  readonly clock: Pick<Clock, "now">
  readonly settings: { readonly waitingPerEndpoint: number }
}

export interface Backlog {
  /** How many of `wanted` more may wait; they count as waiting from now on. Rejects as the storage does. */
  take(endpoint: string, wanted: number): Promise<number>
}

/** Behind every next try of a message; a notice of expiry may wait for longer. */
const TRIED_WITHIN_MS = 48 * 3_600_000

/** Endpoints whose room is remembered. */
const KNOWN = 1_000

export function createBacklog({ clock, settings, storage }: BacklogOptions): Backlog {
  const most = settings.waitingPerEndpoint
  const rooms = createBoundedCache<number>(KNOWN)
  // Of two that count at once each would take the same room.
  const counting = createSemaphore({ permits: 1, name: "backlog" })

  async function findRoom(endpoint: string): Promise<number> {
    const dueBy = clock.now() + TRIED_WITHIN_MS
    return most - (await storage.countWaiting({ endpoint, dueBy, most }))
  }

  return {
    take: (endpoint, wanted) =>
      counting.run(async () => {
        const known = rooms.get(endpoint) ?? 0
        const room = known >= wanted ? known : await findRoom(endpoint)
        const taken = Math.min(room, wanted)
        rooms.set(endpoint, room - taken)
        return taken
      }),
  }
}
