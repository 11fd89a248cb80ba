/**
 * The service, put together: storage, artifacts, media, the studio, the engine, HTTP and the
 * schedules, each by its port. What was opened is closed again in the reverse order, also where a
 * later piece refuses to start; so a taken port leaves no folder locked.
 */
import { createAccess } from "@safelight/access"
import { createStudioChannel } from "@safelight/channel-studio"
import {
  SafelightError,
  createErrorLog,
  type Channel,
  type Clock,
  type Log,
  type Storage,
} from "@safelight/core"
import { createEngine, systemClock, type Engine } from "@safelight/engine"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createHealthHandler, createHttpHandler, createNodeServer } from "@safelight/http"
import { createMediaInspector } from "@safelight/media-inspector"
import { readMemoryBytes, toBodySettings } from "./body-memory.ts"
import { createChannels } from "./channels/create-channels.ts"
import type { ChannelSettings } from "./configuration/channel-settings.ts"
import type { Configuration } from "./configuration/configuration.ts"
import { toServedModels, toThreadModels } from "./models/served-models.ts"
import { createWatching, type Watching } from "./metrics/watching.ts"
import { assertShared, openArtifacts, openStorage, type ServedArtifacts } from "./open-places.ts"
import { createReadiness } from "./readiness.ts"
import { readMostConnections } from "./open-files.ts"
import { requireOwnData } from "./require-own-data.ts"
import { requirePrices } from "./require-prices.ts"
import { decideSandbox } from "./sandbox.ts"
import { EACH_MINUTE, EACH_NIGHT, startSchedules, type Schedules } from "./schedules.ts"

export interface ServiceOptions {
  readonly configuration: Configuration
  /**
   * Goes on with a database that is a copy, or with another place of artifacts than it had: an
   * operator's decision of one start, so it stands in no configuration.
   */
  readonly adopt?: boolean
  /** Where the keys of channels stand; the process's own variables by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Without it errors are written to the console, and nothing else is. */
  readonly log?: Log
  readonly clock?: Clock
}

export interface Service {
  /** Where it listens: `http://host:port`, IPv6 in brackets, loopback for every interface. */
  readonly url: string
  /** Where clients reach it: the configured address, or where it listens. */
  readonly publicUrl: string
  /** Where `/metrics` has a listener of its own. */
  readonly metricsUrl?: string
  /** Whether directives in prompts, which force an outcome, are obeyed. */
  readonly hasSandbox: boolean
  readonly storage: Storage
  readonly engine: Engine
  /**
   * Takes no more requests and begins nothing, lets what runs finish for up to `stopGraceMs`, hands
   * the rest back to the queue and closes everything. Safe to call twice.
   */
  stop(): Promise<void>
}

/** The nodes of one database share what a channel takes at once: enough for all their workers. */
const SHARED_CONCURRENCY = 64

type Close = () => Promise<void>

