/**
 * Plays one combination: a task is submitted to an engine over a channel that points at its stub, the
 * process dies where it is to die and the next one goes on over the same storage, as long as the task
 * lives, and then until its artifacts are gone. What was bought, written down and kept is handed on.
 */
import { get } from "node:http"
import { buffer } from "node:stream/consumers"
import { setImmediate as turn } from "node:timers/promises"
import {
  openEvent,
  type CallbackResult,
  type Cancellation,
  type Channel,
  type MediaInspector,
  type MediaSource,
  type ProbePoint,
  type Task,
  type TaskEvent,
} from "@safelight/core"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import type { Engine } from "@safelight/engine"
import { STUBS, type StubDelivery, type StubPurchase } from "@safelight/testkit/stubs"
import {
  createMemoryArtifacts,
  type MemoryArtifacts,
  createMemoryStorage,
  type MemoryStorage,
} from "@safelight/testkit"
import { createLogRecorder, type LogEntry } from "../../engine/log-recorder.ts"
import { createBoots } from "./boots.ts"
import { openCallbackReceiver } from "./callback-receiver.ts"
import { toStubFaults, type Combination } from "./combination.ts"
import { createDrivenClock } from "./driven-clock.ts"
import type { Lane } from "./lanes.ts"
import { startProcess } from "./mortal-process.ts"

/** What is left to look at once it was played. */
export interface Played {
  readonly combination: Combination
  readonly task: Task
  readonly events: readonly TaskEvent[]
  readonly log: readonly LogEntry[]
  /** What was told of cancellations while the task went on. */
  readonly cancellations: readonly Cancellation[]
  /** What was told of one after its end; undefined where it was not cancelled. */
  readonly cancelledAgain: Cancellation | undefined
  readonly purchases: readonly StubPurchase[]
  readonly deliveries: readonly StubDelivery[]
  /** What became of webhooks that came once more after the end, with half of their bodies. */
  readonly cutCallbacks: readonly CallbackResult[]
  /** The events that the task had ended with, before webhooks came once more. */
  readonly eventsAtEnd: number
  /** The same afterwards. */
  readonly eventsAfterCallbacks: number
  readonly storage: MemoryStorage
  readonly artifacts: MemoryArtifacts
  /** The bytes of each artifact as they were when the task had ended. */
  readonly stored: readonly Uint8Array[]
  /** The same as the stub has them, where they lay at URLs. */
  readonly linked: readonly Uint8Array[]
  /** The points that were passed, dying or not. */
  readonly passed: ReadonlySet<ProbePoint>
  /** Waits of the engine's that outlive it by an hour. */
  readonly waitsLeft: number
  /** What the event loop is kept alive by, beyond what kept it so before. */
  readonly handlesLeft: readonly string[]
}

const ACCOUNT = "ada"
const KEY = "matrix-key-id:matrix-key-secret"
const WEBHOOK_SECRET = `whsec_${Buffer.from("a secret of the matrix").toString("base64")}`
/** How long the work takes at the stub. */
export const RUN_MS = 3_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Expiry, removal, and long after both. */
const SWEEPS_AFTER_MS = [DAY_MS + HOUR_MS, 2 * DAY_MS + 2 * HOUR_MS, 40 * DAY_MS]

/** The engine's own but for these: the end has to come before the hundredth try that fails. */
const SETTINGS = {
  // Whatever has to be noticed rings, or has its moment: a look each second is the cost of most fields.
  idlePollMs: 20_000,
  backoffMaxMs: 240_000,
  retentionMs: DAY_MS,
  removeAfterMs: DAY_MS,
}

/** Enough for every step of a task, and its repeats, at a provider that answers within a minute. */
const END_AFTER_MS = 400_000

/**
 * Enough to look a lost purchase up twice at a provider whose list lags by five minutes, for outputs to expire
 * that live for ten, and for a call that may take ten to be repeated. A fault without end lasts as long, which is
 * what most of the matrix costs.
 */
