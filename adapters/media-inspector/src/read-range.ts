/** Reads a part of a medium, which is of the right length or not there at all. */
import type { InspectedMedia } from "@safelight/core"
import { orAborted } from "./or-aborted.ts"

interface Range {
  readonly media: InspectedMedia
  readonly start: number
  readonly end: number
  readonly signal: AbortSignal
}

/** Rejects as `media.read` does, and with `aborted` on `signal`. */
export async function readRange({ media, start, end, signal }: Range): Promise<Uint8Array> {
  const bytes = await orAborted(media.read(start, end), signal)
  if (bytes.byteLength === end - start) return bytes
  throw new Error(`read gave ${bytes.byteLength} bytes instead of ${end - start}`)
}
