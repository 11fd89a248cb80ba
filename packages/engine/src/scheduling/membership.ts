/**
 * A membership: the leases that permits are divided among, as one process sees them, and each one's turn by it.
 * Processes that see the same leases see the same membership, by its name.
 */
import type { Turn, WorkerLease } from "@safelight/core"
import { sha256 } from "../host/sha256.ts"

export interface Member {
  readonly lease: string
  readonly channels: ReadonlySet<string>
  readonly isAble: boolean
}

export interface Membership {
  readonly name: string
  readonly members: readonly Member[]
  readonly round: number
}

/** Before the first agreement. */
export const NOBODY: Membership = { name: "", members: [], round: 0 }

/** Whether all have the same channels. */
export function areAlike(members: readonly Member[]): boolean {
  return new Set(members.map(({ channels }) => [...channels].toSorted().join("\n"))).size === 1
}

/** The rule by which pools are divided: processes that divide by different ones never agree on a membership. */
const RULE = 2

export function toMembership(leases: readonly WorkerLease[]): Membership {
  const sorted = leases.toSorted((one, other) => (one.lease < other.lease ? -1 : 1))
  const known = sorted.flatMap(({ facts, lease }) => (facts === undefined ? [] : { facts, lease }))
  const members = known.map(({ facts: { channels, isAble }, lease }) => ({
    lease,
    channels: new Set(channels),
    isAble,
  }))
  const round = known[0]?.facts.round ?? 0
  const parts = members.map(({ isAble, lease }) => `${lease} ${isAble}\n`)
  return { name: sha256([`${RULE} ${round}\n`, ...parts]), members, round }
}

/** What this process divides a pool by; undefined if it gets none. `channel`: of a channel's pool, the channel. */
export function toTurn(
  { members, round }: Membership,
  own: string,
  channel: string | undefined,
): Turn | undefined {
  const sharing = members.filter(({ channels, isAble }) =>
    channel === undefined ? isAble : channels.has(channel),
  )
  const rank = sharing.findIndex(({ lease }) => lease === own)
  const count = sharing.length
  return rank === -1 ? undefined : { index: (rank + round) % count, count }
}
