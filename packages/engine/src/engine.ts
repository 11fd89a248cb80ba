/**
 * The engine: tasks accepted, carried out and kept, over the ports. It owns no port: whoever
 * opened a storage or a channel closes it, after `stop`.
 */
import {
  MODELS,
  NO_TRACER,
  DEFAULT_PRICES,
  SafelightError,
  createErrorLog,
  sealPrices,
  withModelPrices,
  type ArtifactStorage,
  type CallbackService,
  type ChangeService,
  type Channel,
  type Clock,
  type InputService,
  type Log,
  type Model,
  type NodeFacts,
  type PriceBook,
  type Probe,
  type TaskStorage,
  type TaskRequest,
  type TaskService,
  type Tracer,
  type MediaInspector,
  type MediaSource,
  type ResolveRequest,
  type ResolveResult,
} from "@safelight/core"
import { toUnitCosts } from "./record/attempt-cost.ts"
import { createCancelling } from "./work/cancel.ts"
import { createCallbackAddresses } from "./host/callback-addresses.ts"
import { createChangeFeed } from "./reads/change-feed.ts"
import { checkPrices, type PriceFault } from "./reads/check-prices.ts"
import { createLease } from "./ownership/worker-lease.ts"
import type { Context } from "./host/context.ts"
import type { Ports } from "./host/ports.ts"
import { createDeploymentKeys } from "./host/deployment-keys.ts"
import { createDeadlines } from "./host/deadlines.ts"
import { createEngineClock, type EngineClock } from "./host/engine-clock.ts"
import { createAvailability } from "./scheduling/availability.ts"
import { createDispatcher } from "./scheduling/dispatcher.ts"
import { waitUntilFinished } from "./reads/finished.ts"
import { createIdentifiers, systemRandomness, type Randomness } from "./host/identifiers.ts"
import { createInputLinks } from "./host/input-links.ts"
import { createLateAnswers } from "./work/late-answers.ts"
import { withOwnHeads } from "./record/own-heads.ts"
import { readArtifact, type ArtifactName } from "./reads/read-artifact.ts"
import { receiveCallback } from "./work/receive-callback.ts"
import { createKeptOutputs } from "./media/kept-outputs.ts"
import { createMeasuring } from "./media/measuring.ts"
import { holdArtifacts } from "./record/hold-artifacts.ts"
import { createRecorder } from "./record/recorder.ts"
import { requirePrices } from "./submit/require-prices.ts"
import type { ContentRefusals } from "./work/refusal-rule.ts"
import { createFairShares } from "./scheduling/fair-shares.ts"
import { settleDoubt } from "./record/resolve-task.ts"
import { createRemovalClock, type RemovalClock } from "./host/removal-clock.ts"
import { createRouting, type Route } from "./scheduling/routing.ts"
import { createTroubles } from "./host/troubles.ts"
import { toSettings, type EngineSettings } from "./host/settings.ts"
import { createInputService } from "./reads/serve-input.ts"
import { sha256 } from "./host/sha256.ts"
import { quoteRequest } from "./submit/quote.ts"
import { createSubmit } from "./submit/submit.ts"
import { sweep, type SweepPart, type SweepReport } from "./retention/sweep.ts"
import { createTaskModels } from "./host/task-models.ts"
import { systemClock } from "./host/system-clock.ts"
import { createVerifiedReads } from "./reads/verified-reads.ts"
import { createReads } from "./reads/task-reads.ts"
import { toRoutes } from "./scheduling/routes.ts"

