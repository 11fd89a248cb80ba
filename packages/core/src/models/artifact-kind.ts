/** What a task may produce, and the keys by which its artifacts are asked for. */

export const ARTIFACT_KINDS = ["image", "video", "audio", "text", "3d"] as const

export type ArtifactKind = (typeof ARTIFACT_KINDS)[number]

/**
 * The key of the `nth` artifact of its kind, from 1 (http-decisions §3): images are `image_1`, `image_2`…; of any
 * other kind the first has the kind's own name, and further ones are `video_2`, `video_3`….
 */
export function toArtifactKey(kind: ArtifactKind, nth: number): string {
  return kind !== "image" && nth === 1 ? kind : `${kind}_${nth}`
}

/** Whether its length is measured, and charged. */
export function isTimed(kind: ArtifactKind): kind is "video" | "audio" {
  return kind === "video" || kind === "audio"
}
