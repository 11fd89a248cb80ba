/**
 * Requests to the server, each sent once, and their answers as JSON. The caller decides what an answer
 * means. A server behind a proxy may be below a path, and need a key.
 */
import { Readable } from "node:stream"
import {
  gatherBody,
  isSafelightError,
  parseJson,
  SafelightError,
  toRetryAfterMs,
  type AbortSignalLike,
  type Json,
} from "@safelight/core"
import { Agent, request as send, type Dispatcher } from "undici"
import { isComfyCloud } from "./options.ts"

export interface ComfyServer {
  /** As `http://127.0.0.1:8188`. */
  readonly origin: string
  /** Sent with each request. They may hold a key, which only this server may see. */
  readonly headers: Readonly<Record<string, string>>
  toUrl(path: string, query?: Readonly<Record<string, string>>): URL
  /**
   * Resolves to the answer, whatever its status. Rejects with `channel-unavailable`, retryable; with `aborted` if
   * the signal aborts; and with the error of `body`.
   */
  ask(request: ServerRequest): Promise<ServerReply>
  close(): Promise<void>
}

export interface ServerRequest {
  readonly method?: "GET" | "POST"
  readonly path: string
  readonly json?: unknown
  /** In place of `json`, with its own `content-type`. */
  readonly body?: { readonly type: string; readonly parts: AsyncIterable<Uint8Array> }
  readonly signal: AbortSignalLike
}

export interface ServerReply {
  readonly status: number
  /** Undefined if the body is no JSON. */
  readonly json: Json | undefined
  readonly retryAfterMs?: number
}

export interface ServerOptions {
  readonly baseUrl: URL
  readonly key: string | undefined
}

/** The queue is answered with the whole graph of each prompt. */
const MOST_REPLY_BYTES = 64 * 1024 * 1024
const CONNECT_MS = 10_000
/** An operator's own server has few prompts at once. */
const CONNECTIONS = 16

export function createComfyServer({ baseUrl, key }: ServerOptions): ComfyServer {
  const agent = new Agent({
    // Over HTTP/2 undici may send a POST again by itself.
    allowH2: false,
    connect: { timeout: CONNECT_MS },
    connections: CONNECTIONS,
    // The caller's signal is the time-out.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const root = `${baseUrl.origin}${baseUrl.pathname.replace(/\/$/, "")}`
  const headers = key === undefined ? {} : toHeaders(baseUrl, key)
  let closing: Promise<void> | undefined

  function toUrl(path: string, query: Readonly<Record<string, string>> = {}): URL {
    const url = new URL(`${root}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  return {
    origin: baseUrl.origin,
    headers,
    toUrl,
    async ask({ body, json, method = "GET", path, signal }) {
      const type = json === undefined ? body?.type : "application/json"
      let answer: Dispatcher.ResponseData | undefined
      try {
        answer = await send(toUrl(path), {
          dispatcher: agent,
          method,
          signal: signal as AbortSignal,
          headers: {
            accept: "application/json",
            "user-agent": "Safelight",
            ...headers,
            ...(type !== undefined && { "content-type": type }),
          },
          ...(json !== undefined && { body: JSON.stringify(json) }),
          ...(body !== undefined && { body: Readable.from(body.parts) }),
        })
        return await readReply(answer)
      } catch (error) {
        answer?.body.destroy()
        throw toFault(error, signal)
      }
    },
    close: () => (closing ??= agent.destroy()),
  }
}

function toHeaders(baseUrl: URL, key: string): Readonly<Record<string, string>> {
  return isComfyCloud(baseUrl) ? { "x-api-key": key } : { authorization: `Bearer ${key}` }
}

async function readReply({
  body,
  headers,
  statusCode,
}: Dispatcher.ResponseData): Promise<ServerReply> {
  const bytes = await gatherBody(body, MOST_REPLY_BYTES)
  if (bytes === undefined) throw new Error("the answer is too large")
  const after = headers["retry-after"]
  const retryAfterMs = typeof after === "string" ? toRetryAfterMs(after, Date.now()) : undefined
  return {
    status: statusCode,
    json: parseJson(Buffer.from(bytes.buffer).toString("utf8")),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

function toFault(error: unknown, signal: AbortSignalLike): Error {
  if (signal.aborted) return new SafelightError({ code: "aborted", message: "called off" })
  // The body that was being sent failed, by an error of its own.
  if (isSafelightError(error)) return error
  const { code = "" } = error as { readonly code?: string }
  const message = `the ComfyUI server can't be reached, or broke off${code === "" ? "" : ` (${code})`}`
  return new SafelightError({ code: "channel-unavailable", message, retryable: true, cause: error })
}

/** The error for an answer that ComfyUI would not give: the request may be sent again. */
export function meaningless({ status }: ServerReply): SafelightError {
  const message = `the ComfyUI server answered ${status}, which says nothing`
  return new SafelightError({ code: "channel-answer-invalid", message, retryable: true })
}
