/**
 * A clock for an engine that talks over real sockets: it stands still while anything is under way
 * outside (an answer, a download, a measurement) and jumps to the next moment somebody waits for once
 * nothing is. An hour of polls then takes as long as its answers do, and no machine is too slow. What
 * would be missed: a stub that holds an answer back on purpose waits by this clock too, so such an
 * answer doesn't count as under way. What a stub does aside holds no answer back, and must not count so.
 */
import { setImmediate as turn } from "node:timers/promises"
import type { AbortSignalLike, Clock } from "@safelight/core"
import type { AsideClock } from "@safelight/testkit/stubs"

export interface DrivenClock extends Clock {
  /** The same time for a stub, whose waits hold answers back. */
  readonly stub: Clock
  /** The same time for what a stub does aside: it stands still while a webhook is on its way. */
  readonly aside: AsideClock
  /** Time stands still until the call is over. */
  during<Result>(this: void, call: () => Promise<Result>): Promise<Result>
  /** Within a call under way: what is done meanwhile doesn't count, or counts itself. */
  uncounted<Result>(call: () => Promise<Result>): Promise<Result>
  /** Lets so much time pass. */
  pass(durationMs: number): Promise<void>
  /** Lets time pass until the condition holds. Throws if nobody waits for anything any more. */
  runUntil(condition: () => boolean): Promise<void>
  /** How many still wait after so long, but for stubs. */
  countWaitsAfter(durationMs: number): Promise<number>
}

/** A wait of the engine's, one that holds an answer back, or one of a stub's that nobody waits for. */
type WaitKind = "engine" | "answer" | "aside"

interface Wait {
  readonly dueMs: number
  readonly end: () => void
  readonly kind: WaitKind
}

export function createDrivenClock(): DrivenClock {
  // Now, since an HTTP client reads dates by the machine's clock.
  const startAt = Date.now()
  const waits = new Set<Wait>()
  let elapsedMs = 0
  let callsUnderWay = 0
  let changed = Promise.withResolvers<void>()

  function notice(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  function wait(kind: WaitKind, durationMs: number, signal?: AbortSignalLike): Promise<void> {
    if (signal?.aborted === true || durationMs <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const own: Wait = { dueMs: elapsedMs + durationMs, end, kind }
      function end(): void {
        waits.delete(own)
        signal?.removeEventListener("abort", end)
        resolve()
        notice()
      }
      waits.add(own)
      signal?.addEventListener("abort", end, { once: true })
      notice()
    })
  }

  function count(kind: WaitKind): number {
    return [...waits].filter((each) => each.kind === kind).length
  }

  /** Resolves once nothing goes on that does not wait for this clock. */
  async function settle(): Promise<void> {
    for (;;) {
      // Promise reactions of what has just ended, which may begin something new.
      await turn()
      await turn()
      if (callsUnderWay <= count("answer")) return
      await changed.promise
    }
  }

  const read = { now: () => Math.floor(startAt + elapsedMs), monotonicNow: () => elapsedMs }

  async function runUntil(condition: () => boolean): Promise<void> {
    for (;;) {
      await settle()
      if (condition()) return
      const [next] = [...waits].toSorted((one, other) => one.dueMs - other.dueMs)
      if (next === undefined) throw new Error("nothing is under way, and nobody waits")
      elapsedMs = Math.max(elapsedMs, next.dueMs)
      next.end()
    }
  }

  async function pass(durationMs: number): Promise<void> {
    const endMs = elapsedMs + durationMs
    void wait("aside", durationMs)
    await runUntil(() => elapsedMs >= endMs)
  }

  async function during<Result>(call: () => Promise<Result>): Promise<Result> {
    callsUnderWay += 1
    try {
      return await call()
    } finally {
      callsUnderWay -= 1
      notice()
    }
  }

  return {
    ...read,
    runUntil,
    pass,
    wait: (durationMs, signal) => wait("engine", durationMs, signal),
    stub: { ...read, wait: (durationMs, signal) => wait("answer", durationMs, signal) },
    aside: { ...read, wait: (durationMs, signal) => wait("aside", durationMs, signal), during },
    during,
    async uncounted(call) {
      callsUnderWay -= 1
      notice()
      try {
        return await call()
      } finally {
        callsUnderWay += 1
      }
    },
    async countWaitsAfter(durationMs) {
      await pass(durationMs)
      return count("engine")
    },
  }
}
