/**
 * A membership: the leases that permits are divided among, as one process sees them, and what each one's part
 * of a pool is by it. Processes that see the same leases see the same membership, by its name.
 */
import type { WorkerLease } from "@safelight/core"
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
  return { name: sha256([`${round}\n`, ...parts]), members, round }
}

export function toShare(
  { members, round }: Membership,
  own: string,
  pool: string,
  size: number,
  channel: string | undefined,
): number {
  const sharing = members.filter(({ channels, isAble }) =>
    channel === undefined ? isAble : channels.has(channel),
  )
  const rank = sharing.findIndex(({ lease }) => lease === own)
  if (rank === -1) return 0
  const count = sharing.length
  const even = Math.floor(size / count)
  // What is left over goes to different leases for different pools.
  const first = (toHash(pool) + round) % count
  const isNext = (rank - first + count) % count < size % count
  return isNext ? even + 1 : even
}

/** FNV-1a: quick, and even enough to spread names. */
function toHash(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}
