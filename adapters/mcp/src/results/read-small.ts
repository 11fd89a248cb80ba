/** Reads an artifact that is small enough for an answer; of a larger one no more than its beginning is sent. */
import { isApiError, type TaskArtifact } from "@safelight/client"

/** Undefined if it has more than `mostBytes`, or can't be read: its link is in the answer all the same. */
export async function readSmall(
  artifact: TaskArtifact,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const state = { totalBytes: 0 }
  try {
    const stream = await artifact.stream({
      signal,
      onProgress: ({ receivedBytes, totalBytes = receivedBytes }) => {
        state.totalBytes = totalBytes
      },
    })
    const pieces: Uint8Array[] = []
    for await (const piece of stream) {
      if (state.totalBytes > mostBytes) return undefined
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  } catch (error) {
    if (!isApiError(error)) throw error
    return undefined
  }
}
