/**
 * A real Safelight in this process, whose own channel is fal's stub: what another Safelight's channel is
 * pointed at. What was created there is what its database holds.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import { createApiKeyParts, formatApiKey } from "@safelight/access"
import {
  API_KEY_SCOPES,
  NO_LIMITS,
  type AccountSettings,
  type ApiKeyScope,
  type Channel,
  type Storage,
} from "@safelight/core"
import { sha256, systemRandomness } from "@safelight/engine"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { createService, DEFAULTS, type Service } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const { safelight } = PROVIDERS

export interface SafelightWorld extends AsyncDisposable {
  readonly service: Service
  /** Where the service buys. */
  readonly stub: RunningStub
  /** Of an account without limits. */
  readonly key: string
  countTasks(): number
  /** A key of an account of its own. */
  createKey(options?: KeyOptions): Promise<string>
  /** Closed with the world. */
  openChannel(key?: string): Channel
}

interface KeyOptions {
  readonly scopes?: readonly ApiKeyScope[]
  readonly settings?: Partial<AccountSettings>
  readonly revokedAt?: number
}

/** A key of a new account, without limits unless they are given. */
export async function createStoredKey(
  storage: Storage,
  account: string,
  options: KeyOptions = {},
): Promise<string> {
  const { revokedAt = 0, scopes = API_KEY_SCOPES } = options
  const settings = { ...NO_LIMITS, ...options.settings }
  const parts = createApiKeyParts(systemRandomness(new Uint8Array(96)))
  const secretSha256 = sha256([parts.secret])
  await storage.setAccount({ id: account, now: Date.now(), settings })
  const key = { id: parts.id, account, secretSha256, scopes, createdAt: 0, revokedAt }
  await storage.createKey({ ...key, expiresAt: 0 })
  return formatApiKey(parts)
}

export async function openSafelightWorld(): Promise<SafelightWorld> {
  const places = new AsyncDisposableStack()
  const folder = places.use(await createTemporaryFolder())
  const stub = places.use((await STUBS["fal"]?.({ queueMs: 0, runMs: 0 })) ?? assert.fail())
  const channels = [{ type: "fal", baseUrl: stub.url }]
  const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data: folder.path, channels }
  const service = await createService({ configuration, environment: { FAL_KEY: "id:secret" } })
  places.defer(() => service.stop())
  // A connection of its own: what it sees is what is stored.
  const observer = new DatabaseSync(join(folder.path, "safelight.db"), { readOnly: true })
  places.defer(() => observer.close())
  const count = observer.prepare("select count(*) as tasks from tasks")
  let accounts = 0

  function createKey(options: KeyOptions = {}): Promise<string> {
    accounts += 1
    return createStoredKey(service.storage, `account-${accounts}`, options)
  }

  const key = await createKey()
  return {
    service,
    stub,
    key,
    countTasks: () => Number(count.get()?.["tasks"]),
    createKey,
    openChannel(by = key) {
      const channel = createHttpChannel({ provider: safelight, key: by, baseUrl: service.url })
      places.defer(async () => channel.close?.())
      return channel
    },
    [Symbol.asyncDispose]: () => places.disposeAsync(),
  }
}
