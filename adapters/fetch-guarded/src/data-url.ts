/**
 * Media inside its own URL. It is decoded slice by slice, so that only the URL and one slice are held in
 * memory. Base64 that is not canonical (RFC 4648 §3.5) may therefore be found after the first slices were
 * read.
 */
import { setImmediate } from "node:timers/promises"
import { DATA_URL_TYPES, parseDataUrl, type ArtifactKind, type MediaRequest } from "@safelight/core"
import { calledOff, downloadFailed, tooLarge } from "./media-fault.ts"
import type { ByteSource } from "./open-media.ts"

/** Decodes to 256 KiB less two bytes: whole groups of four characters give whole bytes. */
const SLICE_CHARACTERS = 349_524

/** Only what a provider made may be a text or a 3D model. */
const TYPES: Readonly<Record<ArtifactKind, readonly string[]>> = {
  ...DATA_URL_TYPES,
  text: ["text/plain", "text/vtt", "application/x-subrip", "application/json"],
  "3d": ["model/gltf-binary", "model/obj", "model/stl", "application/octet-stream"],
}

/** Throws `media_download_failed` or `media_too_large`. */
export function openDataUrl(request: MediaRequest): ByteSource {
  const { url, kinds, maxBytes, signal } = request
  const parsed = parseDataUrl(url)
  if (parsed === undefined || !kinds.some((kind) => TYPES[kind].includes(parsed.mimeType))) {
    throw downloadFailed("its data URL is of no allowed form")
  }
  const { bytes, start } = parsed
  if (start === url.length) throw malformed()
  if (bytes > maxBytes) throw tooLarge(maxBytes)
  if (!Number.isInteger(bytes)) throw malformed()
  return {
    bytes,
    chunks: decode(url, start),
    toFault: (error) => error,
    throwIfAborted() {
      if (signal?.aborted === true) throw calledOff()
    },
    end: () => Promise.resolve(),
  }
}

async function* decode(url: string, start: number): AsyncGenerator<Uint8Array, void> {
  for (let from = start; from < url.length; from += SLICE_CHARACTERS) {
    const slice = url.slice(from, from + SLICE_CHARACTERS)
    const bytes = Buffer.from(slice, "base64")
    // The decoder skips what is not base64 and stops at padding; only canonical text comes back.
    if (bytes.toString("base64") !== slice) throw malformed()
    yield bytes
    // A reader that keeps the slices in memory would otherwise block the event loop for all of them.
    await setImmediate()
  }
}

function malformed(): Error {
  return downloadFailed("its data URL is not canonical base64")
}