const LONG_END_AFTER_MS = 1_200_000
const MINUTE_MS = 60_000
const WITH_SHORT_OUTPUTS: readonly string[] = ["black-forest-labs"]

function toEndAfterMs(combination: Combination, { submission, submitTimeoutMs }: Channel): number {
  const isAskedAgain = submission.kind === "lookup" || submitTimeoutMs > MINUTE_MS
  const isLong =
    (isAskedAgain && !strikesLater(combination)) ||
    WITH_SHORT_OUTPUTS.includes(combination.lane.stub)
  return isLong ? LONG_END_AFTER_MS : END_AFTER_MS
}

/** Once the purchase is known, so that nothing has to be looked up or repeated. */
function strikesLater({ cancelAt, crash, fault }: Combination): boolean {
  if (fault === null || fault.isReplyLost === true || crash !== null) return false
  return cancelAt === undefined && (fault.place === "poll" || fault.place === "download")
}

/**
 * Longer than any call may take. A download that stands still is cut off by the machine's clock, which
 * hardly moves here: it goes on before its URL has expired.
 */
const SLOW_MS = { answer: 1_200_000, download: 120_000 }

export async function play(combination: Combination, inspector: MediaInspector): Promise<Played> {
  const { lane } = combination
  const clock = createDrivenClock()
  const start = STUBS[lane.stub]
  if (start === undefined) throw new Error(`${lane.stub} has no stub`)
  const slowMs = SLOW_MS[combination.fault?.place === "download" ? "download" : "answer"]
  await using stub = await start({
    clock: clock.stub,
    asideClock: clock.aside,
    runMs: RUN_MS,
    slowMs,
    webhookSecret: WEBHOOK_SECRET,
  })
  await using receiver = await openCallbackReceiver(clock)
  const lanePlace = { baseUrl: stub.url, key: KEY, webhookSecret: WEBHOOK_SECRET, clock }
  const handles = listHandles()
  stub.setFaults(toStubFaults(combination))
  const storage = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  const recorder = createLogRecorder()
  const { media, urls } = createNotedMedia()
  const { diesAt, passed } = createDeath(combination)
  const downMs = combination.crash?.downMs ?? 0
  const cancelling = createCancelling(combination)
  const boots = await createBoots({ clock, receiver, downMs }, async () => {
    const channel = await lane.open(lanePlace)
    return startProcess({
      clock,
      storage,
      artifacts,
      channels: [channel],
      publicUrl: lane.webhooks === null ? undefined : receiver.url,
      media,
      inspector,
      settings: { ...SETTINGS, endAfterMs: toEndAfterMs(combination, channel) },
      log: recorder.log,
      diesAt,
      onPass: cancelling.onPass,
    })
  })
  const submitted = await boots.carryOut((engine) => engine.submit(toRequest(lane)))
  if (submitted.kind === "rejected") throw new Error(JSON.stringify(submitted.rejection))
  const { id } = submitted.task
  const finished = await boots.carryOut((engine) => {
    cancelling.onBoot(engine, id)
    return engine.finished(id)
  })
  if (finished === undefined) throw new Error("the task is gone")
  const cancelledAgain =
    combination.cancelAt &&
    (await boots.carryOut((engine) => engine.cancel({ account: ACCOUNT, id })))
  stub.setFaults({})
  const stored = finished.artifacts.map(({ locator }) => artifacts.locators.get(locator))
  const linked = await Promise.all(
    [...new Set(urls)].map((url) => clock.during(() => fetchBytes(url))),
  )
  const eventsAtEnd = listEvents(storage, id).length
  const cutCallbacks = await boots.carryOut(receiver.repeatAll)
  const eventsAfterCallbacks = listEvents(storage, id).length
  for (const afterMs of SWEEPS_AFTER_MS) {
    await boots.carryOut((engine) => engine.sweep(clock.now() + afterMs))
  }
  await boots.close()
  if (receiver.assertions.length > 0) throw receiver.assertions[0]
  return {
    combination,
    task: finished,
    events: listEvents(storage, id),
    log: recorder.entries,
    cancellations: cancelling.told,
    cancelledAgain,
    purchases: stub.purchases,
    deliveries: stub.deliveries,
    cutCallbacks,
    eventsAtEnd,
    eventsAfterCallbacks,
    storage,
    artifacts,
    stored: stored.map((bytes) => bytes ?? new Uint8Array()),
    linked: linked.flatMap((bytes) => bytes ?? []),
    passed,
    waitsLeft: await clock.countWaitsAfter(HOUR_MS),
    handlesLeft: await findHandlesLeft(handles),
  }
}

