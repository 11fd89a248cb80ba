/**
 * Fair shares: the permits of a pool, divided among the worker leases without asking anybody. What there is
 * to divide, and among whom, every process knows from its heartbeats; the rest is arithmetic. What a reader
 * would get wrong: processes do not see a change of membership at one moment. So a share that shrinks does
 * so when the change is seen, and one that grows waits until every lease has reported that it divides by the
 * same membership. At no moment do all shares together exceed the pool. Work
 * that is under way beyond a share that shrank is reported as an excess, and the others leave as much unused.
 *
 *   agreed on A ─sees B→ the lesser of both shares, tells B ─all tell B→ agreed on B
 *   a new lease, or one that may have expired: no share ─all tell B→ agreed on B
 */
import { toPoolNumber, toShare, type Turn, type WorkerLease } from "@safelight/core"
import type { Lease } from "../ownership/worker-lease.ts"
import type { Ports } from "../host/ports.ts"
import { sha256 } from "../host/sha256.ts"
import { areAlike, NOBODY, toMembership, toTurn, type Membership } from "./membership.ts"

export interface FairShares {
  /**
   * This process's part of `size` permits of `pool`. Of a channel's pool only the leases that have that
   * channel get any, of an account's only those that are able to begin something. 0 while the lease may have
   * expired.
   */
  of(pool: string, size: number, channel?: string): number
  /** The part by the membership that was seen last, whether or not the others have seen it. */
  ofSeen(pool: string, size: number, channel?: string): number
  /** This process's turn at the accounts' pools by that membership; undefined if it has none. */
  turn(): Turn | undefined
  /** Has what is used of a pool beyond its share reported; returns how to stop. */
  track(pool: string, countExcess: () => number): () => void
  /** What this process uses beyond its shares, by pool, for its next heartbeat. */
  excess(): Readonly<Record<string, number>>
  /** By which leases this process divides, for its next heartbeat. */
  membership(): string
  /** Counts how often the leftover permits have moved on. */
  round(): number
  /** Takes in the leases that the last heartbeat found; whether any share may have changed. */
  note(leases: readonly WorkerLease[]): boolean
  /** The lease may have expired since: it begins afresh. */
  lapse(): void
  /** Whether every lease divides by the same membership, and none uses more than its shares. */
  isSettled(): boolean
  /** Whether this process was alone when it first had shares. */
  beganAlone(): boolean
}

/**
 * So often the leftover permits move on where the leases do not all have the same channels: an account with
 * one permit must not wait for ever for a lease that can't use it.
 */
const ROUND_MS = 60_000

export function createFairShares(
  { clock }: Pick<Ports, "clock">,
  lease: Pick<Lease, "id" | "heldUntil">,
): FairShares {
  /** The one that was agreed on last, and all that were seen since. */
  let counted: readonly Membership[] = [NOBODY]
  let seen = NOBODY
  let hasAgreed = false
  let wasAlone = false
  const { noteOthers, ...excess } = createExcess()
  let round = 0
  let roundAt = clock.monotonicNow()

  /** Only the first lease moves the leftovers on, and others follow. */
  function moveOn({ members }: Membership): void {
    const isFirst = members[0]?.lease === lease.id
    if (!isFirst || clock.monotonicNow() < roundAt + ROUND_MS || areAlike(members)) return
    round += 1
    roundAt = clock.monotonicNow()
  }

  function agree(): void {
    if (!isAgreed()) counted = [seen]
    if (!hasAgreed) wasAlone = seen.members.length === 1
    hasAgreed = true
    moveOn(seen)
  }

  const share: ShareOf = (membership, pool, size, channel) => {
    const turn = toTurn(membership, lease.id, channel)
    return turn === undefined ? 0 : toShare(turn, size, () => toPoolNumber(pool, sha256))
  }

  const isAgreed = (): boolean => counted.length === 1 && counted[0] === seen && seen !== NOBODY

  return {
    of(pool, size, channel) {
      if (clock.monotonicNow() >= lease.heldUntil) return 0
      let least = size
      for (const each of counted) least = Math.min(least, share(each, pool, size, channel))
      return Math.max(0, least - excess.ofOthers(pool))
    },
    ofSeen: (pool, size, channel) => share(seen, pool, size, channel),
    turn: () => toTurn(seen, lease.id, undefined),
    track: excess.track,
    excess: excess.own,
    membership: () => seen.name,
    round: () => round,
    note(leases) {
      const found = toMembership(leases)
      const before = counted
      const hadExcess = excess.isAny()
      noteOthers(leases.filter((each) => each.lease !== lease.id))
      const told = leases.filter(({ facts }) => facts !== undefined)
      if (found.name !== seen.name) {
        seen = found
        counted = [...counted.filter(({ name }) => name !== found.name), found]
      } else if (told.every(({ facts }) => facts?.membership === seen.name)) agree()
      return before !== counted || hadExcess || excess.isAny()
    },
    lapse() {
      counted = [NOBODY, ...(seen === NOBODY ? [] : [seen])]
    },
    isSettled: () => isAgreed() && !excess.isAny(),
    beganAlone: () => wasAlone,
  }
}

type ShareOf = (
  membership: Membership,
  pool: string,
  size: number,
  channel: string | undefined,
) => number

/** What is used beyond shares, by pool: here, and by the others as they reported last. */
interface Excess extends Pick<FairShares, "track"> {
  readonly own: FairShares["excess"]
  readonly ofOthers: (pool: string) => number
  readonly isAny: () => boolean
  readonly noteOthers: (leases: readonly WorkerLease[]) => void
}

function createExcess(): Excess {
  const tracked = new Map<string, () => number>()
  let told = new Map<string, number>()
  return {
    track(pool, countExcess) {
      tracked.set(pool, countExcess)
      return () => void tracked.delete(pool)
    },
    own() {
      const counts = [...tracked].map(([pool, count]) => [pool, count()] as const)
      return Object.fromEntries(counts.filter(([, count]) => count > 0))
    },
    ofOthers: (pool) => told.get(pool) ?? 0,
    isAny: () => told.size > 0,
    noteOthers(leases) {
      told = new Map()
      for (const { facts } of leases) {
        for (const [pool, count] of Object.entries(facts?.excess ?? {})) {
          told.set(pool, (told.get(pool) ?? 0) + count)
        }
      }
    },
  }
}
