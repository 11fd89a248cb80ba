/**
 * The service, put together: storage, artifacts, media, the studio, the engine, HTTP and the
 * schedules, each by its port. What was opened is closed again in the reverse order, also where a
 * later piece refuses to start; so a taken port leaves no folder locked.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import {
  createFilesystemArtifacts,
  type FilesystemArtifacts,
} from "@safelight/artifacts-filesystem"
import { createStudioChannel } from "@safelight/channel-studio"
import { SafelightError, SILENT_LOG, type Clock, type Log, type Storage } from "@safelight/core"
import { createEngine, systemClock, type Engine } from "@safelight/engine"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import type { Configuration } from "./configuration/configuration.ts"
import { createReadiness } from "./readiness.ts"
import { EACH_MINUTE, EACH_NIGHT, startSchedules } from "./schedules.ts"

export interface ServiceOptions {
  readonly configuration: Configuration
  readonly log?: Log
  readonly clock?: Clock
}

export interface Service {
  /** Where it listens: `http://host:port`, IPv6 in brackets, loopback for every interface. */
  readonly url: string
  /** Where clients reach it: the configured address, or where it listens. */
  readonly publicUrl: string
  readonly storage: Storage
  readonly engine: Engine
  /**
   * Takes no more requests, lets what runs finish for up to `stopGraceMs`, hands the rest back to
   * the queue and closes everything. Safe to call twice.
   */
  stop(): Promise<void>
}

type Close = () => Promise<void>

/** Resolves once requests are served. Rejects with the `SafelightError` of the piece that failed. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const closers: Close[] = []
  try {
    return await assemble(options, closers)
  } catch (error) {
    await closeAll(closers).catch((second: unknown) => {
      options.log?.error({ error: second }, "a piece could not be closed after a failed start")
    })
    throw error
  }
}

async function assemble(options: ServiceOptions, closers: Close[]): Promise<Service> {
  const { configuration, log = SILENT_LOG, clock = systemClock } = options
  const { stopGraceMs: graceMs } = configuration
  const storage = await createSqliteStorage({ folder: configuration.data, mode: "serve", log })
  closers.push(() => storage.close())
  const artifacts = await openArtifacts(configuration)
  const engine = createServiceEngine({ configuration, log, clock, storage, artifacts }, closers)

  let publicUrl = configuration.publicUrl ?? ""
  let isStopping = false
  const checkPieces = createReadiness(clock, async () => {
    await Promise.all([storage.check(), artifacts.check()])
  })
  const checkReady = async (): Promise<void> => {
    if (isStopping) throw new SafelightError({ code: "overloaded", message: "stopping" })
    await checkPieces()
  }
  const handler = createHttpHandler({
    service: engine,
    storage,
    publicUrl: () => publicUrl,
    clock,
    log,
    checkReady,
  })
  const { host, port } = configuration
  const server = await createNodeServer({ handler, host, port, log })
  publicUrl ||= server.url
  // Both at once: requests under way may need the engine, tasks under way need no request.
  closers.push(async () => {
    isStopping = true
    await Promise.all([server.close({ graceMs }), engine.stop({ graceMs })])
  })

  engine.start()
  const schedules = startSchedules({ chores: toChores(engine, artifacts, clock, log), log })
  closers.push(() => schedules.stop())
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= closeAll(closers))
  return { url: server.url, publicUrl, storage, engine, stop }
}

interface EngineParts {
  readonly configuration: Configuration
  readonly log: Log
  readonly clock: Clock
  readonly storage: Storage
  readonly artifacts: FilesystemArtifacts
}

function createServiceEngine(parts: EngineParts, closers: Close[]): Engine {
  const { configuration, log, clock, storage, artifacts } = parts
  const media = createGuardedFetch(configuration.media)
  const studio = createStudioChannel({ media, log, clock, ...configuration.studio })
  closers.push(async () => studio.close?.())
  return createEngine({
    storage,
    artifacts,
    channels: [studio],
    prices: configuration.prices,
    clock,
    log,
    settings: { ...configuration.engine, retentionMs: configuration.retentionMs },
  })
}

async function openArtifacts({ data }: Configuration): Promise<FilesystemArtifacts> {
  const folder = join(data, "artifacts")
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const message = `${folder} can't be made (${(cause as NodeJS.ErrnoException).code})`
    throw new SafelightError({ code: "invalid-configuration", message, cause })
  }
  return createFilesystemArtifacts({ folder })
}

function toChores(
  engine: Engine,
  artifacts: FilesystemArtifacts,
  clock: Clock,
  log: Log,
): Parameters<typeof startSchedules>[0]["chores"] {
  return [
    {
      name: "sweep",
      pattern: EACH_MINUTE,
      async run() {
        const report = await engine.sweep(clock.now())
        if (Object.values(report).some((count) => count > 0)) log.info({ ...report }, "swept")
      },
    },
    {
      name: "sweep-incoming",
      pattern: EACH_NIGHT,
      async run() {
        const removed = await artifacts.sweepIncoming(clock.now())
        if (removed > 0) log.info({ removed }, "swept unfinished files")
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
