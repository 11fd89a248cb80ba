/**
 * The handler in two worlds: called in process with a web-standard request, and over a real socket
 * behind the Node server. A behaviour that is not about sockets is tested in both.
 */
import { createAccess, type AccessSettings } from "@safelight/access"
import {
  createHttpHandler,
  createNodeServer,
  type HttpSettings,
  type OpenAiService,
} from "@safelight/http"
import { MODELS, type Log, type LogFields, type Tracer } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import { Agent, fetch as socketFetch } from "undici"
import { createApiDocument } from "../../../adapters/http/src/openapi/document.ts"
import { createAnswerChecker } from "../../support/openapi-answers.ts"
import type { ApiDocument } from "../../support/openapi-document.ts"
import { checkResponse } from "../../support/openapi-response.ts"
import { createFakeChanges } from "./fake-changes.ts"
import { createFakeInsight } from "./fake-insight.ts"
import { createFakeProofs } from "./fake-proofs.ts"
import { createFakeService } from "./fake-service.ts"
import { createFakeSignIn } from "./fake-sign-in.ts"
import { createFakeStatements } from "./fake-statements.ts"
import { createFakeStorage, type FakeStorage } from "./fake-storage.ts"
import { createFakeWebhooks } from "./fake-webhooks.ts"

export const WORLDS = ["in process", "over a socket"] as const

/** As a client reads it: what every world answers is held to it. */
export const DOCUMENT = JSON.parse(JSON.stringify(createApiDocument(MODELS))) as ApiDocument
export const checker = createAnswerChecker(DOCUMENT)

export interface Call {
  readonly method?: string
  readonly headers?: Record<string, string>
  /** Further headers, of which one may stand several times. */
  readonly repeated?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
}

export interface WorldOptions {
  readonly settings?: Partial<HttpSettings>
  readonly accessSettings?: Partial<AccessSettings>
  readonly checkReady?: () => Promise<void>
  readonly publicUrl?: () => string
  readonly hasReference?: boolean
  readonly currency?: string
  readonly tracer?: Tracer
  readonly openai?: OpenAiService
  /** By default. */
  readonly hasStreams?: boolean
  /** By default. */
  readonly hasProofs?: boolean
  /** Another world's, as another node of the service would share it. */
  readonly shared?: FakeStorage
}

export async function createWorld(
  kind: (typeof WORLDS)[number] = "in process",
  options: WorldOptions = {},
) {
  const fake = createFakeService()
  const changes = createFakeChanges(fake.tasks, fake.failIfAsked)
  const operator = createFakeInsight(fake.throwFailure)
  const { shared = createFakeStorage(), settings = {}, accessSettings = {} } = options
  const { hasProofs = true, hasStreams: _, shared: __, ...others } = options
  const proofs = createFakeProofs(fake.failIfAsked)
  const statements = createFakeStatements(fake.failIfAsked)
  const { storage, keys, accounts, links, rates } = shared
  const clock = createManualClock()
  const logged: { level: string; fields: LogFields; message: string }[] = []
  const log: Log = {
    info: (fields, message) => logged.push({ level: "info", fields, message }),
    warn: (fields, message) => logged.push({ level: "warn", fields, message }),
    error: (fields, message) => logged.push({ level: "error", fields, message }),
  }
  const handler = createHttpHandler({
    service: fake.service,
    callbacks: fake.callbackService,
    webhooks: createFakeWebhooks(fake.throwFailure),
    signIn: createFakeSignIn(fake.throwFailure),
    insight: operator.insight,
    statements,
    ...(hasProofs && { proofs }),
    ...(options.hasStreams !== false && { changes: changes.service }),
    access: createAccess({ storage, service: fake.service, clock, settings: accessSettings }),
    clock,
    log,
    publicUrl: () => "https://media.example/",
    random: () => 0.5,
    settings,
    ...others,
  })
  const server =
    kind === "in process" ? undefined : await createNodeServer({ handler, log, settings })
  const dispatcher = new Agent()
  const key = keys.add()

  /** A call without credentials; rejects where the document does not describe the answer. */
  async function bare(path: string, call: Call = {}): Promise<Response> {
    const response = await send(path, call)
    await checkResponse(checker, { method: call.method ?? "GET", target: path }, response)
    return response
  }

  async function send(path: string, call: Call): Promise<Response> {
    const { headers: once = {}, repeated = [] } = call
    const headers = [...Object.entries(once), ...repeated] as [string, string][]
    const init = { method: call.method ?? "GET", headers }
    const body = call.body === undefined ? {} : { body: call.body as string }
    if (server === undefined) {
      return handler.fetch(new Request(`http://inner.example${path}`, { ...init, ...body }))
    }
    const url = `${server.url}${path}`
    return await socketFetch(url, { ...init, ...body, dispatcher })
  }

  async function close(): Promise<void> {
    await dispatcher.destroy()
    await server?.close({ graceMs: 0 })
  }

  return {
    fake,
    changes,
    operator,
    proofs,
    statements,
    shared,
    storage,
    keys,
    accounts,
    links,
    rates,
    clock,
    logged,
    handler,
    server,
    key,
    bare,
    /** A call with a key of every scope. */
    call: (path: string, call: Call = {}) =>
      bare(path, { ...call, headers: { authorization: `Bearer ${key}`, ...call.headers } }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

export type World = Awaited<ReturnType<typeof createWorld>>

/** A valid creation call, or one with another body. */
export function creation(body: unknown = VALID): Call {
  const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)
  return { method: "POST", headers: { "content-type": "application/json" }, body: text }
}

export const VALID = {
  model: "vendor-a/v4.1/flash/text-to-image",
  parameters: { prompt: "a lighthouse" },
}
