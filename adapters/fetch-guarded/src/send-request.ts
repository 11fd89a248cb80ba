/**
 * One request and the head of its answer. Every request has a client of its own, which ends with it: no
 * connection outlives a download, so none is used for a host that would no longer be allowed.
 */
import { Client, type Dispatcher } from "undici"
import type { MediaRequest } from "@safelight/core"
import {
  createGuardedConnector,
  MOST_ADDRESSES,
  type ConnectRefusal,
  type GuardedConnectorOptions,
} from "./guarded-connector.ts"
import type { GuardedFetchSettings } from "./guarded-fetch-options.ts"
import { downloadFailed } from "./media-fault.ts"

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
/** A content coding would have to be undone, so none is accepted. */
const CODING = { "accept-encoding": "identity" }
/** Enough for all that is read: a Location, and headers about lengths and versions. */
const MAX_HEADER_BYTES = 16_384

export async function sendRequest(
  { address, headers, ...connection }: RequestToSend,
  settings: GuardedFetchSettings,
): Promise<Answer> {
  const { connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs } = settings
  const client = new Client(address.origin, {
    connect: createGuardedConnector({ ...connection, connectTimeoutMs, toFault }),
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

function toFault(refusal: ConnectRefusal): Error {
  switch (refusal) {
    case "address-refused":
      return downloadFailed("its address is not allowed")
    case "host-unknown":
      return downloadFailed("its host was not found", true)
    case "too-many-addresses":
      return downloadFailed(`its host has more than ${MOST_ADDRESSES} addresses`)
    case "own-addresses-unknown":
      return downloadFailed("this host can't list its own addresses to compare with", true)
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
 * The headers that a caller adds, in lower case, so that one of them replaces ours and is not sent twice. Throws
 * a `RangeError` that names a reserved header.
 */
export function toRequestHeaders(headers: MediaRequest["headers"] = {}): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name] of lower) {
    if (RESERVED.has(name)) throw new RangeError(`headers must not hold ${name}`)
  }
  return Object.fromEntries(lower)
}
