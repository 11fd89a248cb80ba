/**
 * A file that never changes while the process lives, read once and answered with its entity tag. Where the host
 * compresses, each coding is made once, when it is first asked for, and kept with an entity tag of its own.
 * `no-cache` lets a browser keep it and makes it ask each time, so that after an upgrade no old script
 * meets a new style sheet. A file whose name contains its hash is kept without asking.
 */
import { toHex } from "@safelight/core"
import { chooseCoding, type Compress, type ContentCoding } from "../content/content-coding.ts"
import { matchesWeakly } from "../content/entity-tag.ts"
import type { Exchange } from "../pipeline/exchange.ts"

export interface KeptFileOptions {
  readonly type: string
  readonly read: () => Promise<Uint8Array>
  /** Whether its name changes with its content: then nobody has to ask whether it has changed. */
  readonly isImmutable?: boolean
  /** Absent: it is sent as it is, to everybody. */
  readonly compress?: Compress
  /** Besides those of every file; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A year, RFC 8246. */
const IMMUTABLE = "public, max-age=31536000, immutable"

interface Kept {
  readonly bytes: Uint8Array
  readonly etag: string
  /** Absent: the bytes are the file's own. */
  readonly coding?: ContentCoding
}

/** Rejects with what `read` or `compress` rejects with, and then asks it again the next time. */
export function createKeptFile(
  options: KeptFileOptions,
): (exchange: Exchange) => Promise<Response> {
  const { compress, read } = options
  const loadPlain = keep(async () => toKept(await read()))
  const loadCoded = compress && {
    br: keep(() => toCoded(loadPlain, compress, "br")),
    gzip: keep(() => toCoded(loadPlain, compress, "gzip")),
  }

  return async (exchange) => {
    const { request, method, requestId } = exchange
    const asked = chooseCoding(request.headers.get("accept-encoding"))
    const load = (asked && loadCoded?.[asked]) ?? loadPlain
    const { bytes, etag, coding } = await load()
    const headers: Record<string, string> = {
      etag,
      "cache-control": options.isImmutable === true ? IMMUTABLE : "no-cache",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
      ...(compress && { vary: "Accept-Encoding" }),
    }
    const condition = request.headers.get("if-none-match")
    if (condition !== null && matchesWeakly(condition, etag)) {
      return new Response(null, { status: 304, headers: { ...headers, ...exchange.headers } })
    }
    Object.assign(headers, options.headers, exchange.headers)
    headers["content-type"] = options.type
    headers["content-length"] = String(bytes.length)
    if (coding !== undefined) headers["content-encoding"] = coding
    const body = method === "HEAD" ? null : bytes
    if (body !== null) {
      const lengthBytes = body.length
      exchange.report.transfer = { status: 200, lengthBytes, sentBytes: lengthBytes }
    }
    return new Response(body, { status: 200, headers })
  }
}

/** Calls `load` once, and once more after it has rejected. */
function keep(load: () => Promise<Kept>): () => Promise<Kept> {
  let kept: Promise<Kept> | undefined
  return () =>
    (kept ??= load().catch((error: unknown) => {
      kept = undefined
      throw error
    }))
}

async function toKept(bytes: Uint8Array): Promise<Kept> {
  return { bytes, etag: await toEtag(bytes) }
}

/** The file itself if its coding is no smaller. */
async function toCoded(
  loadPlain: () => Promise<Kept>,
  compress: Compress,
  coding: ContentCoding,
): Promise<Kept> {
  const plain = await loadPlain()
  const bytes = await compress(plain.bytes, coding)
  return bytes.length < plain.bytes.length ? { ...(await toKept(bytes)), coding } : plain
}

async function toEtag(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)
  return `"${toHex(new Uint8Array(digest))}"`
}
