/**
 * Who works on what: two loops, one that takes tasks from the queue when something wakes it, when
 * the next one is due, and at every idle poll; and one that keeps the claims alive. Polling alone
 * is correct, wake-ups make it fast.
 */
import { isSafelightError, type ParameterValues, type StreamHead } from "@safelight/core"
import { createAccountBounds } from "./account-bounds.ts"
import { createAccountShares, type AccountShares } from "./account-shares.ts"
import { createAlarm, type Alarm } from "./alarm.ts"
import { createClaimWatch } from "./claim-watch.ts"
import type { Context } from "./context.ts"
import type { AskedFor } from "./eligibility.ts"
import { createHoldings, type Holdings } from "./holdings.ts"
import { toModelGroups, type ModelGroup } from "./model-groups.ts"
import { createQueueReader, type HandOff, type QueueReader } from "./queue-reader.ts"
import { createRenewal, type Renewal } from "./renewal.ts"
import { toBackoffMs } from "./settings.ts"
import { createTurns, type Turns } from "./turns.ts"
import { createWork, type Work } from "./work.ts"

export interface Dispatcher {
  start(): void
  /** Looks at the queue soon. */
  readonly wake: () => void
  /** Has whichever process holds the task poll it soon; one that is told by another may miss it. */
  readonly wakeHolder: (task: string) => void
  /** Where a task about to be submitted shall stand. */
  reserve(request: AskedFor, account: string): Promise<Reservation>
  /** Takes back an offer that no task came of: what waited for its slot may have it. */
  withdraw(offer: HandOff): void
  /** The same where it is unknown whether `task` came of it. */
  disown(offer: HandOff, task: string): Promise<void>
  /** Whether this process works on `task` now. */
  worksOn(task: string): boolean
  /** Begins the work of an accepted hand-off; resolves when this process is done with it. */
  accept(offer: HandOff, head: StreamHead, parameters: ParameterValues): Promise<void>
  /** Lets running work finish for up to `graceMs`, then hands the rest back. */
  stop(graceMs: number): Promise<void>
}

export type Reservation =
  /** With this process, at once. */
  | { readonly kind: "here"; readonly offer: HandOff }
  /** In the queue, at its turn. */
  | { readonly kind: "queue"; readonly turn: number }

interface Parts {
  readonly alarm: Alarm
  readonly groups: readonly ModelGroup[]
  readonly holdings: Holdings
  /** Starts that were claimed and wait here for their account. */
  readonly listParked: () => readonly Work[]
  readonly reader: QueueReader
  readonly renewal: Renewal
  readonly shares: AccountShares
  readonly turns: Turns
}

export function createDispatcher(context: Context, models: readonly string[]): Dispatcher {
  const { claims, clock, returns, storage } = context
  const stopping = new AbortController()
  /** Claims are kept alive until the last work is done, also while stopping. */
  const stopped = new AbortController()
  const parts = createParts(context, models)
  const { alarm, groups, holdings, reader, renewal, shares, turns } = parts
  let claiming: Promise<void> | undefined
  let renewing: Promise<void> | undefined
  let stopListening: (() => void) | undefined

  function withdraw({ slot, model, account, taking }: HandOff): void {
    taking.end()
    slot.free()
    if (reader.hasBacklog(model, account)) alarm.ring()
  }

  context.recorder.onEachFinished(({ id }) => holdings.callOff(id))
  return {
    start() {
      if (claiming !== undefined) return
      claiming = claimUntil(stopping.signal, context, { alarm, reader, renewal })
      renewing = renewal.runUntil(stopped.signal)
      stopListening = listen(storage, parts)
    },
    wake: () => alarm.ring(),
    wakeHolder(task) {
      if (!holdings.wake(task)) storage.wakeHolder?.(task)
    },
    async reserve(request, account) {
      const share = shares.known(account) ?? (await shares.find(account))
      const isWorking = claiming !== undefined && !stopping.signal.aborted
      const offer = isWorking ? reader.offer(request, account, share) : undefined
      if (offer !== undefined) return { kind: "here", offer }
      const { model } = request
      const group = groups.find((each) => each.models.includes(model))
      if (group === undefined) throw new TypeError(`model ${model} is not served here`)
      return { kind: "queue", turn: await turns.give(group, account, share.weight) }
    },
    worksOn: (task) => holdings.has(task),
    withdraw,
    async disown(offer, task) {
      withdraw(offer)
      const { claim } = offer.taking
      claims.retire(claim)
      await returns.release({ claim, tasks: [task], dueAt: clock.now() })
    },
    accept({ slot, taking }, head, parameters) {
      return begin(holdings, taking, createWork(head, taking, clock, { slot, parameters }))
    },
    async stop(graceMs) {
      stopping.abort()
      stopListening?.()
      alarm.ring()
      await claiming
      const left = await holdings.windDown(graceMs)
      stopped.abort()
      await renewing
      await returns.releaseAll(left, clock.now())
      if (claiming !== undefined) await leave(context, [...left, ...parts.listParked()])
    },
  }
}

