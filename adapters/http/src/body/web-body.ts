/** A body from a web-standard request: what every host but our Node server hands over. */
import { Refusal } from "../errors/refusal.ts"

/** Hands each chunk to `take`; where that throws, or `signal` is aborted, the rest is cancelled. */
export async function receiveWebBody(
  request: Request,
  take: (chunk: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  const { body } = request
  if (body === null) return
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  // A read that waits ends with the stream, as if that were over.
  const cancel = (): void => void reader.cancel(signal.reason).catch(ignoreBrokenStream)
  signal.addEventListener("abort", cancel)
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const { done, value } = await readChunk(reader)
      signal.throwIfAborted()
      if (done) return
      take(value)
    }
  } catch (error) {
    await reader.cancel(error).catch(ignoreBrokenStream)
    throw error
  } finally {
    signal.removeEventListener("abort", cancel)
  }
}

async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReturnType<typeof reader.read> {
  try {
    return await reader.read()
  } catch (cause) {
    throw new Refusal("malformed_request", { message: "The request body ended early.", cause })
  }
}

/** A stream that has failed rejects its cancelling with the failure that is thrown already. */
function ignoreBrokenStream(): void {}
