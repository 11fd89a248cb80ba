/**
 * Who works on what: two loops, one that takes tasks from the queue when something wakes it, when
 * the next one is due, and at every idle poll; and one that keeps the worker lease alive. Polling alone
 * is correct, wake-ups make it fast.
 */
import { isSafelightError, type ParameterValues, type StreamHead } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { giveBackAll } from "../work/give-back.ts"
import { createHeartbeats, type Heartbeats } from "../ownership/heartbeat.ts"
import { createInFlight, type InFlight } from "../ownership/in-flight.ts"
import { toBackoffMs } from "../host/settings.ts"
import { createWork } from "../work/work.ts"
import { createAccountPermits } from "./account-permits.ts"
import { createAccountSettings } from "./account-settings.ts"
import { createAlarm, type Alarm } from "../host/alarm.ts"
import { toModelGroups } from "./model-groups.ts"
import { createBacklog } from "./backlog.ts"
import { createQueueReader, type QueueReader } from "./queue-reader.ts"
import { createReserve, type Offer, type Reserve } from "./reservations.ts"
import { createSpreadWakeUps } from "./spread-wake-ups.ts"
import { createStartTags } from "./start-tags.ts"

export interface Dispatcher {
  start(): void
  /** Whether this process takes tasks now. */
  readonly isWorking: () => boolean
  /** Looks at the queue soon. */
  readonly wake: () => void
  /** Has whichever process holds the task poll it soon; another process may miss it. */
  readonly wakeHolder: (task: string) => void
  /** Where a task about to be submitted shall stand. */
  readonly reserve: Reserve
  /**
   * Takes back an offer that no task came of, as far as is known: if one did, it is held under this lease and
   * unknown, and a heartbeat finds it so.
   */
  withdraw(offer: Offer): void
  /** Whether this process works on `task` now. */
  worksOn(task: string): boolean
  /** Whether what was bought for `task` is being stored here. */
  readonly isCollecting: (task: string) => boolean
  /** Begins the work of an accepted offer; resolves when this process is done with it. */
  accept(offer: Offer, head: StreamHead, parameters: ParameterValues): Promise<void>
  /** Lets running work finish for up to `graceMs`, then hands the rest back. */
  stop(graceMs: number): Promise<void>
}

interface Parts {
  readonly alarm: Alarm
  readonly heartbeats: Heartbeats
  readonly inFlight: InFlight
  readonly reader: QueueReader
  readonly reserve: Reserve
  /** Permits were released that tasks of the model, or of the account, may be waiting for. */
  readonly onReleased: (model: string, account: string) => void
}

export function createDispatcher(context: Context, models: readonly string[]): Dispatcher {
  const { clock, lease, storage } = context
  const stopping = new AbortController()
  /** The lease is kept alive until the last work is done, also while stopping. */
  const stopped = new AbortController()
  let taking: Promise<void> | undefined
  const isWorking = (): boolean => taking !== undefined && !stopping.signal.aborted
  const parts = createParts(context, models, isWorking)
  const { alarm, heartbeats, inFlight, onReleased, reserve } = parts
  let beating: Promise<void> | undefined
  let stopListening: (() => void) | undefined

  context.measuring.onFree(() => alarm.ring())
  context.recorder.onEachFinished(({ id }) => inFlight.callOff(id))
  return {
    start() {
      if (taking !== undefined) return
      taking = takeUntil(stopping.signal, context, parts)
      beating = heartbeats.runUntil(stopped.signal)
      stopListening = listen(context, parts, stopping.signal)
    },
    isWorking,
    wake: () => alarm.ring(),
    wakeHolder(task) {
      if (!inFlight.wake(task)) storage.wakeHolder?.(task)
    },
    reserve,
    worksOn: (task) => inFlight.has(task),
    isCollecting: (task) => inFlight.isCollecting(task),
    withdraw({ account, accountPermit, model, permit, taking: offered }) {
      offered.end()
      permit.release()
      accountPermit.release()
      onReleased(model, account)
    },
    accept({ accountPermit, permit, taking: offered }, head, parameters) {
      const traceparent = context.tracer.active()?.traceparent
      const work = createWork(head, lease, clock, {
        accountPermit,
        permit,
        parameters,
        traceparent,
      })
      // It may be another process's by now; the next heartbeats show it.
      if (!offered.isSound()) work.controller.abort("the lease may have expired")
      const done = inFlight.begin(work)
      offered.end()
      return done
    },
    async stop(graceMs) {
      stopping.abort()
      stopListening?.()
      alarm.ring()
      await taking
      const left = await inFlight.windDown(graceMs)
      stopped.abort()
      await beating
      await giveBackAll(context, left, clock.now())
      if (taking !== undefined) await leave(context)
    },
  }
}

/** For what other processes tell. */
function listen(
  { clock, shares, storage }: Context,
  { alarm, inFlight }: Pick<Parts, "alarm" | "inFlight">,
  stopping: AbortSignal,
): () => void {
  const spread = { clock, shares, stopping }
  const stopQueue = storage.onQueued?.(createSpreadWakeUps(spread, () => alarm.ring()))
  const stopHolder = storage.onHolderWoken?.((task) => inFlight.wake(task))
  return () => {
    stopQueue?.()
    stopHolder?.()
  }
}

function createParts(context: Context, models: readonly string[], isWorking: () => boolean): Parts {
  const { channels, clock, measuring, shares } = context
  const alarm = createAlarm(clock)
  const groups = toModelGroups(models, channels)
  const startTags = createStartTags(context)
  const accounts = createAccountPermits(context, shares, measuring)
  const backlog = createBacklog(context, models)
  const onReleased = (model: string, account: string): void => {
    if (backlog.has(model) || accounts.isLimited(account)) alarm.ring()
  }
  const inFlight = createInFlight(context, onReleased)
  const reader = createQueueReader(context, {
    groups,
    startTags,
    accounts,
    backlog,
    begin: (work) => void inFlight.begin(work),
  })
  const heartbeats = createHeartbeats(context, {
    listWork: () => inFlight.list(),
    isInHand: (task) => inFlight.has(task),
    onChange: () => alarm.ring(),
  })
  const settings = createAccountSettings(context)
  const reserve = createReserve(context, {
    accounts,
    backlog,
    groups,
    isWorking,
    settings,
    startTags,
  })
  return { alarm, heartbeats, inFlight, onReleased, reader, reserve }
}

async function takeUntil(
  stopping: AbortSignal,
  { clock, log, settings }: Context,
  { alarm, heartbeats, reader }: Pick<Parts, "alarm" | "heartbeats" | "reader">,
): Promise<void> {
  for (let failures = 0; !stopping.aborted;) {
    try {
      await clock.ready()
      const pauseMs = await reader.read()
      heartbeats.tell()
      failures = 0
      if (pauseMs > 0) await alarm.wait(pauseMs)
    } catch (error) {
      failures += 1
      log.error({ error }, "queue not read")
      await clock.wait(toBackoffMs(settings, failures), stopping)
    }
  }
}

/** Ends this process's lease, and with it what it may hold still; others need not wait for that. */
async function leave({ lease, log, storage }: Context): Promise<void> {
  try {
    const own = (await storage.listLeases()).find((each) => each.lease === lease.id)
    if (own !== undefined) await storage.expire(own)
  } catch (error) {
    if (!isSafelightError(error)) throw error
    log.warn({ error }, "lease not released")
  }
}
