/** A service of the studio with its door, and the official package before it. */
import { createKey } from "@safelight/access"
import { createClient, type Client } from "@safelight/client"
import type { ApiKeyScope } from "@safelight/core"
import OpenAI from "openai"
import { createService, DEFAULTS, type Service } from "safelight"
import type { LyingProxy } from "../../support/lying-proxy.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

export const IMAGE = "vendor-a/v4.1/flash/text-to-image"
export const EDIT = "vendor-b/imagine-image/v2.0/edit"
export const VIDEO = "vendor-c/video-2.5/reference-to-video"

export interface Door extends AsyncDisposable {
  readonly service: Service
  /** Of another account each time, unless it is named. */
  open(options?: OpenOptions): Promise<Opened>
}

export interface OpenOptions {
  readonly scopes?: readonly ApiKeyScope[]
  readonly account?: string
  /** Where the package sends its requests. */
  readonly url?: string
}

export interface Opened {
  readonly apiKey: string
  readonly openai: OpenAI
  readonly baseURL: string
  readonly api: Client
  countTasks(): Promise<number>
}

export async function startDoor(): Promise<Door> {
  await using places = new AsyncDisposableStack()
  const { path: data } = places.use(await createTemporaryFolder())
  const own = { port: 0, stopGraceMs: 1_000, studio: { sandbox: true }, data }
  const service = await createService({ configuration: { ...DEFAULTS, ...own } })
  places.defer(() => service.stop())
  const held = places.move()
  let accounts = 0

  async function makeKey(account: string, scopes?: readonly ApiKeyScope[]): Promise<string> {
    const settings = { account, now: Date.now(), ...(scopes && { scopes }) }
    return (await createKey({ keys: service.storage, ...settings })).key
  }

  return {
    service,
    async open({ account = `account-${(accounts += 1)}`, scopes, url = service.url } = {}) {
      const apiKey = await makeKey(account, scopes)
      const baseURL = `${url}/openai/v1`
      const api = createClient({ url: service.url, key: await makeKey(account) })
      return {
        apiKey,
        baseURL,
        api,
        openai: new OpenAI({ apiKey, baseURL }),
        countTasks: async () => (await api.listPage({ limit: 100 })).tasks.length,
      }
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Answers at the path are lost, so many of them; tells how often it was asked for. */
export function loseAnswers(proxy: LyingProxy, lostPath: string, most: number): () => number {
  let tries = 0
  proxy.lie(
    ({ path }) => {
      tries += path === lostPath ? 1 : 0
      return path === lostPath && tries <= most
    },
    () => "reset",
  )
  return () => tries
}

/** What it was rejected with. */
export async function fail(asked: PromiseLike<unknown>, what = "it"): Promise<unknown> {
  try {
    await asked
  } catch (error) {
    return error
  }
  throw new Error(`${what} was not refused`)
}
