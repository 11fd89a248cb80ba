/**
 * One request to the service and what can go wrong with it, as `CommandError`s. The one thing that
 * matters: a POST is sent once. Where it is not proved that nothing was accepted, the outcome is
 * unknown and nothing here tries again (specification §1). Redirects are refused: they would re-send
 * it, or carry the key to another host.
 */
import * as v from "valibot"
import { CommandError } from "../command-error.ts"
import { EXIT } from "../exit-code.ts"
import { errorBody } from "./task-records.ts"

export interface ServiceConnectionOptions {
  /** Base address, a slash at its end or not. */
  readonly url: string
  readonly key: string
  /** How long the service may be silent: until its answer begins, and between any two pieces of it. */
  readonly timeoutMs: number
}

export interface ServiceConnection {
  /** Answers 2xx; everything else rejects with a `CommandError`. `path` begins with `/v1`. */
  get(path: string): Promise<Response>
  /** Sends JSON text once. A repeat with the same key makes no second task. */
  post(path: string, body: string, idempotencyKey: string): Promise<Response>
  /** A POST without a body, for what neither stores nor costs anything; fails as `get` does. */
  postEmpty(path: string): Promise<Response>
}

/** Failures that come before a connection stands: nothing was sent. */
const NOT_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
])

/** No TLS was agreed on, so no request went out: a wrong protocol or a certificate not trusted. */
const TLS_FAILED = /^(?:ERR_SSL_|ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_|SELF_SIGNED_)/

export function createServiceConnection(options: ServiceConnectionOptions): ServiceConnection {
  const base = toBase(options.url)
  const authorization = `Bearer ${toHeaderValue(options.key)}`
  const { timeoutMs } = options
  const send = (path: string, init: RequestInit): Promise<Response> =>
    fetchWatched(`${base}${path}`, init, timeoutMs)
  const ask = async (path: string, method: string): Promise<Response> => {
    const headers = { authorization, "accept-encoding": "identity" }
    const response = await send(path, { method, headers }).catch((error: unknown) => {
      throw unreachable(base, error)
    })
    return response.ok ? response : await refuse(response)
  }
  return {
    get: (path) => ask(path, "GET"),
    postEmpty: (path) => ask(path, "POST"),
    async post(path, body, idempotencyKey) {
      const headers = {
        authorization,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      }
      const init = { method: "POST", headers, body }
      const response = await send(path, init).catch((error: unknown) => {
        throw isNotSent(error) ? unreachable(base, error) : outcomeUnknown("no answer came", error)
      })
      return response.ok ? response : await refusePost(response)
    },
  }
}

/** The body is watched too: a service that stops in the middle of it would be waited for in vain. */
async function fetchWatched(url: string, init: RequestInit, timeoutMs: number): Promise<Response> {
  const silence = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const listen = (): void => {
    clearTimeout(timer)
    // A body that nobody reads to its end keeps no command alive.
    timer = setTimeout(() => silence.abort(), timeoutMs).unref()
  }
  listen()
  const asked = { ...init, redirect: "manual", signal: silence.signal } as const
  const response = await fetch(url, asked).catch((error: unknown) => {
    clearTimeout(timer)
    throw error
  })
  if (response.body === null) {
    clearTimeout(timer)
    return response
  }
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      listen()
      controller.enqueue(chunk)
    },
    flush: () => clearTimeout(timer),
  })
  return new Response(response.body.pipeThrough(watch), response)
}

/** For a POST that may have been taken; `seen` says what was seen instead of an answer. */
export function outcomeUnknown(seen: string, cause?: unknown): CommandError {
  return new CommandError({
    exitCode: EXIT.outcomeUnknown,
    message:
      `${seen}: whether a task was created is unknown, and it may be billed; ` +
      "`safelight tasks list` shows what there is",
    cause,
  })
}

function toBase(url: string): string {
  const parsed = URL.parse(url)
  if (parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === "") {
    return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`
  }
  throw new CommandError({ exitCode: EXIT.refused, message: "--url: expected an http(s) address" })
}

function toHeaderValue(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new CommandError({
    exitCode: EXIT.refused,
    message: "the API key holds characters no key has",
  })
}

function unreachable(base: string, cause: unknown): CommandError {
  const message = `${base} can't be reached (${toCode(cause)})`
  return new CommandError({ exitCode: EXIT.unavailable, message, cause })
}

function isNotSent(error: unknown): boolean {
  const cause = (error as Error).cause as
    | { code?: string; errors?: { code?: string }[] }
    | undefined
  const codes = (cause?.errors ?? [cause]).map((each) => each?.code ?? "")
  return codes.every((code) => NOT_SENT.has(code) || TLS_FAILED.test(code))
}

function toCode(error: unknown): string {
  if ((error as Error).name === "AbortError") return "it does not answer"
  const cause = (error as Error).cause as { code?: string; message?: string } | undefined
  return cause?.code ?? cause?.message ?? (error as Error).message
}

async function refuse(response: Response): Promise<never> {
  throw await toRefusal(response)
}

/**
 * A service that fails may have accepted the request before, and a gateway's own words say nothing
 * about the service behind it. Only a 503 of the service itself says that nothing was accepted.
 */
async function refusePost(response: Response): Promise<never> {
  const refusal = await toRefusal(response)
  const isRefused = response.status === 503 && refusal.code !== ""
  const isUnknown = response.status >= 500 && !isRefused
  if (isUnknown || refusal.code === "outcome_unknown")
    throw outcomeUnknown(refusal.message, refusal)
  throw refusal
}

/** A `CommandError` that knows the service's own code (empty where it gave none). */
export class RefusalError extends CommandError {
  readonly status: number
  readonly code: string
  readonly retryAfter: string | null

  constructor(response: Response, body: { readonly code: string; readonly message: string }) {
    const words = body.code === "" ? "" : `: ${body.message} (${body.code})`
    super({
      exitCode: response.status >= 500 ? EXIT.unavailable : EXIT.refused,
      message: `the service answered ${response.status}${words}`,
    })
    this.status = response.status
    this.code = body.code
    this.retryAfter = response.headers.get("retry-after")
  }
}

async function toRefusal(response: Response): Promise<RefusalError> {
  const body = await response.json().catch(() => undefined)
  const parsed = v.safeParse(errorBody, body)
  return new RefusalError(
    response,
    parsed.success ? parsed.output.error : { code: "", message: "" },
  )
}
