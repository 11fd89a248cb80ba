/**
 * An engine on a manual clock with everything in memory: time moves only when a test says so, and
 * what a channel answers is scripted.
 */
import {
  defineModel,
  fields,
  integer,
  openEvent,
  SILENT_LOG,
  text,
  type Log,
  type MediaInspector,
  type MediaSource,
  type Model,
  type NodeFacts,
  type PriceBook,
  type Probe,
  type SubmitResult,
  type Task,
  type TaskEvent,
  type Tracer,
} from "@safelight/core"
import {
  createEngine,
  type ContentRefusals,
  type Engine,
  type EngineSettings,
  type Randomness,
  type Route,
} from "@safelight/engine"
import {
  createManualClock,
  type ManualClock,
  type ScriptedChannel,
  createMemoryArtifacts,
  type MemoryArtifacts,
  createMemoryStorage,
  type MemoryStorage,
} from "@safelight/testkit"
import * as v from "valibot"

/** A model with a private and a logged parameter, 30,000 micro-units an image. */
export const MODEL = defineModel({
  id: "model-a",
  artifacts: "image",
  parameters: fields({ prompt: text(1), count: v.optional(integer(1, 4), 1) }),
  logged: ["count"],
  estimate({ count }) {
    // A model that is wrong about one of its own requests.
    if (count === 3) throw new RangeError("three can't be estimated")
    return { images: count, inputVideosMs: [], outputVideoMs: 0 }
  },
  charge: ({ images }, { perImageMicros = 0 }) => images * perImageMicros,
})

export const PRICES = [{ version: "1", models: { "model-a": { perImageMicros: 30_000 } } }] as const

/** What a channel answers that took a task. */
export const ACCEPTED = { kind: "accepted", operation: { id: 7 } } as const

/** Short round numbers, so that a test can name the moment it means. */
export const SETTINGS: EngineSettings = {
  leaseMs: 60_000,
  endAfterMs: 600_000,
  maxAttempts: 3,
  graceMs: 2_000,
  retentionMs: 14 * 86_400_000,
  removeAfterMs: 86_400_000,
  adoptionHoldMs: 30 * 86_400_000,
  inputRetentionMs: 14 * 86_400_000,
  idempotencyMs: 14 * 86_400_000,
  quoteMs: 3_600_000,
  feedMs: 3_600_000,
  idlePollMs: 1_000,
  backoffMs: 1_000,
  backoffMaxMs: 30_000,
  progressStep: 10,
  maxSubmissions: 10_000,
  pollTimeoutMs: 20_000,
  breakerFailures: 3,
  breakerOpenMs: 15_000,
}

/** The rejection's code, or whether the task is a replayed one. */
export function brief(result: SubmitResult): string {
  if (result.kind === "rejected") return result.rejection.code
  return result.isReplayed ? "replayed" : "new"
}

export interface Scene {
  readonly clock: ManualClock
  readonly storage: MemoryStorage
  readonly artifacts: MemoryArtifacts
  readonly engine: Engine
  /** Submits and resolves to the task as accepted. */
  submit(parameters?: unknown): Promise<Task>
  /** The task as it stands. */
  read(id: string): Promise<Task>
  /** Its events, opened. */
  history(id: string): TaskEvent[]
  /** Its event types, in order. */
  story(id: string): string[]
}

export interface SceneOptions {
  readonly channels: readonly (ScriptedChannel | Route)[]
  readonly settings?: Partial<EngineSettings>
  readonly storage?: MemoryStorage
  readonly artifacts?: MemoryArtifacts
  readonly clock?: ManualClock
  /** `MODEL` alone by default. */
  readonly models?: readonly Model[]
  readonly prices?: PriceBook
  readonly probe?: Probe
  readonly randomness?: Randomness
  readonly tracer?: Tracer
  readonly node?: NodeFacts
  /** Silent by default; `undefined` is what a host gives that gives none. */
  readonly log?: Log | undefined
  readonly media?: MediaSource
  readonly inspector?: MediaInspector
  /** Where providers reach the service; nowhere by default. */
  readonly publicUrl?: string
  readonly contentRefusals?: ContentRefusals
  /** Whether what nobody can make waits instead of being refused; it does not by default. */
  readonly queueUnavailable?: boolean
  /** Whether the engine works from the beginning; it does unless said otherwise. */
  readonly isStarted?: boolean
}

/** A scene with one channel, and a task that was submitted to it. */
export async function submitTo(
  channel: SceneOptions["channels"][number],
  options: Omit<SceneOptions, "channels"> = {},
): Promise<{ readonly scene: Scene; readonly id: string }> {
  const scene = createScene({ ...options, channels: [channel] })
  const { id } = await scene.submit()
  return { scene, id }
}

export function createScene({ isStarted = true, settings, ...options }: SceneOptions): Scene {
  const {
    clock = createManualClock(),
    storage = createMemoryStorage(),
    artifacts = createMemoryArtifacts(),
  } = options
  const { log, ...others } = { log: SILENT_LOG, ...options }
  const engine = createEngine({
    models: [MODEL],
    prices: PRICES,
    ...others,
    ...(log !== undefined && { log }),
    storage,
    artifacts,
    clock,
    settings: { ...SETTINGS, ...settings },
  })
  if (isStarted) engine.start()

  function history(id: string): TaskEvent[] {
    return (storage.events.get(id) ?? []).map(openEvent)
  }

  return {
    clock,
    storage,
    artifacts,
    engine,
    async submit(parameters = { prompt: "a quiet harbour" }) {
      const result = await engine.submit({ account: "ada", model: "model-a", parameters })
      if (result.kind === "rejected") throw new Error(result.rejection.code)
      return result.task
    },
    async read(id) {
      const head = await storage.readTask(id)
      if (head === undefined) throw new Error(`no task ${id}`)
      return head.task
    },
    history,
    story: (id) => history(id).map(({ type }) => type),
  }
}

/** One picture, as a channel hands it over. */
export function completed(words = "picture") {
  return {
    kind: "completed",
    outputs: [{ mimeType: "image/png", open: () => once(words) }],
  } as const
}

async function* once(words: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(words)
}
