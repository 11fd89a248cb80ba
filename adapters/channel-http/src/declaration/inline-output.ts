/**
 * An image or a film in base64 in an answer. The whole text is checked first, then decoded piece by
 * piece while it is read. The first bytes decide the type, whatever the answer says; sound and 3D models have the type
 * that their data URL names. A text that is no base64, or none of these, is no output.
 */
import {
  findMediaType,
  MEDIA_HEAD_BYTES,
  SafelightError,
  type AbortSignalLike,
  type Json,
  type OpenedOutput,
} from "@safelight/core"

/** Digits of one piece: a multiple of four, so that each decodes by itself. */
const PIECE_CHARACTERS = 512 * 1024

const HEAD_CHARACTERS = (MEDIA_HEAD_BYTES / 3) * 4

/** `declared` is the type that a data URL names. */
export function toInlineOutput(base64: Json | undefined, declared = ""): OpenedOutput | undefined {
  if (typeof base64 !== "string" || !isBase64(base64)) return undefined
  const told = /^(?:audio|model)\//.test(declared) ? declared : undefined
  const mimeType = findMediaType(Buffer.from(base64.slice(0, HEAD_CHARACTERS), "base64")) ?? told
  if (mimeType === undefined) return undefined
  return { mimeType, open: (signal) => decode(base64, signal) }
}

/** Padded, and nothing else in between (RFC 4648 §4). */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

// oxlint-disable-next-line typescript/require-await -- its reader waits between the pieces
async function* decode(base64: string, signal: AbortSignalLike): AsyncIterable<Uint8Array> {
  for (let at = 0; at < base64.length; at += PIECE_CHARACTERS) {
    if (signal.aborted) throw new SafelightError({ code: "aborted", message: "called off" })
    yield Buffer.from(base64.slice(at, at + PIECE_CHARACTERS), "base64")
  }
}
