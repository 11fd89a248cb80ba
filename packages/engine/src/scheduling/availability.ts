/**
 * Which models can be made now, by the channels of all processes that work on tasks, and why the others can't.
 * A process that makes a model itself looks nowhere. Any other one looks at the leases and the pauses, and goes by
 * what it saw for some seconds; only a look of just now refuses anything. What isn't known refuses nothing: while
 * the storage can't be read, while a process of an older release works that doesn't tell its models, and for a
 * lease's time where nobody works. A process counts for a lease's time after its last heartbeat was seen, also if
 * it has left: another one is about to take its place. A breaker that is open is no reason.
 *
 *   nothing seen ─look→ known ─5 s→ looked at again beside the next request ─15 s→ that request waits for the look
 */
import type { UnavailableReason, WorkerLease } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { seeLeases, toSightEnd, type LeaseSight } from "../ownership/lease-sights.ts"

export interface Availability {
  /** Why nobody can make the model now; undefined if somebody can, or if it is not known. */
  findReason(model: string): Promise<UnavailableReason | undefined>
  /** The models of this engine that nobody can make now, and why. */
  listUnavailable(): Promise<ReadonlyMap<string, UnavailableReason>>
}

export type AvailabilityPorts = Pick<
  Context,
  "clock" | "log" | "models" | "routing" | "settings" | "storage"
>

/** As often as processes say that they are there. */
const RENEW_MS = 5_000
/** What was seen counts so long, if nobody asked meanwhile. */
const KNOWN_MS = 15_000
/** A refusal, and what people read, is no older. It bounds how often refused requests have the storage read. */
const FRESH_MS = 1_000

export function createAvailability(
  ports: AvailabilityPorts,
  /** Whether this process works on tasks. */
  isWorking: () => boolean,
): Availability {
  const { clock, models, routing, settings } = ports
  const { renew, seen } = createWatch(ports)

  const isMadeHere = (model: string): boolean => isWorking() && routing.isOffered(model)

  function judge(model: string): UnavailableReason | undefined {
    const { channels: all, isAnybodyThere, isUnsure, nobodySince, paused } = seen()
    if (isUnsure || isMadeHere(model)) return undefined
    const channels = [...(all.get(model) ?? []), ...(isWorking() ? routing.listMakers(model) : [])]
    if (channels.length > 0) {
      return channels.every((name) => paused.has(name)) ? "paused" : undefined
    }
    if (isAnybodyThere || isWorking()) return "no_channel"
    return clock.monotonicNow() - nobodySince < settings.leaseMs ? undefined : "no_worker"
  }

  return {
    async findReason(model) {
      if (isMadeHere(model)) return undefined
      await renew(KNOWN_MS)
      if (judge(model) === undefined) {
        void renew(RENEW_MS)
        return undefined
      }
      // Nothing is refused by what was seen before the storage failed.
      return (await renew(FRESH_MS)) ? judge(model) : undefined
    },
    async listUnavailable() {
      const asked = [...models.keys()].filter((model) => !isMadeHere(model))
      if (asked.length === 0 || !(await renew(FRESH_MS))) return new Map()
      const reasons = asked.map((model) => [model, judge(model)] as const)
      return new Map(reasons.flatMap(([model, reason]) => (reason ? [[model, reason]] : [])))
    },
  }
}

/** What was seen last. */
interface Watch {
  readonly seen: () => Seen
  /**
   * Resolves to whether what was seen is no older than this: it looks again if it has to, and fails to if the storage
   * can't be read. It counts as that old however long a busy process takes to go on from here. Never rejects.
   */
  readonly renew: (oldestMs: number) => Promise<boolean>
}

function createWatch({ clock, log, storage }: AvailabilityPorts): Watch {
  const sights = createSights()
  let seen = NOTHING
  let seenAt = -Infinity
  let triedAt = -Infinity
  let isLost = false
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    triedAt = clock.monotonicNow()
    try {
      const [leases, pauses] = await Promise.all([
        storage.listLeases(),
        storage.listPausedChannels(),
      ])
      const paused = new Set(pauses.map(({ channel }) => channel))
      seenAt = clock.monotonicNow()
      seen = { ...sights.note(leases, seenAt), paused }
      isLost = false
    } catch (error) {
      if (!isLost) log.warn({ error }, "availability not read")
      isLost = true
    } finally {
      looking = undefined
    }
  }

  return {
    seen: () => seen,
    async renew(oldestMs) {
      const now = clock.monotonicNow()
      if (now - seenAt < oldestMs) return true
      // A storage that fails is not asked by each request.
      if (looking === undefined && now - triedAt < FRESH_MS) return false
      await (looking ??= look())
      return !isLost
    },
  }
}

/** What one look shows. */
interface Seen {
  /** By model: the channels that make it, of all processes. */
  readonly channels: ReadonlyMap<string, ReadonlySet<string>>
  readonly paused: ReadonlySet<string>
  readonly isAnybodyThere: boolean
  /** Since when no process was seen, on the monotonic clock. */
  readonly nobodySince: number
  /** Whether nothing was seen yet, or a process has channels and does not tell which models they make. */
  readonly isUnsure: boolean
}

const NOTHING: Seen = {
  channels: new Map(),
  paused: new Set(),
  isAnybodyThere: false,
  nobodySince: 0,
  isUnsure: true,
}

interface Sights {
  readonly note: (leases: readonly WorkerLease[], now: number) => Omit<Seen, "paused">
}

function createSights(): Sights {
  let sights: ReadonlyMap<string, LeaseSight> = new Map()
  let nobodySince: number | undefined
  return {
    note(leases, now) {
      const all = new Map([...sights, ...seeLeases(sights, leases, now)])
      sights = new Map(
        [...all].filter(([, sight]) => sight.facts !== undefined && now < toSightEnd(sight)),
      )
      if (sights.size > 0) nobodySince = undefined
      else nobodySince ??= now
      return {
        channels: toChannels([...sights.values()]),
        isAnybodyThere: sights.size > 0,
        nobodySince: nobodySince ?? now,
        isUnsure: [...sights.values()].some(
          ({ facts }) => facts?.models === undefined && (facts?.channels.length ?? 0) > 0,
        ),
      }
    },
  }
}

function toChannels(sights: readonly LeaseSight[]): ReadonlyMap<string, ReadonlySet<string>> {
  const channels = new Map<string, Set<string>>()
  for (const { facts } of sights) {
    for (const [channel, models] of Object.entries(facts?.models ?? {})) {
      for (const model of models) {
        const makers = channels.get(model) ?? new Set()
        channels.set(model, makers.add(channel))
      }
    }
  }
  return channels
}
