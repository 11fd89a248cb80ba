/**
 * The service put together in this process: the HTTP handler and the Node server over the real
 * engine on real SQLite. The engine is not started unless a test starts it, so that an accepted
 * task stays queued and a POST costs its acceptance alone.
 */
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import {
  type AccessSettings,
  createAccess,
  createApiKeyParts,
  formatApiKey,
} from "@safelight/access"
import {
  API_KEY_SCOPES,
  type ApiKeyScope,
  type ArtifactStorage,
  type Channel,
  type Log,
  type LogFields,
  type Storage,
} from "@safelight/core"
import {
  createEngine,
  sha256,
  systemClock,
  systemRandomness,
  type EngineSettings,
} from "@safelight/engine"
import {
  createHttpHandler,
  createNodeServer,
  type HttpSettings,
  type OnAnswered,
} from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createCheckedFetch } from "../support/openapi-response.ts"
import { createInstantChannel } from "../support/instant-channel.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

export interface InProcessServiceOptions {
  readonly settings?: Partial<HttpSettings>
  readonly accessSettings?: Partial<AccessSettings>
  readonly engineSettings?: Partial<EngineSettings>
  readonly busyTimeoutMs?: number
  /** Stands between the engine and its database. */
  readonly wrapStorage?: (storage: Storage) => Storage
  /** Stands between the engine and its files. */
  readonly wrapArtifacts?: (artifacts: ArtifactStorage) => ArtifactStorage
  /** In place of one that answers at once. */
  readonly channel?: Channel
  /** Hears of every request. */
  readonly onAnswered?: OnAnswered
}

/** What one kind of key is given; the rest is an ordinary key's. */
interface KeyOptions {
  readonly account?: string
  readonly scopes?: readonly ApiKeyScope[]
  readonly revokedAt?: number
  readonly expiresAt?: number
}

export interface ServiceKeys {
  readonly whole: string
  /** As whole, and another account's. */
  readonly other: string
  /** Without `tasks:write`. */
  readonly reading: string
  readonly revoked: string
  readonly expired: string
  /** Well formed, and nobody's. */
  readonly unknown: string
}

/** The body of an ordinary creation. */
export const REQUEST = JSON.stringify({
  model: "vendor-a/v4.1/flash/text-to-image",
  parameters: { prompt: "a lighthouse" },
})

export interface Logged {
  readonly level: "info" | "warn" | "error"
  readonly fields: LogFields
  readonly message: string
}

export interface StoredCounts {
  readonly tasks: number
  readonly events: number
  readonly inputs: number
}

const ACCOUNT = "generated"

export async function createInProcessService(options: InProcessServiceOptions = {}) {
  const { settings = {}, accessSettings = {}, engineSettings = {}, busyTimeoutMs = 5_000 } = options
  const watching = options.onAnswered === undefined ? {} : { onAnswered: options.onAnswered }
  const folder = await createTemporaryFolder()
  const file = join(folder.path, "safelight.db")
  const opened = await createSqliteStorage({ folder: folder.path, mode: "serve", busyTimeoutMs })
  const files = createFilesystemArtifacts({ folder: join(folder.path, "artifacts") })
  const storage = options.wrapStorage?.(opened) ?? opened
  const artifacts = options.wrapArtifacts?.(files) ?? files
  const channels = [options.channel ?? createInstantChannel()]
  const engine = createEngine({
    storage,
    artifacts,
    channels,
    settings: engineSettings,
    queueUnavailable: true,
  })
  const logged: Logged[] = []
  let url = ""
  const handler = createHttpHandler({
    service: engine,
    changes: engine,
    access: createAccess({
      storage,
      service: engine,
      clock: systemClock,
      settings: accessSettings,
    }),
    clock: systemClock,
    publicUrl: () => url,
    log: createKeepingLog(logged),
    checkReady: () => storage.check(),
    settings,
    ...watching,
  })
  const log = createKeepingLog(logged)
  const server = await createNodeServer({ handler, settings, log, ...watching })
  url = server.url
  const keys = await createKeys(opened)
  // A connection of its own: what it sees is what is stored.
  const observer = new DatabaseSync(file, { readOnly: true })
  const count = observer.prepare(
    "select (select count(*) from tasks) as tasks, (select count(*) from events) as events," +
      " (select count(*) from inputs) as inputs",
  )

  return {
    file,
    url,
    /** Rejects where an answer does not fit the service's document. */
    handler: { fetch: createCheckedFetch(handler.fetch) },
    engine,
    keys,
    logged,
    countStored: () => ({ ...count.get() }) as unknown as StoredCounts,
    async [Symbol.asyncDispose]() {
      await server.close({ graceMs: 0 })
      await engine.stop()
      observer.close()
      await opened.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export type InProcessService = Awaited<ReturnType<typeof createInProcessService>>

async function createKeys(storage: Storage): Promise<ServiceKeys> {
  return {
    whole: await createKey(storage, {}),
    other: await createKey(storage, { account: "other" }),
    reading: await createKey(storage, { scopes: ["tasks:read", "artifacts:read"] }),
    revoked: await createKey(storage, { revokedAt: 1 }),
    expired: await createKey(storage, { expiresAt: 1 }),
    unknown: formatApiKey(createApiKeyParts(systemRandomness(new Uint8Array(96)))),
  }
}

async function createKey(storage: Storage, options: KeyOptions): Promise<string> {
  const { account = ACCOUNT, scopes = API_KEY_SCOPES, revokedAt = 0, expiresAt = 0 } = options
  const parts = createApiKeyParts(systemRandomness(new Uint8Array(96)))
  const secretSha256 = sha256([parts.secret])
  const key = { id: parts.id, account, secretSha256, scopes, createdAt: 0, revokedAt, expiresAt }
  await storage.createKey(key)
  return formatApiKey(parts)
}

function createKeepingLog(logged: Logged[]): Log {
  return {
    info: (fields, message) => logged.push({ level: "info", fields, message }),
    warn: (fields, message) => logged.push({ level: "warn", fields, message }),
    error: (fields, message) => logged.push({ level: "error", fields, message }),
  }
}
