/**
 * An output that is the body of an answer, without a detour by base64. Where its first bytes tell a type, that is
 * the one; any other has the type that the answer names.
 */
import {
  findMediaType,
  SafelightError,
  type AbortSignalLike,
  type OpenedOutput,
} from "@safelight/core"
import type { Content } from "./provider-request.ts"

/** Of one piece that is read. */
const PIECE_BYTES = 256 * 1024

/** For the answer's `content`; undefined if it has none. */
export function toContentOutput(content: Content | undefined): OpenedOutput | undefined {
  if (content === undefined) return undefined
  const { bytes } = content
  const mimeType = findMediaType(bytes) ?? content.mimeType
  return { mimeType, open: (signal) => readPieces(bytes, signal) }
}

// oxlint-disable-next-line typescript/require-await -- its reader waits between the pieces
async function* readPieces(bytes: Uint8Array, signal: AbortSignalLike): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    if (signal.aborted) throw new SafelightError({ code: "aborted", message: "called off" })
    yield bytes.subarray(start, start + PIECE_BYTES)
  }
}
