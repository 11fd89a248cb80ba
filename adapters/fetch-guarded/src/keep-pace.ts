/**
 * A least pace for a body. A bound on the time between two chunks is not enough: a server that sends a byte
 * now and then would hold its connection, and the task that waits for the file, until the total time is
 * over. Only time spent waiting for the server counts, not the reader's own.
 */
import { downloadFailed } from "./media-fault.ts"

export interface Pace {
  readonly leastBytesPerSecond: number
  /** The waiting time before the pace is judged: a server may start slowly. */
  readonly graceMs: number
}

/** Throws `media_download_failed`, retryable, at the first chunk with which the body is too slow. */
export async function* keepPace(
  chunks: AsyncIterable<Uint8Array>,
  { leastBytesPerSecond, graceMs }: Pace,
): AsyncGenerator<Uint8Array, void> {
  let waitedMs = 0
  let readBytes = 0
  let askedAt = performance.now()
  for await (const chunk of chunks) {
    waitedMs += performance.now() - askedAt
    readBytes += chunk.byteLength
    if (waitedMs > graceMs && readBytes < (waitedMs / 1000) * leastBytesPerSecond) {
      throw downloadFailed("its server is too slow", true)
    }
    yield chunk
    askedAt = performance.now()
  }
}
