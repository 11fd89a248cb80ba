/** The bytes of an artifact, to be copied or compared. */
import { isSafelightError, type ArtifactReader } from "@safelight/core"

/** Undefined if `storage` holds nothing of what is asked for. Rejects as `open` does on any other failure. */
export async function openArtifact<Request>(
  storage: { open(request: Request): Promise<ArtifactReader> },
  request: Request,
): Promise<ArtifactReader | undefined> {
  try {
    return await storage.open(request)
  } catch (error) {
    if (isSafelightError(error) && error.code === "artifact-missing") return undefined
    throw error
  }
}

/** All chunks. Each is valid until the next is asked for, since they share a buffer. Rejects as `read` does. */
export async function* readChunks(
  reader: ArtifactReader,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(chunkBytes)
  for (let count = await reader.read(buffer); count > 0; count = await reader.read(buffer)) {
    yield buffer.subarray(0, count)
  }
}
