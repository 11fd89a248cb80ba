/**
 * Asks for a URL until an answer is no redirect, and checks that answer. Every request has a client
 * of its own, gone with it: no connection outlives a download, and so none is used for a host that
 * would no longer be allowed.
 */
import { Client, type Dispatcher } from "undici"
import { createAddressJudge, type AddressJudge } from "./address-rule.ts"
import { parseDownloadAddress, parseRedirect } from "./download-address.ts"
import { createGuardedConnector } from "./guarded-connector.ts"
import type { GuardedFetchSettings, LookUpHost } from "./guarded-fetch-options.ts"
import { downloadFailed, tooLarge } from "./media-fault.ts"

export interface Answer {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Closes the connection; more than once is safe. */
  close(): Promise<void>
}

export interface DownloadRequest {
  readonly url: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export type Download = (request: DownloadRequest) => Promise<Answer>

/** All that a server learns about us. A coding would have to be undone, so none is asked for. */
const HEADERS = { accept: "*/*", "accept-encoding": "identity", "user-agent": "Safelight" }
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Headers hold nothing that we read, but a Location. */
const MAX_HEADER_BYTES = 16_384

interface Hop extends Answer {
  readonly status: number
  readonly headers: Dispatcher.ResponseData["headers"]
}

export function createDownload(settings: GuardedFetchSettings, lookup: LookUpHost): Download {
  const judge = createAddressJudge(settings)

  return async ({ url, maxBytes, signal }) => {
    let address = parseDownloadAddress(url)
    for (let redirects = 0; ; redirects += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const hop = await send(address, { settings, lookup, judge, signal })
      try {
        if (!REDIRECTS.has(hop.status)) {
          checkAnswer(hop, maxBytes)
          return hop
        }
        if (redirects === settings.maxRedirects) throw downloadFailed("it redirects too often")
        address = parseRedirect(hop.headers["location"], address)
      } catch (error) {
        // oxlint-disable-next-line no-await-in-loop
        await hop.close()
        throw error
      }
      // oxlint-disable-next-line no-await-in-loop
      await hop.close()
    }
  }
}

interface SendContext {
  readonly settings: GuardedFetchSettings
  readonly lookup: LookUpHost
  readonly judge: AddressJudge
  readonly signal: AbortSignal
}

async function send(address: URL, context: SendContext): Promise<Hop> {
  const { settings, lookup, judge, signal } = context
  const { connectTimeoutMs } = settings
  const client = new Client(address.origin, {
    connect: createGuardedConnector({ judge, lookup, connectTimeoutMs, signal }),
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.bodyTimeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // No keep-alive.
    pipelining: 0,
  })
  try {
    const path = `${address.pathname}${address.search}`
    const answer = await client.request({ method: "GET", path, headers: HEADERS, signal })
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

function checkAnswer({ status, headers }: Hop, maxBytes: number): void {
  if (status !== 200) {
    const isRetryable = status === 408 || status === 429 || status >= 500
    throw downloadFailed(`its server answers ${status}`, isRetryable)
  }
  const coding = headers["content-encoding"] ?? "identity"
  const transferCoding = headers["transfer-encoding"] ?? "chunked"
  if (!isWord(coding, "identity") || !isWord(transferCoding, "chunked")) {
    throw downloadFailed("its server sends it coded")
  }
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

function isWord(header: string | readonly string[], word: string): boolean {
  return typeof header === "string" && header.trim().toLowerCase() === word
}
