/**
 * The clock that an engine writes down and ends tasks by. Processes that share a database go by its
 * server's clock, so that no machine's wrong clock ends everybody's tasks. Where one host is all
 * there is, its own wall clock counts. If the clock jumps ahead while the process runs, no task is ended by it for
 * an hour, in which it can be set right. What is removed for good goes by `removal-clock.ts`.
 */
import { isSafelightError, type Clock, type Log, type Storage } from "@safelight/core"
import { createClockHold, toMoment, TOLERANCE_MS, type Sight } from "./clock-hold.ts"

export interface EngineClock extends Clock {
  /** The moment by which tasks are ended, ms; never ahead of `now`. */
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

/** How long a moment that was read serves: what two clocks drift apart in it is a millisecond. */
const REFRESH_MS = 20_000

export function createEngineClock({ clock, log, storage }: EngineClockPorts): EngineClock {
  const readClock = storage.readClock?.bind(storage)
  return readClock === undefined
    ? createHostClock(clock, log)
    : createDatabaseClock(clock, log, readClock)
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
  const judge = createJudge(clock, log)

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

  /** An outage is reported by what needs the storage; until it is over the last moment serves. */
  function refresh(): void {
    synchronise().catch((error: unknown) => {
      if (!isSafelightError(error)) log.error({ error }, "database clock not read")
    })
  }

  function now(): number {
    if (clock.monotonicNow() >= tryAt && reading === undefined) refresh()
    if (sight === undefined) return clock.now()
    return toMoment(sight, clock.monotonicNow())
  }

  return {
    now,
    // Before the first reading there is nothing to recognise a jump by.
    judgedNow: () => (sight === undefined ? now() : judge(now())),
    monotonicNow: () => clock.monotonicNow(),
    wait: (durationMs, signal) => clock.wait(durationMs, signal),
    synchronise,
    ready: async () => (sight === undefined ? synchronise() : undefined),
  }
}

/** Takes the clock's moments one after another; gives the one to judge by. */
function createJudge(
  clock: Pick<Clock, "monotonicNow">,
  log: Log,
  first?: number,
): (at: number) => number {
  let sight: Sight | undefined =
    first === undefined ? undefined : { at: first, seenAt: clock.monotonicNow() }
  const hold = createClockHold()

  return (at) => {
    const seenAt = clock.monotonicNow()
    const expectedAt = sight === undefined ? at : toMoment(sight, seenAt)
    const aheadMs = at - expectedAt
    const lead = { aheadMs, mayDifferMs: TOLERANCE_MS, seenAt }
    if (hold.isHeld(lead, () => log.warn({ aheadMs }, "clock jump"))) return expectedAt
    sight = { at, seenAt }
    return at
  }
}

function createHostClock(clock: Clock, log: Log): EngineClock {
  const judge = createJudge(clock, log, clock.now())
  return {
    now: () => clock.now(),
    judgedNow: () => judge(clock.now()),
    monotonicNow: () => clock.monotonicNow(),
    wait: (durationMs, signal) => clock.wait(durationMs, signal),
    async synchronise() {},
    async ready() {},
  }
}
