/**
 * The service, put together: storage, artifacts, media, the studio, the engine, HTTP and the
 * schedules, each by its port. Pieces are closed in the reverse order, even if a later one refuses to start: a
 * port that is in use leaves no folder locked.
 */
import { hostname } from "node:os"
import { createAccess, createSignIn, type SignIn } from "@safelight/access"
import { createArchiveReader, createStatements } from "@safelight/audit"
import { createStudioChannel } from "@safelight/channel-studio"
import {
  CHANGED_WITHOUT_KEY,
  SafelightError,
  createErrorLog,
  type Channel,
  type Clock,
  type Log,
  type Storage,
} from "@safelight/core"
import {
  createEngine,
  createIdentifiers,
  keepPrices,
  sha256 as digest,
  systemClock,
  systemRandomness,
  type Engine,
  type Route,
} from "@safelight/engine"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createNodeServer } from "@safelight/http"
import { createMediaInspector } from "@safelight/media-inspector"
import {
  createChangeRecord,
  toRecordedKeys,
  type Operator,
  type RecordChange,
} from "@safelight/operator"
import type { Webhooks } from "@safelight/webhooks"
import { readMemoryBytes, toBodySettings } from "./body-memory.ts"
import { toArchiveRuns } from "../archive/archive-run.ts"
import { toScheduledRuns } from "./scheduled-runs.ts"
import { createChannels } from "../channels/create-channels.ts"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { withSecretFiles } from "../configuration/secret-files.ts"
import { toServedModels } from "../models/served-models.ts"
import { createWatching, type Watching } from "../metrics/watching.ts"
import {
  assertShared,
  openArtifacts,
  openStorage,
  type ServedArtifacts,
} from "../data/open-places.ts"
import { createReadiness } from "./readiness.ts"
import { readMostConnections } from "./open-files.ts"
import { warnOfUnknownAddresses } from "./own-addresses.ts"
import { createServiceOperator } from "../operator/service-operator.ts"
import { readVersion } from "./read-version.ts"
import {
  createServiceProofs,
  hashServiceTile as hashTile,
  toCheckpointRuns,
} from "../proofs/service-proofs.ts"
import { requireOwnData } from "../data/require-own-data.ts"
import { requirePrices } from "../data/require-prices.ts"
import { decideSandbox } from "./sandbox.ts"
import { startSchedules, type ScheduledRun, type Schedules } from "./schedules.ts"
import { createServiceHandler } from "./service-handler.ts"
import { createServiceWebhooks } from "./service-webhooks.ts"

export interface ServiceOptions {
  readonly configuration: Configuration
  /**
   * Accepts a database that is a copy, or another place for artifacts than it had. An operator decides this
   * for one start, so no configuration holds it.
   */
  readonly adopt?: boolean
  /** An operator's word, for one start, that the clock is right though it is far ahead of the last sweep. */
  readonly trustsClock?: boolean
  /** The variables that hold the keys of channels, or name files that do; the process's own by default. */
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
  /** Makes links that sign in to the console. */
  readonly signIn: Pick<SignIn, "issue">
  /** The address of `/metrics`, if it has a listener of its own. */
  readonly metricsUrl?: string
  /** Whether directives in prompts, which force an outcome, are obeyed. */
  readonly hasSandbox: boolean
  readonly storage: Storage
  readonly engine: Engine
  readonly operator: Operator
  /**
   * Takes no more requests, begins no work, and lets what is running finish for up to `stopGraceMs`. Then it
   * gives the rest back to the queue and closes everything. Safe to call twice.
   */
  stop(): Promise<void>
}

/** The nodes of one database share what a channel takes at once: enough for all their workers. */
const SHARED_CONCURRENCY = 64

type Close = () => Promise<void>

/**
 * Resolves once requests are served. Rejects with the `SafelightError` of the piece that failed, after the others
 * were closed: `invalid-configuration`, and the errors of the storage and of the artifact storage.
 */
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

