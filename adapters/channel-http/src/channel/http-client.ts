/**
 * One request, sent once, and its whole answer. No library that repeats a POST by itself is used for a
 * purchase. A request that was certainly never sent rejects with `NotSent`: any other error leaves open whether it
 * arrived.
 */
import { gatherBody, SafelightError, toRetryAfterMs, type AbortSignalLike } from "@safelight/core"
import { Agent, request as send, type Dispatcher } from "undici"
import type { Reply } from "../declaration/provider-request.ts"
import { unavailable } from "../declaration/unavailable.ts"
import type { EncodedRequest } from "./encode-request.ts"
import { NotSent } from "./not-sent.ts"
import { readContent } from "./read-content.ts"

export interface HttpClient {
  /**
   * Rejects with `NotSent` if not a byte of the request can have arrived, with `aborted` if the signal
   * aborts, and otherwise with `channel-unavailable`, retryable.
   */
  send(request: RequestToSend): Promise<Reply>
  close(): Promise<void>
}

export interface RequestToSend extends EncodedRequest {
  readonly signal: AbortSignalLike
}

const CONNECT_MS = 10_000

/** Without `mostConnections` a request that finds no idle connection opens one at once. */
export interface HttpClientOptions {
  /** Connections to one origin; a request that finds none free waits for one. */
  readonly mostConnections?: number
  /** A longer answer is an error. */
  readonly mostReplyBytes: number
}

export function createHttpClient({
  mostConnections,
  mostReplyBytes,
}: HttpClientOptions): HttpClient {
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
    async send({ body, headers, method, signal, url }) {
      let answer: Dispatcher.ResponseData
      try {
        answer = await send(url, {
          dispatcher: agent,
          method,
          signal: toAbortSignal(signal),
          headers,
          ...(body !== undefined && { body }),
        })
      } catch (error) {
        throw toFault(error, signal)
      }
      try {
        return await readReply(answer, mostReplyBytes)
      } catch (error) {
        answer.body.destroy()
        throw toFault(error, signal)
      }
    },
    close: () => (closing ??= agent.close()),
  }
}

/** Core describes a signal without its host's type; every signal here is one of Node. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  return signal as AbortSignal
}

async function readReply(
  { body, headers, statusCode }: Dispatcher.ResponseData,
  mostBytes: number,
): Promise<Reply> {
  const bytes = await gatherBody(body, mostBytes)
  if (bytes === undefined) throw new Error("the answer is too large")
  const first = Object.entries(headers).flatMap(([name, value]) => {
    const one = Array.isArray(value) ? value[0] : value
    return one === undefined ? [] : [[name, one] as const]
  })
  const byName = Object.fromEntries(first)
  const after = byName["retry-after"]
  return {
    status: statusCode,
    headers: byName,
    ...readContent(bytes, byName["content-type"]),
    retryAfterMs: after === undefined ? undefined : toRetryAfterMs(after, Date.now()),
  }
}

/**
 * Codes of failures before the connection is open. A certificate is checked once, before undici gets the
 * socket.
 */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UND_ERR_CONNECT_TIMEOUT",
])

/** By code, the system call that proves that nothing was sent: an open connection fails with the same codes. */
const FAILED_CALLS: Readonly<Record<string, string>> = {
  EAI_AGAIN: "getaddrinfo",
  ECONNREFUSED: "connect",
  EHOSTUNREACH: "connect",
  ENETUNREACH: "connect",
  ENOTFOUND: "getaddrinfo",
}

/** The text under that name of an error of Node or undici; empty if there is none. */
function textOf(error: unknown, name: "code" | "syscall"): string {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined
  return typeof value === "string" ? value : ""
}

/** If several addresses were tried, each of them must have failed before sending. */
function isBeforeSending(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.every(isBeforeSending)
  }
  const code = textOf(error, "code")
  return NEVER_CONNECTED.has(code) || FAILED_CALLS[code] === textOf(error, "syscall")
}

/** The host is unknown, refuses connections, or shows a wrong certificate. */
const UNREACHABLE = { kind: "not-created", reason: "unreachable" } as const

function toFault(error: unknown, signal: AbortSignalLike): Error {
  if (signal.aborted) return new SafelightError({ code: "aborted", message: "called off" })
  if (isBeforeSending(error)) {
    return new NotSent(textOf(error, "code"), UNREACHABLE, { cause: error })
  }
  return unavailable("a provider could not be reached, or broke off", { cause: error })
}
