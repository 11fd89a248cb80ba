/**
 * An engine as one boot of a process, which can die: from that moment on no wait of its ends, no call
 * to its storage, its artifacts or its channel begins or is heard of, and its connections break. What
 * had been carried out by then stays so, as with a process that was killed.
 */
import type {
  AbortSignalLike,
  ArtifactStorage,
  Channel,
  Clock,
  Log,
  MediaInspector,
  MediaSource,
  ProbePoint,
  Storage,
} from "@safelight/core"
import { createEngine, type Engine, type EngineSettings } from "@safelight/engine"
import type { DrivenClock } from "./driven-clock.ts"

export interface MortalProcess {
  readonly engine: Engine
  /** Aborts when it dies. */
  readonly dead: AbortSignal
  isDead(): boolean
  /** Stops it as a service stops, or buries it: nothing of it is left afterwards. */
  close(): Promise<void>
}

export interface ProcessOptions {
  readonly clock: DrivenClock
  readonly storage: Storage
  readonly artifacts: ArtifactStorage
  readonly channels: readonly Channel[]
  readonly media: MediaSource
  readonly inspector: MediaInspector
  /** Where providers reach it, if they do. */
  readonly publicUrl: string | undefined
  readonly settings: Partial<EngineSettings>
  readonly log: Log
  /** Whether it dies at this pass of the point. */
  readonly diesAt: (point: ProbePoint) => boolean
  /** Called at each pass, before it dies. */
  readonly onPass: (engine: Engine, point: ProbePoint, task: string) => void
}

export function startProcess(options: ProcessOptions): MortalProcess {
  const { artifacts, channels, clock, inspector, log, media, publicUrl, settings, storage } =
    options
  const death = new AbortController()
  const { signal: dead } = death
  const never = new Promise<never>(() => {})

  /** A call of the living: nobody hears of one that ends after the death. */
  async function live<Result>(call: () => Promise<Result>): Promise<Result> {
    if (dead.aborted) return never
    try {
      const result = await call()
      return dead.aborted ? await never : result
    } catch (error) {
      if (dead.aborted) return never
      throw error
    }
  }

  function tie(signal: AbortSignalLike | undefined): AbortSignal {
    return signal === undefined ? dead : AbortSignal.any([signal as AbortSignal, dead])
  }

  /** Every method of a port, with its signals tied to the process's life. */
  function mortal<Port extends object>(port: Port, isOutside: boolean): Port {
    const methods = Object.entries(port).map(([name, member]: [string, unknown]) => {
      if (typeof member !== "function" || SYNCHRONOUS.has(name)) return [name, member]
      const call = (...given: readonly unknown[]): Promise<unknown> => {
        const reach = async (): Promise<unknown> =>
          Reflect.apply(member, port, given.map(tieRequest)) as Promise<unknown>
        return live(() => (isOutside ? clock.during(reach) : reach()))
      }
      return [name, call]
    })
    return Object.fromEntries(methods) as Port
  }

  function tieRequest(request: unknown): unknown {
    if (typeof request !== "object" || request === null || !("signal" in request)) return request
    return { ...request, signal: tie(request.signal as AbortSignalLike) }
  }

  const ownClock: Clock = {
    now: () => clock.now(),
    monotonicNow: () => clock.monotonicNow(),
    wait: (durationMs, signal) => live(() => clock.wait(durationMs, signal)),
  }
  const engine = createEngine({
    storage: mortal(storage, false),
    artifacts: mortal(artifacts, true),
    channels: channels.map((channel) => mortal(channel, true)),
    media: mortal(media, true),
    inspector: mortal(inspector, true),
    clock: ownClock,
    settings,
    ...(publicUrl !== undefined && { publicUrl }),
    log: {
      info: (fields, message) => dead.aborted || log.info(fields, message),
      warn: (fields, message) => dead.aborted || log.warn(fields, message),
      error: (fields, message) => dead.aborted || log.error(fields, message),
    },
    async probe(point, task) {
      if (dead.aborted) return never
      options.onPass(engine, point, task)
      if (!options.diesAt(point)) return
      death.abort()
      await never
    },
  })
  engine.start()
  return {
    engine,
    dead,
    isDead: () => dead.aborted,
    async close() {
      if (!dead.aborted) await engine.stop()
      await Promise.all(channels.map(async (channel) => channel.close?.()))
    },
  }
}

/** Members that answer at once. */
const SYNCHRONOUS: ReadonlySet<string> = new Set(["accepts", "answersAtOnce", "onQueued"])
