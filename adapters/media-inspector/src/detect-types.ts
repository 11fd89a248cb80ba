/** Tells media by its first bytes, as the guarded fetch does. */
import { fileTypeFromBuffer } from "file-type"
import { MEDIA_SAMPLE_BYTES, toMediaTypes, type MediaKind, type MediaType } from "@safelight/core"

interface Medium {
  readonly bytes: number
  readonly read: (start: number, end: number) => Promise<Uint8Array>
}

/** What it may be of `kinds`, in their order; more than one where a container may hold either. */
export async function detectTypes(
  { bytes, read }: Medium,
  kinds: readonly MediaKind[],
): Promise<readonly MediaType[]> {
  if (bytes === 0) return []
  const detected = await fileTypeFromBuffer(await read(0, Math.min(bytes, MEDIA_SAMPLE_BYTES)))
  return toMediaTypes(detected?.mime, kinds)
}
