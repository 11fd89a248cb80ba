/**
 * Watching the leases of other processes: one whose heartbeats stood still for `leaseMs` is that of a process
 * which is gone, and is expired. Time is this process's own monotonic clock from when it first saw that
 * count; no other process's clock plays a part, and no wall clock.
 */
import type { WorkerLease } from "@safelight/core"
import type { Ports } from "../host/ports.ts"

/** Given the leases as they are; resolves to how many it expired. Rejects where the storage fails. */
export type ExpireOthers = (leases: readonly WorkerLease[]) => Promise<number>

interface Sight {
  readonly heartbeats: number
  /** When this count was first seen, on the monotonic clock. */
  readonly seenAt: number
}

export function createExpireOthers(
  { clock, log, settings, storage }: Pick<Ports, "clock" | "log" | "settings" | "storage">,
  own: string,
): ExpireOthers {
  let sights: ReadonlyMap<string, Sight> = new Map()

  /** A count is seen after it was read, so never before the heartbeat that made it. */
  function see(leases: readonly WorkerLease[]): ReadonlyMap<string, Sight> {
    const now = clock.monotonicNow()
    return new Map(
      leases.map(({ heartbeats, lease }) => {
        const sight = sights.get(lease)
        return [lease, sight?.heartbeats === heartbeats ? sight : { heartbeats, seenAt: now }]
      }),
    )
  }

  return async (leases) => {
    sights = see(leases.filter(({ lease }) => lease !== own))
    const stillSince = clock.monotonicNow() - settings.leaseMs
    let expired = 0
    for (const [lease, { heartbeats, seenAt }] of sights) {
      if (seenAt > stillSince || !(await storage.expire({ lease, heartbeats }))) continue
      expired += 1
      log.warn({ lease }, "lease expired")
    }
    return expired
  }
}
