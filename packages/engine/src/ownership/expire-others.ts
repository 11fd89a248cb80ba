/**
 * Watching the leases of other processes: one whose heartbeats stood still for as long as it holds is that of a
 * process which is gone, and is expired. Time is this process's own monotonic clock from when it first saw that
 * count; no other process's clock plays a part, and no wall clock.
 */
import type { WorkerLease } from "@safelight/core"
import type { Ports } from "../host/ports.ts"

export interface ExpireOthers {
  /** Given the leases as they are; resolves to how many it expired. Rejects where the storage fails. */
  expire(leases: readonly WorkerLease[]): Promise<number>
  /** The pause that begins at `from` on the monotonic clock, or less: it ends once the next one may be expired. */
  cutPause(pauseMs: number, from: number): number
}

interface Sight {
  readonly heartbeats: number
  /** When this count will have stood still for too long, on the monotonic clock. */
  readonly endsAt: number
}

/** Of releases whose processes don't tell how long theirs hold. */
const UNTOLD_LEASE_MS = 60_000

/** How long a lease holds without a heartbeat, as its process says. */
export function toLeaseMs({ facts }: WorkerLease): number {
  return facts?.leaseMs ?? UNTOLD_LEASE_MS
}

export function createExpireOthers(
  { clock, log, storage }: Pick<Ports, "clock" | "log" | "storage">,
  own: string,
): ExpireOthers {
  let sights: ReadonlyMap<string, Sight> = new Map()

  /** A count is seen after it was read, so never before the heartbeat that made it. */
  function see(leases: readonly WorkerLease[]): ReadonlyMap<string, Sight> {
    const now = clock.monotonicNow()
    return new Map(
      leases.map((each) => {
        const { heartbeats, lease } = each
        const sight = sights.get(lease)
        const isSame = sight?.heartbeats === heartbeats
        return [lease, isSame ? sight : { heartbeats, endsAt: now + toLeaseMs(each) }]
      }),
    )
  }

  return {
    async expire(leases) {
      sights = see(leases.filter(({ lease }) => lease !== own))
      const now = clock.monotonicNow()
      let expired = 0
      for (const [lease, { endsAt, heartbeats }] of sights) {
        if (endsAt > now || !(await storage.expire({ lease, heartbeats }))) continue
        expired += 1
        log.warn({ lease }, "lease expired")
      }
      return expired
    },
    cutPause(pauseMs, from) {
      // One that could not be expired, since it has gone or was renewed at that moment, is looked at again later.
      const later = [...sights.values()].map(({ endsAt }) => endsAt - from).filter((ms) => ms > 0)
      return Math.min(pauseMs, ...later)
    },
  }
}
