/**
 * The worker lease: one boot of this process and its right to work on tasks. It is registered by its first
 * heartbeat, before anything is taken under it, and holds for `leaseMs` from the start of its latest one.
 * What a reader would get wrong: past that moment the lease may or may not have expired, and only the next
 * heartbeat tells which of its tasks are left.
 */
import type { Ports } from "../host/ports.ts"

export interface Lease {
  readonly id: string
  /** On the monotonic clock: past it, others may have expired the lease. */
  readonly heldUntil: number
  /** Whether it surely outlives the sending of a request that is begun now. */
  isFresh(): boolean
  /** A heartbeat begun at `startedAt` on the monotonic clock went through. */
  renew(startedAt: number): void
  /** Begins to take tasks: from now on some may be held under the lease that are not in hand yet. */
  take(): Taking
  /** When the longest of the takings under way began, on the monotonic clock; Infinity without one. */
  takingSince(): number
}

export interface Taking {
  /** Whether the lease has held since the taking began: if not, its tasks may be held by another process. */
  isSound(): boolean
  /** The tasks are in hand now, or there were none. Calling it twice is the same as once. */
  end(): void
}

export function createLease({
  clock,
  identifiers,
  settings,
}: Pick<Ports, "clock" | "identifiers" | "settings">): Lease {
  let heldUntil = -Infinity
  /** How often it may have expired before it was renewed. */
  let lapses = 0
  /** In the order in which they began. */
  const takings = new Map<Taking, number>()
  return {
    id: identifiers.createTaskId(clock.now()),
    get heldUntil() {
      return heldUntil
    },
    // A request leaves within half a lease; one renewed in time has two thirds left.
    isFresh: () => heldUntil - clock.monotonicNow() > settings.leaseMs / 2,
    renew(startedAt) {
      if (clock.monotonicNow() >= heldUntil) lapses += 1
      heldUntil = Math.max(heldUntil, startedAt + settings.leaseMs)
    },
    take() {
      const before = lapses
      const taking: Taking = {
        isSound: () => lapses === before && clock.monotonicNow() < heldUntil,
        end: () => void takings.delete(taking),
      }
      takings.set(taking, clock.monotonicNow())
      return taking
    },
    takingSince: () => takings.values().next().value ?? Infinity,
  }
}
