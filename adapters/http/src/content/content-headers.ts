/**
 * The headers of an artifact's bytes (http-decisions §5). A browser that opens one must neither
 * guess its type nor run anything in it, and a cache must not keep it past its expiry.
 */
import type { Artifact } from "@safelight/core"
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
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
  ["audio/wav", "wav"],
  ["audio/ogg", "ogg"],
  ["audio/webm", "weba"],
  ["audio/aac", "aac"],
  ["audio/flac", "flac"],
  ["model/gltf-binary", "glb"],
  ["model/obj", "obj"],
  ["model/ply", "ply"],
  ["model/stl", "stl"],
  ["model/3mf", "3mf"],
  ["model/vnd.usdz+zip", "usdz"],
])
/** Texts are named for what they are and sent as plain ones, so that a browser shows them and runs nothing. */
const TEXT_EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["text/plain", "txt"],
  ["text/vtt", "vtt"],
  ["text/csv", "csv"],
  ["text/markdown", "md"],
  ["application/json", "json"],
  ["application/x-subrip", "srt"],
])
const PLAIN = "text/plain"
const UNTYPED = "application/octet-stream"
/** Every type that bytes are sent with. */
export const CONTENT_TYPES: readonly string[] = [...EXTENSIONS.keys(), PLAIN, UNTYPED]
/** An hour: long enough for a player, and short compared with the days that artifacts live. */
const MAX_AGE_SECONDS = 3_600

/** A type of the fixed list. */
export function toContentType({ mimeType, type }: Pick<Artifact, "mimeType" | "type">): string {
  if (type === "text") return `${PLAIN}; charset=utf-8`
  const essence = toEssence(mimeType)
  return EXTENSIONS.has(essence) ? essence : UNTYPED
}

/** Without parameters, as `codecs`. */
function toEssence(mimeType: string): string {
  return mimeType.split(";", 1)[0]?.trim() ?? ""
}

/** The strong entity tag, with its quotes. */
export function toEtag(artifact: Pick<Artifact, "sha256">): string {
  return `"${artifact.sha256}"`
}

export interface ContentHeaderOptions {
  readonly artifact: Artifact
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
    "content-type": toContentType(artifact),
    "content-disposition": toDisposition(artifact),
    "repr-digest": `sha-256=:${toBase64(artifact.sha256)}:`,
    "content-security-policy": "sandbox; default-src 'none'",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": linkEndsAt === undefined ? "same-site" : "cross-origin",
  }
}

/** No browser shows a 3D model: it is saved. */
function toDisposition({ key, mimeType, type: kind }: Artifact): string {
  const extensions = kind === "text" ? TEXT_EXTENSIONS : EXTENSIONS
  const name = `${key}.${extensions.get(toEssence(mimeType)) ?? "bin"}`
  const type = kind === "3d" ? "attachment" : "inline"
  // The package leaves a plain name unquoted; http-decisions §5 writes it quoted.
  return /^[\w.-]+$/.test(name) ? `${type}; filename="${name}"` : create(name, { type })
}

function toBase64(hex: string): string {
  const bytes = hex.match(/../g) ?? []
  return btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))))
}