async function assemble(options: ServiceOptions, plain: Log, closers: Close[]): Promise<Service> {
  const { adopt = false, clock = systemClock } = options
  const environment = withSecretFiles(options.environment ?? process.env, process.cwd())
  const configuration = { ...options.configuration, models: toServedModels(options.configuration) }
  const { host, port, role, stopGraceMs: graceMs } = configuration
  assertShared(configuration)
  const memoryBytes = readMemoryBytes()
  const settings = toBodySettings(memoryBytes)
  const watching = await createWatching({ settings: configuration, clock, log: plain })
  const { log } = watching
  // Before the storage is opened, which makes the database that this asks about.
  const sandbox = decideSandbox(configuration)
  warnOfUnknownAddresses(log)
  const opened = await openStorage({ configuration, log, clock, ...watching.storage })
  closers.push(() => opened.close())
  const storage = watching.observeStorage(opened)
  const artifacts = watching.observeArtifacts(await openArtifacts({ configuration, log, clock }))
  opened.useArchive(createArchiveReader({ artifacts, digest, hashTile }))
  await requireOwnData({ storage, artifacts, adopt, clock, log })
  const opening = { configuration, environment, log, clock, storage, artifacts, watching, sandbox }
  const parts = await withPrices({ ...opening, startedAt: clock.now() })
  const { engine, routes } = await createServiceEngine(parts, closers)
  await engine.clock.ready()
  if (options.trustsClock === true) await trustClock(parts, engine)
  await requirePrices({ engine, log, isAlone: configuration.database === undefined })

  const metricsServer = await watching.listen()
  // Closed last, so that a stop can be watched.
  closers.push(async () => metricsServer?.close({ graceMs: 0 }))

  let publicUrl = configuration.publicUrl ?? ""
  const stopping = new AbortController()
  const checkReady = createCheckReady(parts, stopping.signal)
  // The engine's: processes that share a database must agree on when a key or a link has expired.
  const shared = { clock: engine.clock, log, checkReady, ...watching.handler }
  const { access, signIn } = createEntry(storage, engine, log)
  const operator = await assembleOperator(parts, engine, routes)
  closers.push(async () => operator.stop())
  const webhooks = createServiceWebhooks({ ...parts, engine, publicUrl: () => publicUrl })
  const engineParts = { service: engine, callbacks: engine, changes: engine, inputs: engine }
  const proofs = createServiceProofs(storage, configuration.checkpoints)
  const statements = createStatements({ ...parts.configuration, ...shared, storage, digest })
  const services = { ...engineParts, ...proofs, statements, insight: operator, signIn, webhooks }
  const api = { ...shared, ...services, access, settings, publicUrl: () => publicUrl }
  const handler = await createServiceHandler(configuration, api)
  const signing = role === "api" ? [] : await toCheckpointRuns({ ...parts, clock: engine.clock })
  const connections = await readMostConnections()
  const listener = { host, port, log, settings: { connections }, ...watching.server }
  const server = await createNodeServer({ handler, ...listener })
  log.info({ memoryBytes, ...settings }, "body bounds")
  publicUrl ||= server.url
  let schedules: Schedules = { stop: async () => {} }
  // All at once: requests under way may need the engine, what it and scheduled runs do needs no request.
  closers.push(async () => {
    stopping.abort()
    // Its stream would keep the server open.
    operator.stop()
    const ends = [server.close({ graceMs }), engine.stop({ graceMs }), schedules.stop({ graceMs })]
    await Promise.all([...ends, webhooks.stop({ graceMs })])
  })
  if (role !== "api") schedules = startWork(parts, { engine, signing, webhooks })
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= closeAll(closers))
  const metrics = metricsServer && { metricsUrl: metricsServer.url }
  const addresses = { url: server.url, publicUrl, ...metrics }
  return { ...addresses, hasSandbox: sandbox, signIn, storage, engine, operator, stop }
}

