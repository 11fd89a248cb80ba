/**
 * Keeping this process's claims alive, and looking after those of others, three times in the life
 * of a claim. Work whose claim is lost is called off in the same breath as the others are told that
 * they are still held; the moment they are held until is counted from before the renewal was sent.
 * A retired claim lives on for the work under it; tasks under it that nobody here works on are freed.
 *
 *   beat ───── beat ───── beat ─────    each timed from the start of the one before
 *     └ slots, returns ────────┘ └ …    beside them, one run at a time: no beat waits for it
 */
import type { ClaimWatch } from "./claim-watch.ts"
import type { Context } from "./context.ts"
import { persist } from "./persist.ts"
import { toBackoffMs } from "./settings.ts"
import type { Work } from "./work.ts"

export interface RenewalParts {
  readonly watch: ClaimWatch
  /** All work that is held, parked work too. */
  readonly listWork: () => readonly Work[]
  /** Says again which slots are held. */
  readonly repeatSlots: () => Promise<void>
  /** Others' tasks are free to be taken. */
  readonly onFreed: () => void
}

export interface Renewal {
  /** One beat. Rejects where the storage fails; what was renewed by then is. */
  run(): Promise<void>
  /** Beat upon beat until `stopped`, and what goes beside them. */
  runUntil(stopped: AbortSignal): Promise<void>
}

export function createRenewal(context: Context, parts: RenewalParts): Renewal {
  const { claims, clock, log, returns, settings, storage } = context

  async function renew(claim: string, held: readonly Work[]): Promise<void> {
    const startedAt = clock.monotonicNow()
    const kept = new Set(await storage.renew({ claim, tasks: held.map(({ id }) => id) }))
    claims.noteRenewed(claim, startedAt)
    for (const work of held) {
      if (kept.has(work.id)) work.heldUntil = startedAt + settings.claimMs
      else work.controller.abort()
    }
  }

  async function run(): Promise<void> {
    claims.rotate()
    const byClaim = Map.groupBy(parts.listWork(), ({ claim }) => claim)
    const over = [...byClaim].filter(([claim]) => claims.isOver(claim))
    const own = new Set([claims.tasks().id, claims.slots.id, ...byClaim.keys()])
    for (const claim of own) await renew(claim, byClaim.get(claim) ?? [])
    for (const [claim, held] of over) {
      await storage.freeOthers({ claim, tasks: held.map(({ id }) => id) })
    }
    // What began meanwhile counts too.
    const isOwn = (id: string): boolean =>
      own.has(id) || parts.listWork().some(({ claim }) => claim === id)
    if ((await parts.watch.look(isOwn)) > 0) parts.onFreed()
  }

  /** Beats until `stopped`; `onBeat` after each that went through. */
  async function beatUntil(stopped: AbortSignal, onBeat: () => void): Promise<void> {
    const everyMs = settings.claimMs / 3
    let pauseMs = everyMs
    for (let failures = 0; ;) {
      await clock.wait(pauseMs, stopped)
      if (stopped.aborted) return
      const startedAt = clock.monotonicNow()
      try {
        await run()
        failures = 0
        onBeat()
        pauseMs = Math.max(0, startedAt + everyMs - clock.monotonicNow())
      } catch (error) {
        failures += 1
        log.error({ error }, "heartbeat failed")
        // Tried again soon: what is left of the claim is for working.
        pauseMs = Math.min(everyMs / 2, toBackoffMs(settings, failures))
      }
    }
  }

  return {
    run,
    async runUntil(stopped) {
      const slots = createErrand(context, parts.repeatSlots, stopped)
      const owed = createErrand(context, () => returns.settle(), stopped)
      await beatUntil(stopped, () => {
        slots.begin()
        owed.begin()
      })
      await slots.done()
      await owed.done()
      // Once more: what this process still owes, others would have to wait for as for a dead one's.
      owed.begin()
      await owed.done()
    },
  }
}

/** What goes beside the beats. */
interface Errand {
  /** Begins it, unless it is under way. */
  begin(): void
  /** Resolves when it is not under way; never rejects. */
  done(): Promise<void>
}

/** A failure that passes is over by then; after any other the next beat begins anew. */
const TRIES = 3

function createErrand(context: Context, call: () => Promise<void>, stopped: AbortSignal): Errand {
  let running: Promise<void> | undefined
  async function goOnce(): Promise<void> {
    try {
      await persist(context, call, stopped, TRIES)
    } catch (error) {
      context.log.error({ error }, "heartbeat duty failed")
    } finally {
      running = undefined
    }
  }
  return {
    begin() {
      running ??= goOnce()
    },
    async done() {
      await running
    },
  }
}
