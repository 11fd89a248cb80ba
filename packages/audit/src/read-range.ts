/** A range of the bytes of an artifact, whole in memory. */
import type { ArtifactStorage } from "@safelight/core"

/** Both ends are included. */
export interface ByteRange {
  readonly locator: string
  readonly start: number
  readonly end: number
}

/** Rejects as the storage does, and with a RangeError if there is less. */
export async function readRange(
  artifacts: Pick<ArtifactStorage, "open">,
  range: ByteRange,
): Promise<Uint8Array> {
  const reader = await artifacts.open(range)
  try {
    const into = new Uint8Array(range.end - range.start + 1)
    for (let filled = 0; filled < into.length;) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const count = await reader.read(into.subarray(filled))
      if (count === 0) throw new RangeError("it has fewer bytes")
      filled += count
    }
    return into
  } finally {
    await reader.close()
  }
}
