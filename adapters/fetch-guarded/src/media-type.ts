/**
 * Tells media by its first bytes. A container that may hold sound alone or pictures too counts as
 * whichever of the wanted kinds comes first, and its decoder finds out the rest.
 */
import { fileTypeFromBuffer } from "file-type"
import { toMediaTypes, type MediaKind, type MediaType } from "@safelight/core"

/** The type of media that starts with `sample`, or undefined where it is none of `kinds`. */
export async function detectMediaType(
  sample: Uint8Array,
  kinds: readonly MediaKind[],
): Promise<MediaType | undefined> {
  const detected = await fileTypeFromBuffer(sample)
  return toMediaTypes(detected?.mime, kinds)[0]
}
