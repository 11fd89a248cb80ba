/**
 * Types of media as they are named here, whichever library detected them. The first bytes of a container
 * such as MP4 or WebM don't say whether it holds sound alone or pictures too: it may be both, until its
 * tracks are read.
 */
import type { MediaKind } from "./media-url.ts"

export interface MediaType {
  readonly kind: MediaKind
  /** As `video/mp4`. */
  readonly mimeType: string
}

/** What file-type reads at most for the types below (an MPEG-TS packet repeats after 192). */
export const MEDIA_SAMPLE_BYTES = 4_100

/** The names that the detector, npm's file-type, gives, and what each may be to us. */
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

/** What media of the detector's name `detected` may be of `kinds`, in the order of `kinds`. */
export function toMediaTypes(
  detected: string | undefined,
  kinds: readonly MediaKind[],
): readonly MediaType[] {
  const types = detected === undefined ? undefined : TYPES[detected]
  return kinds.flatMap((kind) => types?.filter((type) => type.kind === kind) ?? [])
}
