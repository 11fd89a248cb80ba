/**
 * A file that never changes while the process lives, read once and answered with its entity tag.
 * `no-cache` lets a browser keep it and makes it ask each time, so that after an upgrade no old script
 * meets a new style sheet. A file whose name contains its hash is kept without asking.
 */
import { toHex } from "@safelight/core"
import { matchesWeakly } from "../content/entity-tag.ts"
import type { Exchange } from "../exchange.ts"

export interface KeptFileOptions {
  readonly type: string
  readonly read: () => Promise<Uint8Array>
  /** Whether its name changes with its content: then nobody has to ask whether it has changed. */
  readonly isImmutable?: boolean
  /** Besides those of every file; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A year, RFC 8246. */
const IMMUTABLE = "public, max-age=31536000, immutable"

interface Kept {
  readonly bytes: Uint8Array
  readonly etag: string
}

/** Rejects with what `read` rejects with, and then reads again the next time. */
export function createKeptFile(
  options: KeptFileOptions,
): (exchange: Exchange) => Promise<Response> {
  let kept: Promise<Kept> | undefined

  async function load(): Promise<Kept> {
    try {
      const bytes = await options.read()
      return { bytes, etag: await toEtag(bytes) }
    } catch (error) {
      kept = undefined
      throw error
    }
  }

  return async (exchange) => {
    const { request, method, requestId } = exchange
    kept ??= load()
    const { bytes, etag } = await kept
    const headers: Record<string, string> = {
      etag,
      "cache-control": options.isImmutable === true ? IMMUTABLE : "no-cache",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
    }
    const condition = request.headers.get("if-none-match")
    if (condition !== null && matchesWeakly(condition, etag)) {
      return new Response(null, { status: 304, headers })
    }
    Object.assign(headers, options.headers)
    headers["content-type"] = options.type
    headers["content-length"] = String(bytes.length)
    const body = method === "HEAD" ? null : (bytes as Uint8Array<ArrayBuffer>)
    if (body !== null)
      exchange.transfer = { status: 200, lengthBytes: body.length, sentBytes: body.length }
    return new Response(body, { status: 200, headers })
  }
}

async function toEtag(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)
  return `"${toHex(new Uint8Array(digest))}"`
}
