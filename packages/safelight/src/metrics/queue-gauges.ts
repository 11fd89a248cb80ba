/**
 * The length of the queue, and whether the database answers, asked at each scrape. A scrape waits for a bounded
 * time: without an answer `safelight_storage_up` is 0 and the queue is left out, since an old number would look
 * like a quiet queue.
 */
import { type Clock, type Log, type QueueMeasure, type Storage } from "@safelight/core"
import { Gauge, type Registry } from "prom-client"
import { createKeptAnswer, type KeptAnswer } from "@safelight/operator"

/** Several scrapers cause one query. */
export const KEPT_MS = 2_000
/** Well under the 10 s after which Prometheus gives a scrape up. */
export const PATIENCE_MS = 2_000
/** If measuring takes longer than a scrape waits, scrapes show the last measure: for four common intervals. */
export const SHOWN_MS = 60_000

export interface QueueGaugesOptions {
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
  /** Shown with 0 if no task waits, so that a line in a graph does not end. */
  readonly models: readonly string[]
}

export interface QueueGauges {
  /** From now on measures this storage's queue. */
  watch(storage: Pick<Storage, "measureQueue" | "check">): void
  /** Resolves once the gauges are up to date, or time is up; never rejects. */
  refresh(): Promise<void>
}

interface Watched {
  readonly check: KeptAnswer<true>
  readonly measures: KeptAnswer<readonly QueueMeasure[]>
}

export function createQueueGauges(options: QueueGaugesOptions): QueueGauges {
  const { registry, clock, log, models } = options
  const gauges = createGauges(registry)
  let watched: Watched | undefined

  function show({ check, measures }: Watched): void {
    // The check may be as old as its answer is kept and have waited for the measure too; an older one hangs.
    const isUp = check.latest(KEPT_MS + PATIENCE_MS) === true
    gauges.up.set(isUp ? 1 : 0)
    gauges.tasks.reset()
    gauges.oldest.reset()
    const measured = isUp ? measures.latest(SHOWN_MS) : undefined
    if (measured === undefined) return
    const now = clock.now()
    for (const model of models) showModel(model, NO_TASKS, now)
    for (const measure of measured) showModel(measure.model, measure, now)
  }

  function showModel(model: string, measure: Omit<QueueMeasure, "model">, now: number): void {
    const { held, waiting, oldestAt } = measure
    gauges.tasks.set({ model, state: "waiting" }, waiting)
    gauges.tasks.set({ model, state: "held" }, held)
    const ageMs = oldestAt === null ? 0 : Math.max(0, now - oldestAt)
    gauges.oldest.set({ model }, ageMs / 1_000)
  }

  return {
    watch(storage) {
      const kept = {
        name: "the database",
        clock,
        freshMs: KEPT_MS,
        patienceMs: PATIENCE_MS,
      }
      watched = {
        check: createKeptAnswer({
          ...kept,
          question: () => storage.check().then(() => true as const),
          onFailure: (error) => log.warn({ error }, "database check failed"),
        }),
        measures: createKeptAnswer({
          ...kept,
          question: () => storage.measureQueue(),
          onFailure: (error) => log.warn({ error }, "queue not measured"),
        }),
      }
    },
    async refresh() {
      if (watched === undefined) return
      const { check, measures } = watched
      await Promise.allSettled([check.ask(), measures.ask()])
      show(watched)
    },
  }
}

const NO_TASKS = { waiting: 0, held: 0, oldestAt: null }

function createGauges(registry: Registry) {
  const registers = [registry]
  return {
    up: new Gauge({
      name: "safelight_storage_up",
      help: "1 where the database answered when this was read, else 0.",
      registers,
    }),
    tasks: new Gauge({
      name: "safelight_queue_tasks",
      help: "Unfinished tasks, of all nodes: waiting for a node, or held by one.",
      labelNames: ["model", "state"],
      registers,
    }),
    oldest: new Gauge({
      name: "safelight_queue_oldest_waiting_seconds",
      help: "How long the oldest task that no node holds has been waiting.",
      labelNames: ["model"],
      registers,
    }),
  }
}
