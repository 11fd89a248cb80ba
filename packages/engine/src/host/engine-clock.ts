/**
 * The clock that an engine writes down and judges by. Processes that share a database go by its
 * server's clock, so that no machine's wrong clock ends everybody's tasks. Where one host is all
 * there is, its own wall clock counts; if that jumps ahead, nothing is ended or deleted by it for an
 * hour, in which somebody can set it right.
 */
import { isSafelightError, type Clock, type Log, type Storage } from "@safelight/core"

export interface EngineClock extends Clock {
  /** The moment by which tasks are ended and things deleted, ms; never ahead of `now`. */
  judgedNow(): number
  /** Compares with the database's clock, where there is one. Rejects where the storage fails. */
  synchronise(): Promise<void>
  /** The same, unless that was done once: from then on it is done by itself, in the background. */
  ready(): Promise<void>
}

export interface EngineClockPorts {
  readonly clock: Clock
  readonly log: Log
  readonly storage: Pick<Storage, "readClock">
}

/** Clocks of machines that are looked after differ by milliseconds; more than this is a fault. */
const TOLERANCE_MS = 30_000

/** How long a moment that was read serves: what two clocks drift apart in it is a millisecond. */
const REFRESH_MS = 20_000

/** How long a jump of the wall clock is taken for a mistake. */
const HOLD_MS = 3_600_000

export function createEngineClock({ clock, log, storage }: EngineClockPorts): EngineClock {
  const readClock = storage.readClock?.bind(storage)
  return readClock === undefined
    ? createHostClock(clock, log)
    : createDatabaseClock(clock, log, readClock)
}

/** A wall clock's moment, and when it was seen on the monotonic clock. */
interface Sight {
  readonly at: number
  readonly seenAt: number
}

function createDatabaseClock(
  clock: Clock,
  log: Log,
  readClock: () => Promise<number>,
): EngineClock {
  let sight: Sight | undefined
  let isApart = false
  let reading: Promise<void> | undefined
  let tryAt = 0

  function warn(differenceMs: number): void {
    const wasApart = isApart
    isApart = Math.abs(differenceMs) > TOLERANCE_MS
    if (isApart && !wasApart) {
      log.warn({ differenceMs }, "clock difference")
    }
  }

  async function read(): Promise<void> {
    const askedAt = clock.monotonicNow()
    tryAt = askedAt + REFRESH_MS
    const at = await readClock()
    const answeredAt = clock.monotonicNow()
    sight = { at, seenAt: (askedAt + answeredAt) / 2 }
    warn(clock.now() - now())
  }

  function synchronise(): Promise<void> {
    reading ??= read().finally(() => (reading = undefined))
    return reading
  }

  /** An outage is told by what needs the storage; until it is over the last moment serves. */
  function refresh(): void {
    synchronise().catch((error: unknown) => {
      if (!isSafelightError(error)) log.error({ error }, "database clock not read")
    })
  }

  function now(): number {
    if (clock.monotonicNow() >= tryAt && reading === undefined) refresh()
    if (sight === undefined) return clock.now()
    return Math.floor(sight.at + clock.monotonicNow() - sight.seenAt)
  }

  return {
    now,
    judgedNow: now,
    monotonicNow: () => clock.monotonicNow(),
    wait: (durationMs, signal) => clock.wait(durationMs, signal),
    synchronise,
    ready: async () => (sight === undefined ? synchronise() : undefined),
  }
}

function createHostClock(clock: Clock, log: Log): EngineClock {
  let sight: Sight = { at: clock.now(), seenAt: clock.monotonicNow() }
  /** When the jump was noticed that is being waited out, on the monotonic clock. */
  let jumpedAt: number | undefined

  function judgedNow(): number {
    const at = clock.now()
    const seenAt = clock.monotonicNow()
    const expectedAt = Math.floor(sight.at + seenAt - sight.seenAt)
    const isAhead = at - expectedAt > TOLERANCE_MS
    if (isAhead && jumpedAt === undefined) {
      jumpedAt = seenAt
      log.warn({ aheadMs: at - expectedAt }, "clock jump")
    }
    if (isAhead && seenAt - (jumpedAt ?? seenAt) < HOLD_MS) return expectedAt
    sight = { at, seenAt }
    jumpedAt = undefined
    return at
  }

  return {
    now: () => clock.now(),
    judgedNow,
    monotonicNow: () => clock.monotonicNow(),
    wait: (durationMs, signal) => clock.wait(durationMs, signal),
    async synchronise() {},
    async ready() {},
  }
}
