/**
 * One request and the head of its answer. Every request has a client of its own, which ends with it: no
 * connection outlives a download, so none is used for a host that would no longer be allowed.
 */
import { Client, type Dispatcher } from "undici"
import type { MediaRequest } from "@safelight/core"
import { createGuardedConnector, type GuardedConnectorOptions } from "./guarded-connector.ts"
import type { GuardedFetchSettings } from "./guarded-fetch-options.ts"

export interface Answer {
  readonly status: number
  readonly headers: Dispatcher.ResponseData["headers"]
  readonly chunks: AsyncIterable<Uint8Array>
  /** Closes the connection; more than once is safe. */
  close(): Promise<void>
}

export interface RequestToSend extends Pick<
  GuardedConnectorOptions,
  "judge" | "lookup" | "signal"
> {
  readonly address: URL
  /** Added to those below; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** All that a server learns about us. */
const HEADERS = { accept: "*/*", "user-agent": "Safelight" }
/** A coding would have to be undone, so none is asked for. */
const CODING = { "accept-encoding": "identity" }
/** Headers hold nothing that we read but a Location, and what tells of lengths and versions. */
const MAX_HEADER_BYTES = 16_384

export async function sendRequest(
  { address, headers, ...connection }: RequestToSend,
  settings: GuardedFetchSettings,
): Promise<Answer> {
  const { connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs } = settings
  const client = new Client(address.origin, {
    connect: createGuardedConnector({ ...connection, connectTimeoutMs }),
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // No keep-alive.
    pipelining: 0,
  })
  try {
    const answer = await client.request({
      method: "GET",
      path: `${address.pathname}${address.search}`,
      headers: { ...HEADERS, ...headers, ...CODING },
      signal: connection.signal,
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      chunks: answer.body,
      close: () => client.destroy(),
    }
  } catch (error) {
    await client.destroy()
    throw error
  }
}

/**
 * Headers that the download depends on, `Host` above all: the HTTP client connects to it, and checks the
 * certificate against it.
 */
const RESERVED = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "if-range",
  "range",
])

/**
 * The headers that a request's maker adds, in lower case, so that one of them takes the place of ours and is
 * not sent twice. Throws a `RangeError`, naming a header that is ours alone.
 */
export function toRequestHeaders(headers: MediaRequest["headers"] = {}): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name] of lower) {
    if (RESERVED.has(name)) throw new RangeError(`headers must not hold ${name}`)
  }
  return Object.fromEntries(lower)
}
