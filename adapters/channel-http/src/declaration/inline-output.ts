/**
 * An image or a film in base64 in an answer. The whole text is checked first, then decoded piece by
 * piece while it is read. The first bytes decide the type, whatever the answer says; sound and 3D models have the type
 * that their data URL names. A text that is no base64, or none of these, is no output.
 */
import { SafelightError, type AbortSignalLike, type Json, type OpenedOutput } from "@safelight/core"

/** Digits of one piece: a multiple of four, so that each decodes by itself. */
const PIECE_CHARACTERS = 512 * 1024

/** They tell the type. */
export const HEAD_BYTES = 12

const HEAD_CHARACTERS = (HEAD_BYTES / 3) * 4

/** `declared` is the type that a data URL names. */
export function toInlineOutput(base64: Json | undefined, declared = ""): OpenedOutput | undefined {
  if (typeof base64 !== "string" || !isBase64(base64)) return undefined
  const told = /^(?:audio|model)\//.test(declared) ? declared : undefined
  const mimeType = findType(Buffer.from(base64.slice(0, HEAD_CHARACTERS), "base64")) ?? told
  if (mimeType === undefined) return undefined
  return { mimeType, open: (signal) => decode(base64, signal) }
}

/** Padded, and nothing else in between (RFC 4648 §4). */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

/** The type of media that begin with these bytes; undefined for any but the usual images and films. */
export function findType(head: Buffer): string | undefined {
  if (head.toString("latin1", 0, 8) === "\x89PNG\r\n\x1A\n") return "image/png"
  if (head.toString("latin1", 0, 3) === "\xFF\xD8\xFF") return "image/jpeg"
  if (head.toString("latin1", 4, 8) === "ftyp") return "video/mp4"
  const isWebp = head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8) === "WEBP"
  return isWebp ? "image/webp" : undefined
}

// oxlint-disable-next-line typescript/require-await -- its reader waits between the pieces
async function* decode(base64: string, signal: AbortSignalLike): AsyncIterable<Uint8Array> {
  for (let at = 0; at < base64.length; at += PIECE_CHARACTERS) {
    if (signal.aborted) throw new SafelightError({ code: "aborted", message: "called off" })
    yield Buffer.from(base64.slice(at, at + PIECE_CHARACTERS), "base64")
  }
}