/** With the prices that the database knows, and which it keeps from now on. */
async function withPrices(parts: EngineParts): Promise<EngineParts> {
  const { configuration, storage } = parts
  const prices = await keepPrices(storage, configuration)
  return { ...parts, configuration: { ...configuration, prices } }
}

interface Work {
  readonly engine: Engine
  readonly webhooks: Webhooks
  readonly signing: readonly ScheduledRun[]
}

function startWork(parts: EngineParts, { engine, signing, webhooks }: Work): Schedules {
  const { clock, log } = parts
  engine.start()
  webhooks.start()
  const runs = [
    ...toScheduledRuns({ ...parts, engine, webhooks }),
    ...signing,
    ...toArchiveRuns({ ...parts, engine }),
  ]
  return startSchedules({ runs, clock, log })
}

/** Not ready from the moment that a stop is asked for. */
function createCheckReady(parts: EngineParts, stopping: AbortSignal): () => Promise<void> {
  const checkPieces = createReadiness(parts)
  return async () => {
    if (stopping.aborted) {
      throw new SafelightError({ code: "overloaded", message: "stop requested" })
    }
    await checkPieces()
  }
}

async function trustClock({ storage, log }: EngineParts, engine: Engine): Promise<void> {
  const record = createRecord(storage, engine, log)
  const change = { change: "clock-trusted", target: "clock", account: null } as const
  await record(CHANGED_WITHOUT_KEY.command, change)
  await engine.removalClock.trust()
}

function createRecord(storage: Storage, { clock }: Engine, log: Log): RecordChange {
  const identifiers = createIdentifiers(systemRandomness)
  return createChangeRecord({
    storage,
    clock,
    log,
    createId: (at) => identifiers.createTaskId(at),
  })
}

/** Who may come in, and by which ways. */
function createEntry(storage: Storage, engine: Engine, log: Log) {
  const { clock } = engine
  const access = createAccess({ storage, service: engine, clock })
  const record = createRecord(storage, engine, log)
  const keys = toRecordedKeys(storage, record, CHANGED_WITHOUT_KEY.signIn)
  return { access, signIn: createSignIn({ keys, clock }) }
}

async function assembleOperator(
  parts: EngineParts,
  engine: Engine,
  routes: readonly Route[],
): Promise<Operator> {
  const serviceVersion = await readVersion()
  const { commits } = parts.watching
  const { clock } = engine
  return createServiceOperator({ ...parts, clock, commits, engine, routes, serviceVersion })
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
  readonly startedAt: number
}

async function createServiceEngine(
  parts: EngineParts,
  closers: Close[],
): Promise<{ readonly engine: Engine; readonly routes: readonly Route[] }> {
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
  const { channels, contentRefusals, models, verifyReads } = configuration
  const { queueUnavailable = false, ...settings } = configuration.engine
  const canLink = configuration.publicUrl !== undefined
  const options = { channels, models, environment, log, createStudio, canLink }
  const routes = await createChannels(options)
  closers.push(async () => {
    await Promise.all(routes.map(async ({ channel }) => channel.close?.()))
  })
  const engine = createEngine({
    storage,
    artifacts,
    channels: routes.map((route) => ({
      ...route,
      channel: watching.observeChannel(route.channel),
    })),
    models,
    prices: configuration.prices,
    // A provider can't call the listening address.
    ...(configuration.publicUrl !== undefined && { publicUrl: configuration.publicUrl }),
    media,
    inspector,
    clock,
    log,
    tracer: watching.tracer,
    settings: { ...settings, retentionMs: configuration.retentionMs },
    queueUnavailable,
    ...(contentRefusals !== undefined && { contentRefusals }),
    ...(verifyReads !== undefined && { verifyReads }),
    node: { host: hostname(), role: configuration.role, startedAt: parts.startedAt },
  })
  return { engine, routes }
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
