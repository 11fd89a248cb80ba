/**
 * The one error of this folder that is the request's fault: media that cannot be opened. Nothing
 * else that goes wrong while rendering is translated; it is ours.
 */
import { SafelightError, type MediaKind } from "@safelight/core"

export function unreadable(kind: MediaKind, cause?: unknown): SafelightError {
  return new SafelightError({
    code: "media_unreadable",
    message: `A reference ${kind} can't be read.`,
    cause,
  })
}