export interface EngineOptions {
  /** A whole `Storage`, or as much of it as tasks need. */
  readonly storage: TaskStorage
  readonly artifacts: ArtifactStorage
  /** Backends, each bare or with its tier and weight. */
  readonly channels: readonly (Channel | Route)[]
  /** What may be asked for; the three models of the specification by default. */
  readonly models?: readonly Model[]
  readonly prices?: PriceBook
  /**
   * Where providers reach the service, as `https://api.example.com`; without it none is asked to call
   * back or to fetch an inline input. A host that mounts the HTTP handler below a path says it with that
   * path. An address of this machine alone would be of no use to them.
   */
  readonly publicUrl?: string
  readonly settings?: Partial<EngineSettings>
  /**
   * Whether a task is accepted also if nobody can make it now, and waits until somebody can, or its time is over;
   * false by default.
   */
  readonly queueUnavailable?: boolean
  /** Whether a task that a channel refused for its content goes to another; `final` by default. */
  readonly contentRefusals?: ContentRefusals
  /**
   * Whether an artifact that is read whole is hashed meanwhile, so that its last piece is kept back where it
   * is not what was made; true by default. What was hashed less than ten minutes ago, and was not written since as
   * far as the storage can tell, is not hashed again. Without it a byte that the storage changed reaches the reader.
   */
  readonly verifyReads?: boolean
  /** Fetches outputs that lie at URLs; needed, with `inspector`, where a channel names `outputOrigins`. */
  readonly media?: MediaSource
  /** Measures outputs that their channels have not measured. */
  readonly inspector?: MediaInspector
  readonly clock?: Clock
  readonly randomness?: Randomness
  /** Without it errors are written to the console, and nothing else is; `SILENT_LOG` writes nothing. */
  readonly log?: Log
  readonly probe?: Probe
  /** What operators know this process by; shown with its lease. */
  readonly node?: NodeFacts
  /** Gets spans of what tasks spend their time on; none by default. */
  readonly tracer?: Tracer
}

