/**
 * Tells media by its first bytes. A container that may hold sound alone or pictures too (MP4, WebM)
 * cannot be told apart there: it counts as whichever of the wanted kinds comes first, and its decoder
 * finds out the rest.
 */
import { fileTypeFromBuffer } from "file-type"
import type { Media, MediaKind } from "@safelight/core"

export type MediaType = Pick<Media, "kind" | "mimeType">

/** What the detector reads at most for the types below (an MPEG-TS packet repeats after 192). */
export const SAMPLE_BYTES = 4_100

/** The detector's names, and what each may be to us. */
const TYPES: Readonly<Record<string, readonly MediaType[]>> = {
  "image/png": [{ kind: "image", mimeType: "image/png" }],
  // A PNG with more frames: any PNG decoder reads the first.
  "image/apng": [{ kind: "image", mimeType: "image/png" }],
  "image/jpeg": [{ kind: "image", mimeType: "image/jpeg" }],
  "image/webp": [{ kind: "image", mimeType: "image/webp" }],
  "video/mp4": [
    { kind: "video", mimeType: "video/mp4" },
    { kind: "audio", mimeType: "audio/mp4" },
  ],
  "video/x-m4v": [{ kind: "video", mimeType: "video/mp4" }],
  "video/webm": [
    { kind: "video", mimeType: "video/webm" },
    { kind: "audio", mimeType: "audio/webm" },
  ],
  "video/quicktime": [{ kind: "video", mimeType: "video/quicktime" }],
  "video/mp2t": [{ kind: "video", mimeType: "video/mp2t" }],
  "audio/mpeg": [{ kind: "audio", mimeType: "audio/mpeg" }],
  "audio/mp4": [{ kind: "audio", mimeType: "audio/mp4" }],
  "audio/x-m4a": [{ kind: "audio", mimeType: "audio/mp4" }],
  "audio/wav": [{ kind: "audio", mimeType: "audio/wav" }],
  "audio/ogg": [{ kind: "audio", mimeType: "audio/ogg" }],
  "audio/ogg; codecs=opus": [{ kind: "audio", mimeType: "audio/ogg" }],
  "audio/aac": [{ kind: "audio", mimeType: "audio/aac" }],
  "audio/flac": [{ kind: "audio", mimeType: "audio/flac" }],
}

/** The type of media that starts with `sample`, or undefined where it is none of `kinds`. */
export async function detectMediaType(
  sample: Uint8Array,
  kinds: readonly MediaKind[],
): Promise<MediaType | undefined> {
  const detected = await fileTypeFromBuffer(sample)
  const types = detected === undefined ? undefined : TYPES[detected.mime]
  return kinds.flatMap((kind) => types?.filter((type) => type.kind === kind) ?? [])[0]
}
