/** The bytes of an artifact, for whoever copies or compares them. */
import { isSafelightError, type ArtifactReader, type ArtifactStorage } from "@safelight/core"

/** Resolves to undefined where the locator holds nothing; rejects as `open` does where that can't be told. */
export async function openArtifact(
  storage: Pick<ArtifactStorage, "open">,
  locator: string,
): Promise<ArtifactReader | undefined> {
  try {
    return await storage.open({ locator })
  } catch (error) {
    if (isSafelightError(error) && error.code === "artifact-missing") return undefined
    throw error
  }
}

/** All chunks, each of them good until the next is asked for: they share a buffer. */
export async function* readChunks(
  reader: ArtifactReader,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(chunkBytes)
  for (let count = await reader.read(buffer); count > 0; count = await reader.read(buffer)) {
    yield buffer.subarray(0, count)
  }
}
