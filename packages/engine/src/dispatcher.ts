/**
 * Who works on what: two loops, one that takes tasks from the queue when something wakes it, when
 * the next one is due, and at every idle poll; and one that keeps the claims alive. Polling alone
 * is correct, wake-ups make it fast.
 */
import type { Clock, ParameterValues, StreamHead } from "@safelight/core"
import type { Context } from "./context.ts"
import { createHoldings, type Holdings } from "./holdings.ts"
import { createQueueReader, type HandOff } from "./queue-reader.ts"
import { toBackoffMs } from "./settings.ts"
import { createWork } from "./work.ts"

export interface Dispatcher {
  start(): void
  /** Looks at the queue soon. */
  wake(): void
  /** A claim in advance for a task about to be submitted here; undefined: it must queue. */
  offer(model: string): HandOff | undefined
  /** Takes back an offer that no task came of: what waited for its slot may have it. */
  withdraw(offer: HandOff, model: string): void
  /** Begins the work of an accepted hand-off; resolves when this process is done with it. */
  accept(offer: HandOff, head: StreamHead, parameters: ParameterValues): Promise<void>
  /** Lets running work finish for up to `graceMs`, then hands the rest back. */
  stop(graceMs: number): Promise<void>
}

export function createDispatcher(context: Context, models: readonly string[]): Dispatcher {
  const { clock, settings, storage } = context
  const claim = context.identifiers.createTaskId(clock.now())
  const stopping = new AbortController()
  /** Claims are kept alive until the last work is done, also while stopping. */
  const stopped = new AbortController()
  const alarm = createAlarm(clock)
  const holdings = createHoldings(context, claim, noteFreeSlot)
  const reader = createQueueReader(context, models, claim, (work) => void holdings.begin(work))
  let claiming: Promise<void> | undefined
  let renewing: Promise<void> | undefined

  function noteFreeSlot(model: string): void {
    if (reader.hasBacklog(model)) alarm.ring()
  }

  async function claimLoop(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted;) {
      try {
        const pauseMs = await reader.read()
        failures = 0
        if (pauseMs > 0) await alarm.wait(pauseMs)
      } catch (error) {
        failures += 1
        context.log.error({ error }, "the queue could not be read")
        await clock.wait(toBackoffMs(settings, failures), stopping.signal)
      }
    }
  }

  context.recorder.onEachFinished(({ id }) => holdings.callOff(id))
  return {
    start() {
      claiming ??= claimLoop()
      renewing ??= renewUntil(stopped.signal, context, holdings)
    },
    wake: () => alarm.ring(),
    offer: (model) =>
      stopping.signal.aborted || claiming === undefined ? undefined : reader.offer(model),
    withdraw({ slot }, model) {
      slot.free()
      noteFreeSlot(model)
    },
    accept: ({ term, slot, heldUntil }, head, parameters) =>
      holdings.begin(
        createWork(head, { claim: term.claim, heldUntil }, clock, { slot, parameters }),
      ),
    async stop(graceMs) {
      stopping.abort()
      alarm.ring()
      await claiming
      const tasks = await holdings.windDown(graceMs)
      stopped.abort()
      await renewing
      if (tasks.length > 0) await storage.release({ claim, tasks, dueAt: clock.now() })
    },
  }
}

async function renewUntil(
  stopped: AbortSignal,
  { clock, log, settings }: Context,
  holdings: Holdings,
): Promise<void> {
  while (!stopped.aborted) {
    // Two renewals may fail before a claim runs out.
    await clock.wait(settings.claimMs / 3, stopped)
    try {
      await holdings.renew()
    } catch (error) {
      log.error({ error }, "claims could not be renewed")
    }
  }
}

/** A pause that can be cut short; a ring between two waits cuts the next one. */
function createAlarm(clock: Clock): { ring(): void; wait(durationMs: number): Promise<void> } {
  let rung = new AbortController()
  return {
    ring() {
      // An abort makes an exception with a stack, even when there was one before.
      if (!rung.signal.aborted) rung.abort()
    },
    async wait(durationMs) {
      await clock.wait(durationMs, rung.signal)
      if (rung.signal.aborted) rung = new AbortController()
    },
  }
}
