/**
 * One request, sent once, and its answer in full. No library that tries a POST again by itself comes
 * near a purchase; what was surely never sent is told apart from what may have been.
 */
import { SafelightError, type AbortSignalLike, type Json } from "@safelight/core"
import { Agent, request as send, type Dispatcher } from "undici"
import type { ProviderRequest, Reply } from "./provider.ts"

export interface HttpClient {
  /**
   * Rejects with a `NotSent` where not a byte of it can have arrived, with `aborted` on the signal, and
   * with `channel-unavailable` else.
   */
  send(request: RequestToSend): Promise<Reply>
  close(): Promise<void>
}

export interface RequestToSend extends ProviderRequest {
  readonly url: URL
  readonly signal: AbortSignalLike
}

/** No byte of the request left: the host is unknown, refuses connections, or shows a wrong certificate. */
export class NotSent extends Error {
  override readonly name = "NotSent"
}

/** Pictures come as base64 in an answer, some of 20 MB each. */
const MOST_REPLY_BYTES = 128 * 1024 * 1024
const CONNECT_MS = 10_000

/** Without a bound each request that finds no idle connection has one of its own at once. */
export interface HttpClientOptions {
  /** Connections to one origin; what finds none free waits for one. */
  readonly mostConnections?: number
}

export function createHttpClient({ mostConnections }: HttpClientOptions = {}): HttpClient {
  const agent = new Agent({
    ...(mostConnections !== undefined && { connections: mostConnections }),
    // Over HTTP/2 undici sends a POST again by itself, after GOAWAY and REFUSED_STREAM.
    allowH2: false,
    connect: { timeout: CONNECT_MS },
    // The caller's signal is the time-out: a synchronous provider may be silent for minutes.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

  let closing: Promise<void> | undefined

  return {
    async send({ headers, json, method, signal, url }) {
      let answer: Dispatcher.ResponseData
      try {
        answer = await send(url, {
          dispatcher: agent,
          method,
          signal: signal as AbortSignal,
          headers: {
            accept: "application/json",
            "user-agent": "Safelight",
            ...(json !== undefined && { "content-type": "application/json" }),
            ...headers,
          },
          ...(json !== undefined && { body: JSON.stringify(json) }),
        })
      } catch (error) {
        throw toFault(error, signal)
      }
      try {
        return toReply(answer, await readText(answer.body))
      } catch (error) {
        answer.body.destroy()
        throw toFault(error, signal)
      }
    },
    close: () => (closing ??= agent.close()),
  }
}

async function readText(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += (chunk as Uint8Array).byteLength
    if (bytes > MOST_REPLY_BYTES) throw new Error("the answer is too large")
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks).toString("utf8")
}

function toReply({ headers, statusCode }: Dispatcher.ResponseData, text: string): Reply {
  const first = Object.entries(headers).flatMap(([name, value]) => {
    const one = Array.isArray(value) ? value[0] : value
    return one === undefined ? [] : [[name, one] as const]
  })
  const byName = Object.fromEntries(first)
  return {
    status: statusCode,
    headers: byName,
    json: parse(text),
    retryAfterMs: toRetryAfterMs(byName["retry-after"]),
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // A page of a proxy, or a body that broke off: it says nothing.
    return undefined
  }
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function toRetryAfterMs(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/**
 * What only the handshake or the wait for it fails with. Certificates are judged once, before undici is
 * handed the socket.
 */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UND_ERR_CONNECT_TIMEOUT",
])

/** The system call that proves it: a connection that stood breaks with the same codes. */
const FAILED_CALLS: Readonly<Record<string, string>> = {
  EAI_AGAIN: "getaddrinfo",
  ECONNREFUSED: "connect",
  EHOSTUNREACH: "connect",
  ENETUNREACH: "connect",
  ENOTFOUND: "getaddrinfo",
}

/** Of several addresses that were tried, each. */
function isBeforeSending(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.every(isBeforeSending)
  }
  const { code = "", syscall } = error as { readonly code?: string; readonly syscall?: string }
  return NEVER_CONNECTED.has(code) || (syscall !== undefined && FAILED_CALLS[code] === syscall)
}

function toFault(error: unknown, signal: AbortSignalLike): Error {
  if (signal.aborted) return new SafelightError({ code: "aborted", message: "called off" })
  if (isBeforeSending(error)) {
    return new NotSent((error as { readonly code?: string }).code ?? "", { cause: error })
  }
  const message = "a provider could not be reached, or broke off"
  return new SafelightError({ code: "channel-unavailable", message, retryable: true, cause: error })
}
