/**
 * The moment by which things are removed for good: bytes, inputs, idempotency keys. It is kept in the database, so
 * that a clock which is far ahead of it removes nothing for an hour, whether it jumps or was wrong already when the
 * process started. A service that was merely stopped looks the same: it removes an hour later. Nothing else waits.
 */
import type { Clock, Log, TaskStorage } from "@safelight/core"
import { createClockHold, toMoment, TOLERANCE_MS, type Sight } from "./clock-hold.ts"

export interface RemovalClock {
  /** Milliseconds; never far ahead of what was kept, unless that was so for an hour. Rejects where the storage fails. */
  now(): Promise<number>
  /** An operator's word that the clock is right: from now on it counts, for every process of the database. */
  trust(): Promise<void>
}

export interface RemovalClockPorts {
  /** The engine's own. */
  readonly clock: Pick<Clock, "monotonicNow" | "now"> & { synchronise(): Promise<void> }
  readonly log: Log
  readonly storage: Pick<TaskStorage, "keepJudgedMoment" | "readClock" | "readJudgedMoment">
}

/** A restart or an update takes less; what is removed this much too early was due all the same. */
const RESTART_MS = 600_000

const ADVICE =
  "if the clock is right, nothing needs to be done, or restart with `serve --trust-clock` to remove at once; if it is wrong, set it right within the hour"

export function createRemovalClock({ clock, log, storage }: RemovalClockPorts): RemovalClock {
  const look = (): Sight => ({ at: clock.now(), seenAt: clock.monotonicNow() })
  /** What a new database has in place of a kept moment; a database's clock was not read yet. */
  const start = storage.readClock === undefined ? look() : undefined
  /** The last moment that was judged by, and when that was on the monotonic clock. */
  let sight: Sight | undefined
  const hold = createClockHold()

  /** What the clock may show; undefined: nothing is known of earlier moments. */
  function toExpected(kept: number | null, seenAt: number): number | undefined {
    const seen = sight ?? (kept === null ? start : undefined)
    const own = seen && toMoment(seen, seenAt)
    if (own === undefined || kept === null) return own ?? kept ?? undefined
    return Math.max(own, kept)
  }

  function isHeld({ at, seenAt }: Sight, expectedAt: number): boolean {
    const mayDifferMs = sight === undefined ? RESTART_MS : TOLERANCE_MS
    const aheadMs = at - expectedAt
    return hold.isHeld({ aheadMs, mayDifferMs, seenAt }, () =>
      log.warn({ aheadMs, now: at, lastKept: expectedAt, advice: ADVICE }, "removal held back"),
    )
  }

  return {
    async now() {
      await clock.synchronise()
      const kept = await storage.readJudgedMoment()
      const seen = look()
      const expectedAt = toExpected(kept, seen.seenAt)
      const judgedAt = expectedAt !== undefined && isHeld(seen, expectedAt) ? expectedAt : seen.at
      sight = { at: judgedAt, seenAt: seen.seenAt }
      await storage.keepJudgedMoment(judgedAt)
      return judgedAt
    },
    async trust() {
      await clock.synchronise()
      sight = look()
      hold.end()
      await storage.keepJudgedMoment(sight.at)
    },
  }
}