function begin(holdings: Holdings, taking: HandOff["taking"], work: Work): Promise<void> {
  const done = holdings.begin(work)
  taking.end()
  return done
}

/** For what other processes tell. */
function listen(
  storage: Context["storage"],
  { alarm, holdings }: Pick<Parts, "alarm" | "holdings">,
): () => void {
  const stopQueue = storage.onQueued?.(() => alarm.ring())
  const stopHolder = storage.onHolderWoken?.((task) => holdings.wake(task))
  return () => {
    stopQueue?.()
    stopHolder?.()
  }
}

function createParts(context: Context, models: readonly string[]): Parts {
  const { channels, clock, routing } = context
  const alarm = createAlarm(clock)
  const groups = toModelGroups(models, channels)
  const turns = createTurns(context)
  const shares = createAccountShares(context)
  const bounds = createAccountBounds(context, shares)
  const holdings = createHoldings(context, (model, account) => {
    if (reader.hasBacklog(model, account)) alarm.ring()
  })
  const reader = createQueueReader(context, {
    groups,
    turns,
    shares,
    bounds,
    begin: (work) => void holdings.begin(work),
  })
  const listParked = (): readonly Work[] => bounds.listParked()
  const renewal = createRenewal(context, {
    watch: createClaimWatch(context),
    listWork: () => [...holdings.list(), ...listParked()],
    async repeatSlots() {
      await routing.repeat()
      await bounds.repeat()
    },
    onFreed: () => alarm.ring(),
  })
  return { alarm, groups, holdings, listParked, reader, renewal, shares, turns }
}

async function claimUntil(
  stopping: AbortSignal,
  { channels, clock, log, routing, settings }: Context,
  { alarm, reader, renewal }: Pick<Parts, "alarm" | "reader" | "renewal">,
): Promise<void> {
  let isReady = false
  for (let failures = 0; !stopping.aborted;) {
    try {
      if (!isReady) {
        await clock.ready()
        // No slot is held before others can see by a beat whose it is; then as many as there are.
        await renewal.run()
        await routing.grow(channels)
        isReady = true
      }
      const pauseMs = await reader.read()
      failures = 0
      if (pauseMs > 0) await alarm.wait(pauseMs)
    } catch (error) {
      failures += 1
      log.error({ error }, "queue not read")
      await clock.wait(toBackoffMs(settings, failures), stopping)
    }
  }
}

/**
 * Frees what is still held under this process's claims, each task with the turn it had; those that
 * `works` are held under may be claims that it takes nothing under any more.
 */
async function leave({ claims, log, storage }: Context, works: readonly Work[]): Promise<void> {
  const own = new Set([claims.tasks().id, claims.slots.id, ...works.map(({ claim }) => claim)])
  try {
    for (const each of await storage.listClaims()) {
      if (own.has(each.claim)) await storage.voidClaim(each)
    }
  } catch (error) {
    if (!isSafelightError(error)) throw error
    log.warn({ error }, "claims not released")
  }
}
