/**
 * The signed log: how far tree and checkpoints are, asked at each scrape as the queue is, and what failed at signing. A
 * service without a tree has no series of the former. If the database fails, they end at once; if it takes longer than
 * a scrape waits, scrapes show the last measure for a while, so that a long backlog can still be seen.
 */
import type { Clock, KeptCheckpoint, Log, TreeHead, TreeStorage } from "@safelight/core"
import { createKeptAnswer, type KeptAnswer } from "@safelight/operator"
import { Counter, Gauge, type Registry } from "prom-client"

/** Called by the run that signs the log; `code` is that of an error or of a refusal. */
export type OnSigningFailure = (failure: {
  readonly step: "copy" | "sign"
  readonly code: string
}) => void

export interface SigningMeter {
  /** From now on measures the tree of this storage. */
  watch(storage: MeasuredTree): void
  /** Resolves once the gauges are up to date, or time is up; never rejects. */
  refresh(): Promise<void>
  readonly onFailure: OnSigningFailure
}

export interface SigningMeterOptions {
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
  /** How long an answer is kept, for several scrapers, and how long a scrape waits for one. */
  readonly keptMs: number
  readonly patienceMs: number
  /** How long scrapes show an answer while the next one has not come. */
  readonly shownMs: number
}

type MeasuredTree = Pick<TreeStorage, "countUnsequenced" | "findCheckpoint" | "readTree">

interface Measure {
  readonly head: TreeHead | undefined
  readonly waiting: number
  readonly checkpoint: KeptCheckpoint | undefined
}

export function createSigningMeter(options: SigningMeterOptions): SigningMeter {
  const { registry, clock, log, keptMs, patienceMs, shownMs } = options
  const gauges = createGauges(registry)
  const failures = new Counter({
    name: "safelight_signing_failures_total",
    help: "Times that the log was not signed, or a checkpoint not copied, by error code or refusal.",
    labelNames: ["step", "code"],
    registers: [registry],
  })
  let answer: KeptAnswer<Measure> | undefined

  function show(measure: Measure | undefined): void {
    const { checkpoint, head } = measure ?? {}
    const ageMs = checkpoint && Math.max(0, clock.now() - checkpoint.at)
    setOrRemove(gauges.leaves, head?.size)
    setOrRemove(gauges.waiting, head && measure?.waiting)
    setOrRemove(gauges.age, ageMs === undefined ? undefined : ageMs / 1_000)
  }

  show(undefined)
  return {
    watch(storage) {
      answer = createKeptAnswer({
        name: "the signed log",
        clock,
        freshMs: keptMs,
        patienceMs,
        question: () => measureTree(storage),
        onFailure: (error) => log.warn({ error }, "signed log not measured"),
      })
    },
    async refresh() {
      if (answer === undefined) return
      await Promise.allSettled([answer.ask()])
      show(answer.latest(shownMs))
    },
    onFailure: (failure) => failures.inc(failure),
  }
}

async function measureTree(storage: MeasuredTree): Promise<Measure> {
  const [head, waiting, checkpoint] = await Promise.all([
    storage.readTree(),
    storage.countUnsequenced(),
    storage.findCheckpoint({ mostSize: Number.MAX_SAFE_INTEGER }),
  ])
  return { head, waiting, checkpoint }
}

function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove()
  else gauge.set(value)
}

function createGauges(registry: Registry) {
  const registers = [registry]
  return {
    leaves: new Gauge({
      name: "safelight_tree_leaves",
      help: "Events that have a leaf in the tree over the log.",
      registers,
    }),
    waiting: new Gauge({
      name: "safelight_tree_waiting_events",
      help: "Events that have no leaf yet.",
      registers,
    }),
    age: new Gauge({
      name: "safelight_checkpoint_age_seconds",
      help: "How long ago the newest checkpoint was signed.",
      registers,
    }),
  }
}
