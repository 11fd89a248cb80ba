/**
 * A clock that stands still until a test moves it. `advance` settles promise reactions between one
 * due wait and the next, not I/O: what a file, a socket or a thread answers has to be waited for by
 * its condition.
 */
import { setImmediate } from "node:timers"
import type { AbortSignalLike, Clock } from "@safelight/core"

export interface ManualClock extends Clock {
  /**
   * Moves both clocks on by `durationMs` and resolves the waits that fall due on the way, each at
   * its own moment, in order of due time, then of registration; waits that a reaction registers on
   * the way are among them. Calls made at once add up. Resolves when the last reactions have run.
   */
  advance(durationMs: number): Promise<void>
  /** Moves the wall clock alone by whole milliseconds, back too; no wait notices. */
  jump(durationMs: number): void
  /** How many waits are neither due nor aborted. */
  pendingWaits(): number
}

export interface ManualClockOptions {
  /** Milliseconds since the Unix epoch, an integer. */
  readonly now?: number
}

interface Wait {
  readonly dueMs: number
  readonly resolve: () => void
}

/** 2026-01-01T00:00:00Z: any moment does, but two runs have to see the same. */
const DEFAULT_NOW = 1_767_225_600_000

export function createManualClock(options: ManualClockOptions = {}): ManualClock {
  let wallStartAt = integer("now", options.now ?? DEFAULT_NOW)
  let elapsedMs = 0
  let advancing = Promise.resolve()
  /** In order of registration. */
  const waits = new Set<Wait>()

  async function moveOn(durationMs: number): Promise<void> {
    const targetMs = elapsedMs + durationMs
    await settle()
    for (;;) {
      const next = findNext(waits, targetMs)
      if (next === undefined) break
      elapsedMs = next.dueMs
      next.resolve()
      // Its reactions see its moment, and may register a wait that falls due before the next one.
      // oxlint-disable-next-line no-await-in-loop
      await settle()
    }
    elapsedMs = targetMs
    await settle()
  }

  return {
    now: () => Math.floor(wallStartAt + elapsedMs),
    monotonicNow: () => elapsedMs,
    wait(durationMs, signal) {
      if (Number.isNaN(durationMs)) throw new RangeError("a wait needs a duration")
      if (durationMs <= 0 || signal?.aborted === true) return Promise.resolve()
      return addWait(waits, elapsedMs + durationMs, signal)
    },
    advance(durationMs) {
      if (!(durationMs >= 0 && durationMs < Infinity)) {
        throw new RangeError("a manual clock advances by a finite duration, never back")
      }
      advancing = advancing.then(() => moveOn(durationMs))
      return advancing
    },
    jump(durationMs) {
      wallStartAt += integer("durationMs", durationMs)
    },
    pendingWaits: () => waits.size,
  }
}

function addWait(waits: Set<Wait>, dueMs: number, signal?: AbortSignalLike): Promise<void> {
  return new Promise((resolve) => {
    const wait = { dueMs, resolve: finish }
    function finish(): void {
      waits.delete(wait)
      signal?.removeEventListener("abort", finish)
      resolve()
    }
    waits.add(wait)
    signal?.addEventListener("abort", finish, { once: true })
  })
}

/** The wait that falls due first, up to and including `targetMs`; the oldest of several. */
function findNext(waits: ReadonlySet<Wait>, targetMs: number): Wait | undefined {
  let next: Wait | undefined
  for (const wait of waits) {
    if (wait.dueMs <= targetMs && (next === undefined || wait.dueMs < next.dueMs)) next = wait
  }
  return next
}

/** An immediate runs only when no promise reaction is left. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function integer(name: string, value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} must be an integer`)
  return value
}
