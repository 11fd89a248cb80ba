/**
 * The headers of an artifact's bytes (http-decisions §5). A browser that opens one must neither
 * guess its type nor run anything in it, and a cache must not keep it past its expiry.
 */
import type { ArtifactRow } from "@safelight/core"
import { create } from "content-disposition"
import { formatHttpDate } from "./http-date.ts"

/** The types that an answer may name; everything else is sent as `UNTYPED`. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/webp", "webp"],
  ["video/mp4", "mp4"],
  ["video/webm", "webm"],
  ["video/quicktime", "mov"],
])
const UNTYPED = "application/octet-stream"
/** Every type that bytes are sent with. */
export const CONTENT_TYPES: readonly string[] = [...EXTENSIONS.keys(), UNTYPED]
/** An hour: long enough for a player, and short compared with the days that artifacts live. */
const MAX_AGE_SECONDS = 3_600

/** A type of the fixed list. */
export function toContentType(mimeType: string): string {
  return EXTENSIONS.has(mimeType) ? mimeType : UNTYPED
}

/** The strong entity tag, with its quotes. */
export function toEtag(artifact: Pick<ArtifactRow, "sha256">): string {
  return `"${artifact.sha256}"`
}

export interface ContentHeaderOptions {
  readonly artifact: ArtifactRow
  readonly finishedAt: number
  readonly now: number
  readonly requestId: string
  /** If a private link opened it: when the link ends, never after the artifact does. */
  readonly linkEndsAt?: number
}

/** The headers of 200, 206 and 304 alike. */
export function toValidatorHeaders(options: ContentHeaderOptions): Record<string, string> {
  const { artifact, finishedAt, now, requestId, linkEndsAt } = options
  const leftSeconds = Math.floor(((linkEndsAt ?? artifact.expiresAt) - now) / 1000)
  const maxAge = Math.min(MAX_AGE_SECONDS, leftSeconds)
  return {
    etag: toEtag(artifact),
    "last-modified": formatHttpDate(finishedAt),
    "cache-control": `private, max-age=${maxAge}, must-revalidate, no-transform`,
    vary: "Authorization",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
  }
}

/** The headers of 200 and 206, without their length and range. */
export function toContentHeaders(options: ContentHeaderOptions): Record<string, string> {
  const { artifact, linkEndsAt } = options
  return {
    ...toValidatorHeaders(options),
    "accept-ranges": "bytes",
    "content-type": toContentType(artifact.mimeType),
    "content-disposition": toDisposition(artifact),
    "repr-digest": `sha-256=:${toBase64(artifact.sha256)}:`,
    "content-security-policy": "sandbox; default-src 'none'",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": linkEndsAt === undefined ? "same-site" : "cross-origin",
  }
}

function toDisposition({ key, mimeType }: ArtifactRow): string {
  const name = `${key}.${EXTENSIONS.get(mimeType) ?? "bin"}`
  // The package leaves a plain name unquoted; http-decisions §5 writes it quoted.
  if (/^[\w.-]+$/.test(name)) return `inline; filename="${name}"`
  return create(name, { type: "inline" })
}

function toBase64(hex: string): string {
  const bytes = hex.match(/../g) ?? []
  return btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))))
}