function listEvents(storage: MemoryStorage, id: string): readonly TaskEvent[] {
  return (storage.events.get(id) ?? []).map(openEvent)
}

/** Fetches as a service does, and notes the provider's URLs. */
function createNotedMedia(): { readonly media: MediaSource; readonly urls: readonly string[] } {
  const source = createGuardedFetch()
  const urls: string[] = []
  const media: MediaSource = {
    open(request) {
      // A task's own media come this way too.
      if (!request.url.startsWith("data:")) urls.push(request.url)
      return source.open(request)
    },
  }
  return { media, urls }
}

interface Cancelling {
  readonly told: readonly Cancellation[]
  readonly onPass: (engine: Engine, point: ProbePoint, task: string) => void
  readonly onBoot: (engine: Engine, task: string) => void
}

/** An account that cancels its task, and does so again where the process has died meanwhile. */
function createCancelling({ cancelAt }: Combination): Cancelling {
  const told: Cancellation[] = []
  const asked = new Set<Engine>()
  function ask(engine: Engine, id: string): void {
    asked.add(engine)
    // Nobody hears of one that its process did not survive.
    void engine.cancel({ account: ACCOUNT, id }).then((each) => each && told.push(each))
  }
  return {
    told,
    onPass(engine, point, task) {
      if (point === cancelAt && asked.size === 0) ask(engine, task)
    },
    onBoot(engine, task) {
      if (asked.size > 0 && !asked.has(engine)) ask(engine, task)
    },
  }
}

interface Death {
  readonly diesAt: (point: ProbePoint) => boolean
  readonly passed: ReadonlySet<ProbePoint>
}

function createDeath({ crash }: Combination): Death {
  let passes = 0
  const passed = new Set<ProbePoint>()
  function diesAt(point: ProbePoint): boolean {
    passed.add(point)
    if (crash?.point !== point) return false
    passes += 1
    return passes === crash.pass
  }
  return { diesAt, passed }
}

function toRequest({ model, parameters }: Lane): Parameters<Engine["submit"]>[0] {
  const idempotency = { key: "order-1", fingerprint: "a1".repeat(32) }
  return { account: ACCOUNT, model, parameters, idempotency }
}

/** Undefined where the provider has it no more. No connection outlives it. */
function fetchBytes(url: string): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: { "x-goog-api-key": KEY } }, (answer) => {
      const { location } = answer.headers
      answer.resume().on("error", reject)
      if (location !== undefined) return resolve(fetchBytes(new URL(location, url).href))
      return resolve(answer.statusCode === 200 ? buffer(answer) : undefined)
    })
    request.on("error", reject)
  })
}

/** What leaks would be: sockets, timers, servers. */
function listHandles(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name))
}

/** How long a connection may take to be gone on both its ends; only stops a wait without end. */
const CLOSING_TURNS = 20_000

async function findHandlesLeft(before: readonly string[]): Promise<readonly string[]> {
  for (let turns = 0; turns < CLOSING_TURNS; turns += 1) {
    if (listHandles().length <= before.length) return []
    await turn()
  }
  return listHandles().slice(before.length)
}
