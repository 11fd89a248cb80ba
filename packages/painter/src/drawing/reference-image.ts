/**
 * What edits and films share in reading an untrusted image: how large a one is decoded, and the error
 * for one that can't be. They differ in what else they check: an edit looks at the format and the size
 * first, a film takes what sharp can decode.
 */
import { SafelightError } from "@safelight/core"

/** They decode to 150 MB; a small file may claim far more. */
export const MOST_IMAGE_PIXELS = 50_000_000

export function unreadable(cause: unknown): SafelightError {
  const message = "a reference image could not be decoded"
  return new SafelightError({ code: "media_unreadable", message, cause })
}
