/**
 * Leases as a process has seen them: since when the heartbeats of each stand still. Time is this process's own monotonic
 * clock from when it first saw that count; no other process's clock plays a part, and no wall clock.
 */
import type { WorkerLease } from "@safelight/core"

export interface LeaseSight extends WorkerLease {
  /** When this count of heartbeats was first seen. */
  readonly seenAt: number
}

/** Of releases whose processes don't tell how long theirs hold. */
const UNTOLD_LEASE_MS = 60_000

/** When the heartbeats of the lease will have stood still for as long as it holds, as its process says. */
export function toSightEnd({ facts, seenAt }: LeaseSight): number {
  return seenAt + (facts?.leaseMs ?? UNTOLD_LEASE_MS)
}

/** By lease; `known` is what was seen before. */
export function seeLeases(
  known: ReadonlyMap<string, LeaseSight>,
  leases: readonly WorkerLease[],
  now: number,
): ReadonlyMap<string, LeaseSight> {
  return new Map(
    leases.map((each) => {
      const sight = known.get(each.lease)
      const isSame = sight?.heartbeats === each.heartbeats
      return [each.lease, { ...each, seenAt: isSame ? sight.seenAt : now }]
    }),
  )
}
