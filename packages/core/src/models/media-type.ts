/**
 * Types of media as they are named here, whichever library detected them. The first bytes of a container
 * such as MP4 or WebM don't say whether it holds sound alone or pictures too: it may be both, until its
 * tracks are read.
 */
import type { ArtifactKind } from "./artifact-kind.ts"
import { findDocumentType } from "./document-type.ts"

export interface MediaType<Kind extends ArtifactKind = ArtifactKind> {
  readonly kind: Kind
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
  "model/3mf": [{ kind: "3d", mimeType: "model/3mf" }],
}

/**
 * What media of the detector's name `detected` may be of `kinds`, in the order of `kinds`. Texts and most 3D models
 * are told by `sample`, the first bytes: without it there are none.
 */
export function toMediaTypes<Kind extends ArtifactKind>(
  detected: string | undefined,
  kinds: readonly Kind[],
  sample?: Uint8Array,
): readonly MediaType<Kind>[] {
  const isOf = (type: MediaType): type is MediaType<Kind> =>
    kinds.some((kind) => kind === type.kind)
  const document = sample && findDocumentType(sample, kinds)
  if (document !== undefined && isOf(document)) return [document]
  const types = (detected === undefined ? undefined : TYPES[detected]) ?? []
  return kinds.flatMap((kind) => types.filter(isOf).filter((type) => type.kind === kind))
}

const FAMILIES: readonly (readonly [RegExp, ArtifactKind])[] = [
  [/^image\//, "image"],
  [/^video\//, "video"],
  [/^audio\//, "audio"],
  [/^(?:text\/|application\/(?:json|x-subrip)$)/, "text"],
  [/^model\//, "3d"],
]

/** Of what kind a file is by its declared type; undefined if the type says nothing of it. */
export function toDeclaredKind(mimeType: string): ArtifactKind | undefined {
  const essence = toEssence(mimeType)
  return FAMILIES.find(([family]) => family.test(essence))?.[1]
}

/** A type without its parameters, as `codecs`, in lower case. */
export function toEssence(mimeType: string): string {
  return mimeType.toLowerCase().split(/[ \t]*;/, 1)[0] ?? ""
}