/** `await using` stops it at once: what runs is handed back. */
export interface Engine
  extends TaskService, CallbackService, ChangeService, InputService, AsyncDisposable {
  /** Begins to carry out what waits. Tasks can be submitted before; they queue. */
  start(): void
  /** What moments are written down and judged by: the database's clock where it has one. */
  readonly clock: EngineClock
  /** By which moment a sweep removes for good, which a host does that removes anything by time itself. */
  readonly removalClock: RemovalClock
  /**
   * Does what is due: time-outs, expiry, removal. By default at the moment of the engine's clocks, at
   * `now` (ms) where a host knows better. A host that calls it regularly calls the two parts apart, so
   * that ends do not wait for a bucket that is slow.
   */
  sweep(now?: number, part?: SweepPart): Promise<SweepReport>
  /** An artifact's bytes, chunk by chunk; `read-artifact.ts` says how it fails. */
  readArtifact(name: ArtifactName): AsyncIterable<Uint8Array>
  /**
   * Erases what a person or a provider wrote for a task: prompt, URLs, inline media. Everything in
   * the log stays valid; a task that is not yet carried out then fails. False for an unknown task.
   */
  erase(request: TaskRequest): Promise<boolean>
  /**
   * Settles a task whose outcome nobody knows, by what an operator found out: it is followed on, or
   * fails uncharged. Any other task is left as it is, and the result says how it stands.
   */
  resolve(request: ResolveRequest): Promise<ResolveResult>
  /**
   * The unfinished tasks, by model and price version, that this configuration doesn't settle; of the
   * ten thousand that end first. Best asked before `start`. Rejects where the storage fails.
   */
  checkPrices(): Promise<readonly PriceFault[]>
  /**
   * Takes no more tasks, lets running ones finish for up to `graceMs`, and answers to purchases that are
   * late arrive; hands the rest back. A second call waits for the first, by the first one's `graceMs`.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>
}

/** Puts an engine together. Throws `invalid-configuration`, naming what is wrong. */
export function createEngine(options: EngineOptions): Engine {
  const context = createContext(options)
  const dispatcher = createDispatcher(context, [...context.models.keys()])
  const availability = createAvailability(context, dispatcher.isWorking)
  const submit = createSubmit(context, {
    dispatcher,
    availability: options.queueUnavailable === true ? undefined : availability,
  })
  const cancelling = createCancelling(context, dispatcher)
  const { stop: stopChanges, ...changes } = createChangeFeed(context)
  /** Submissions under way: what they accept must find a dispatcher that still works. */
  const submissions = new Set<Promise<unknown>>()
  let stopping: Promise<void> | undefined
  async function stopAll(graceMs: number): Promise<void> {
    stopChanges()
    await Promise.all([Promise.allSettled(submissions), cancelling.stop()])
    await Promise.all([dispatcher.stop(graceMs), context.lateAnswers.stop(graceMs)])
  }
  /** Once: by the second time the host may have closed what the engine works with. */
  const stop = ({ graceMs = 0 } = {}): Promise<void> => (stopping ??= stopAll(graceMs))
  return {
    start: () => dispatcher.start(),
    async submit(request) {
      if (stopping !== undefined) throw overloaded("the engine is stopping")
      if (submissions.size >= context.settings.maxSubmissions) {
        throw overloaded("too many submissions are under way", BUSY_RETRY_MS)
      }
      const submission = submit(request)
      submissions.add(submission)
      try {
        return await submission
      } finally {
        submissions.delete(submission)
      }
    },
    listUnavailable: () => availability.listUnavailable(),
    quote: (request) => quoteRequest(context, request),
    cancel(request) {
      if (stopping === undefined) return cancelling.cancel(request)
      return Promise.reject(overloaded("the engine is stopping"))
    },
    ...createReads(context),
    ...changes,
    ...createInputService(context),
    holdArtifacts: (request) => holdArtifacts(context, request),
    receiveCallback: (request) => receiveCallback(context, dispatcher, request),
    resolve: (request) => settleDoubt(context, request),
    checkPrices: () => checkPrices(context),
    readArtifact: (name) => readArtifact(context, name),
    finished: (id, { signal } = {}) => waitUntilFinished(context, dispatcher, id, signal),
    clock: context.clock,
    removalClock: context.removalClock,
    async sweep(now, part) {
      await context.clock.synchronise()
      return sweep(context, now, part)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** By then most of what was under way has been accepted. */
const BUSY_RETRY_MS = 1_000

function overloaded(message: string, retryAfterMs?: number): SafelightError {
  const more = retryAfterMs === undefined ? {} : { retryAfterMs }
  return new SafelightError({ code: "overloaded", message, retryable: true, ...more })
}

function createContext(options: EngineOptions): Context {
  const models = toModels(options.models ?? MODELS)
  const log = options.log ?? createErrorLog(globalThis)
  const { inspector, media, publicUrl } = options
  const tracer = options.tracer ?? NO_TRACER
  const routes = toRoutes(options.channels, { inspector, log, media, tracer })
  const channels = routes.map(({ channel }) => channel)
  const settings = toSettings(options.settings, channels)
  const storage = withOwnHeads(options.storage, log)
  const clock = createEngineClock({ clock: options.clock ?? systemClock, log, storage })
  const prices = sealPrices(
    withModelPrices(options.prices ?? DEFAULT_PRICES, models.values()),
    sha256,
  )
  requirePrices(models, prices)
  const keys = createDeploymentKeys({ storage, clock })
  const ports: Ports = {
    storage,
    artifacts: options.artifacts,
    clock,
    digest: sha256,
    identifiers: createIdentifiers(options.randomness ?? systemRandomness),
    log,
    probe: options.probe ?? (() => {}),
    settings,
    models,
    taskModels: createTaskModels({ log, models, storage }),
    prices,
    channels,
    inputLinks: createInputLinks(keys, publicUrl),
    contentRefusals: options.contentRefusals ?? "final",
    verifiedReads: options.verifyReads === false ? undefined : createVerifiedReads(clock),
    costs: new Map(routes.map((route) => [route.channel.name, toUnitCosts(route)])),
    media,
    inspector,
    node: options.node,
    tracer,
  }
  const lease = createLease(ports)
  const shares = createFairShares(ports, lease)
  return {
    ...ports,
    clock,
    callbacks: createCallbackAddresses(keys, publicUrl),
    deadlines: createDeadlines(clock),
    keptOutputs: createKeptOutputs(),
    lateAnswers: createLateAnswers(ports),
    lease,
    measuring: createMeasuring(),
    recorder: createRecorder(ports),
    removalClock: createRemovalClock({ clock, log, storage }),
    routing: createRouting(routes, { ...ports, shares }),
    shares,
    troubles: createTroubles(clock),
  }
}

function toModels(list: readonly Model[]): ReadonlyMap<string, Model> {
  const models = new Map(list.map((model) => [model.id, model]))
  if (models.size === list.length) return models
  const twice = list.find(({ id }, place) => list.findIndex((each) => each.id === id) < place)
  const message = `models: two have the id ${twice?.id}`
  throw new SafelightError({ code: "invalid-configuration", message })
}