/** Resolves once requests are served. Rejects with the `SafelightError` of the piece that failed. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { log = createErrorLog(globalThis) } = options
  const closers: Close[] = []
  try {
    return await assemble(options, log, closers)
  } catch (error) {
    await closeAll(closers).catch((second: unknown) => {
      log.error({ error: second }, "close failed")
    })
    throw error
  }
}

async function assemble(options: ServiceOptions, log: Log, closers: Close[]): Promise<Service> {
  const { adopt = false, clock = systemClock } = options
  const configuration = { ...options.configuration, models: toServedModels(options.configuration) }
  const { environment = process.env } = options
  const { stopGraceMs: graceMs } = configuration
  assertShared(configuration)
  // Before the storage is opened, which makes the database that this asks about.
  const sandbox = decideSandbox(configuration)
  const watching = await createWatching({ settings: configuration, clock, log })
  const opened = await openStorage({ configuration, log, clock, ...watching.storage })
  closers.push(() => opened.close())
  const storage = watching.observeStorage(opened)
  const artifacts = watching.observeArtifacts(await openArtifacts({ configuration, log, clock }))
  await requireOwnData({ storage, artifacts, adopt, clock, log })
  const parts = { configuration, environment, log, clock, storage, artifacts, watching, sandbox }
  const engine = await createServiceEngine(parts, closers)
  await engine.clock.ready()
  await requirePrices({ engine, log, isAlone: configuration.database === undefined })

  const metricsServer = await watching.listen()
  // Still there while the rest winds down, since that is what it shows.
  closers.push(async () => metricsServer?.close({ graceMs: 0 }))

  let publicUrl = configuration.publicUrl ?? ""
  let isStopping = false
  const checkPieces = createReadiness({ storage, artifacts, clock })
  const checkReady = async (): Promise<void> => {
    if (isStopping) throw new SafelightError({ code: "overloaded", message: "stop requested" })
    await checkPieces()
  }
  const { host, port, role } = configuration
  // The engine's: processes that share a database must agree on when a key or a link has expired.
  const shared = { clock: engine.clock, log, checkReady, ...watching.handler }
  const settings = toBodySettings(readMemoryBytes())
  const access = createAccess({ storage, service: engine, clock: engine.clock })
  const api = { ...shared, service: engine, callbacks: engine, inputs: engine, access, settings }
  const handler =
    role === "worker"
      ? createHealthHandler(shared)
      : createHttpHandler({
          ...api,
          models: configuration.models,
          ...toThreadModels(configuration),
          publicUrl: () => publicUrl,
        })
  const connections = await readMostConnections()
  const listener = { host, port, log, settings: { connections }, ...watching.server }
  const server = await createNodeServer({ handler, ...listener })
  publicUrl ||= server.url
  let schedules: Schedules = { stop: async () => {} }
  // All at once: requests under way may need the engine, what it and the chores do needs no request.
  closers.push(async () => {
    isStopping = true
    const ends = [server.close({ graceMs }), engine.stop({ graceMs }), schedules.stop({ graceMs })]
    await Promise.all(ends)
  })
  if (role !== "api") {
    engine.start()
    schedules = startSchedules({ chores: toChores(engine, artifacts, log), clock, log })
  }
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= closeAll(closers))
  const own = metricsServer && { metricsUrl: metricsServer.url }
  return { url: server.url, publicUrl, ...own, hasSandbox: sandbox, storage, engine, stop }
}

interface EngineParts {
  readonly configuration: Configuration
  readonly environment: NonNullable<ServiceOptions["environment"]>
  readonly log: Log
  readonly clock: Clock
  readonly storage: Storage
  readonly artifacts: ServedArtifacts
  readonly watching: Watching
  readonly sandbox: boolean
}

async function createServiceEngine(parts: EngineParts, closers: Close[]): Promise<Engine> {
  const { configuration, environment, log, clock, storage, artifacts, watching, sandbox } = parts
  const media = createGuardedFetch(configuration.media)
  const inspector = createMediaInspector({ clock })
  closers.push(() => inspector.close())
  function createStudio({ concurrency, name }: ChannelSettings): Channel {
    const shared = configuration.database !== undefined && { concurrency: SHARED_CONCURRENCY }
    return createStudioChannel({
      media,
      inspector,
      log,
      clock,
      ...shared,
      ...configuration.studio,
      ...(concurrency !== undefined && { concurrency }),
      ...(name !== undefined && { name }),
      sandbox,
    })
  }
  const { channels, contentRefusals, models } = configuration
  const canLink = configuration.publicUrl !== undefined
  const options = { channels, models, environment, log, createStudio, canLink }
  const routes = await createChannels(options)
  closers.push(async () => {
    await Promise.all(routes.map(async ({ channel }) => channel.close?.()))
  })
  return createEngine({
    storage,
    artifacts,
    channels: routes.map((route) => ({
      ...route,
      channel: watching.observeChannel(route.channel),
    })),
    models,
    prices: configuration.prices,
    // A listening address is no place where a provider could call.
    ...(configuration.publicUrl !== undefined && { publicUrl: configuration.publicUrl }),
    media,
    inspector,
    clock,
    log,
    settings: { ...configuration.engine, retentionMs: configuration.retentionMs },
    ...(contentRefusals !== undefined && { contentRefusals }),
  })
}

/** Each a chore of its own: one that takes longer than a minute delays only itself. */
const SWEEP_PARTS = ["overdue", "retention"] as const

function toChores(
  engine: Engine,
  artifacts: ServedArtifacts,
  log: Log,
): Parameters<typeof startSchedules>[0]["chores"] {
  return [
    ...SWEEP_PARTS.map((part) => ({
      name: `sweep-${part}`,
      pattern: EACH_MINUTE,
      async run() {
        const report = await engine.sweep(undefined, part)
        if (Object.values(report).some((count) => count > 0)) log.info({ part, ...report }, "sweep")
      },
    })),
    {
      name: "sweep-incoming",
      pattern: EACH_NIGHT,
      async run() {
        const removed = await artifacts.sweepIncoming(engine.clock.judgedNow())
        if (removed > 0) log.info({ removed }, "unfinished files removed")
      },
    },
  ]
}

/** Last opened, first closed. One that fails does not keep the others open. */
async function closeAll(closers: readonly Close[]): Promise<void> {
  const errors: unknown[] = []
  for (const close of closers.toReversed()) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the order matters
      await close()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
