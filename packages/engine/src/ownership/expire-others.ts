/**
 * Watching the leases of other processes: one whose heartbeats stood still for as long as it holds is that of a
 * process which is gone, and is expired.
 */
import type { WorkerLease } from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { seeLeases, toSightEnd, type LeaseSight } from "./lease-sights.ts"

export interface ExpireOthers {
  /** Given the leases as they are; resolves to how many it expired. Rejects where the storage fails. */
  expire(leases: readonly WorkerLease[]): Promise<number>
  /** The pause that begins at `from` on the monotonic clock, or less: it ends once the next one may be expired. */
  cutPause(pauseMs: number, from: number): number
}

export function createExpireOthers(
  { clock, log, storage }: Pick<Ports, "clock" | "log" | "storage">,
  own: string,
): ExpireOthers {
  let sights: ReadonlyMap<string, LeaseSight> = new Map()
  return {
    async expire(leases) {
      const now = clock.monotonicNow()
      const others = leases.filter(({ lease }) => lease !== own)
      // A count is seen after it was read, so never before the heartbeat that made it.
      sights = seeLeases(sights, others, now)
      let expired = 0
      for (const sight of sights.values()) {
        const { heartbeats, lease } = sight
        if (toSightEnd(sight) > now || !(await storage.expire({ lease, heartbeats }))) continue
        expired += 1
        log.warn({ lease }, "lease expired")
      }
      return expired
    },
    cutPause(pauseMs, from) {
      // One that could not be expired, since it has gone or was renewed at that moment, is looked at again later.
      const later = [...sights.values()].map((sight) => toSightEnd(sight) - from)
      return Math.min(pauseMs, ...later.filter((ms) => ms > 0))
    },
  }
}
