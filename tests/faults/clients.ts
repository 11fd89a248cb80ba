/**
 * The round's clients: several callers, each of which takes the next planned request, has it made a task
 * and follows that for a while.
 */
import type { NewKey } from "@safelight/core"
import type { Activity } from "./activity.ts"
import { LOOKS, submit, watch, type Caller } from "./caller.ts"
import type { Target } from "./http-calls.ts"
import type { Ledger } from "./ledger.ts"
import type { Random } from "./random.ts"
import type { Plan } from "./requests.ts"
import { createServiceCalls } from "./service-calls.ts"
import type { Telling } from "./told.ts"

export interface Clients {
  /** Lets requests be made without a bound, until `calm`. */
  rush(): void
  /** Resolves when this many more requests have their 202. */
  more(count: number): Promise<void>
  /** Begins no new request; resolves when those under way have their 202 or are given up. */
  calm(): Promise<void>
  /** Gives up whatever is under way. */
  stop(): Promise<void>
  /** How often each status was answered; `none` where nothing was. */
  readonly answers: ReadonlyMap<string, number>
  /** What was answered and must never be. */
  readonly broken: readonly string[]
  /** Tasks that had their 202 and were not found afterwards. */
  readonly missing: ReadonlySet<string>
}

export interface ClientsOptions {
  readonly ledger: Ledger
  readonly activity: Activity
  readonly random: Random
  readonly plan: Plan
  readonly telling: Telling
  /** A key of the account that is believed to hold; undefined where there is none. */
  readonly keyOf: (account: string) => NewKey | undefined
  /** Nodes that are up as far as is known. */
  readonly targets: () => readonly Target[]
  readonly callers: number
}

/** So many requests, and one of them is cancelled. */
const CANCELLED_EACH = 3
/** By this look it is, if its task has not ended by then. */
const LAST_CANCELLED_LOOK = 3

/** So many requests, and the caller of one of them never saw its 202. */
export const UNSEEN_EACH = 8

export function createClients(options: ClientsOptions): Clients {
  const { ledger, activity, plan, random, telling } = options
  const stopping = new AbortController()
  const { answers, call } = createServiceCalls({ ...options, signal: stopping.signal })
  const missing = new Set<string>()
  const broken: string[] = []
  const caller: Caller = {
    call,
    ledger,
    activity,
    telling,
    broken,
    missing,
    signal: stopping.signal,
  }
  const waiting = { allowed: 0, made: 0, settled: 0 }

  async function work(): Promise<void> {
    for (;;) {
      await activity.until(() => waiting.made < waiting.allowed || stopping.signal.aborted)
      if (stopping.signal.aborted) return
      if (waiting.made >= waiting.allowed) continue
      waiting.made += 1
      await follow(waiting.made)
    }
  }

  async function follow(request: number): Promise<void> {
    const planned = plan(request)
    const task = await submit(caller, planned)
    // Under its key it gets the same task again.
    if (task !== undefined && request % UNSEEN_EACH === 0) await submit(caller, planned)
    waiting.settled += 1
    activity.note()
    const isCancelled = request % CANCELLED_EACH === 0
    const cancelledAt = isCancelled ? random.integer(0, LAST_CANCELLED_LOOK) : LOOKS
    if (task !== undefined) await watch(caller, planned, task, cancelledAt)
  }

  const callers = Array.from({ length: options.callers }, work)
  const ended = Promise.allSettled(callers)
  return {
    answers,
    broken,
    missing,
    rush() {
      waiting.allowed = Infinity
      activity.note()
    },
    more(count) {
      const goal = ledger.acceptedCount() + count
      return activity.until(() => ledger.acceptedCount() >= goal)
    },
    async calm() {
      waiting.allowed = waiting.made
      await activity.until(() => waiting.settled >= waiting.made)
    },
    async stop() {
      stopping.abort()
      activity.note()
      for (const outcome of await ended) {
        if (outcome.status === "rejected") broken.push(`a caller failed: ${String(outcome.reason)}`)
      }
    },
  }
}
