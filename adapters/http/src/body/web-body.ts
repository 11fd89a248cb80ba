/** A body from a web-standard request, which every host but our Node server hands over. */
import { Refusal } from "../errors/refusal.ts"
import type { BodySink } from "./read-body.ts"

/**
 * Hands each chunk to `sink`; if reading stops early, the rest is cancelled. Rejects with a `Refusal`:
 * the sink's, or `malformed_request` if the body ends early.
 */
export async function receiveWebBody(request: Request, sink: BodySink): Promise<void> {
  const { body } = request
  if (body === null) return
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const stopped: { by?: Refusal } = {}
  sink.onSlow = (refusal) => {
    stopped.by = refusal
    // A read that waits ends as if the stream were over.
    void reader.cancel(refusal).catch(ignoreBrokenStream)
  }
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const { done, value } = await readChunk(reader)
      if (stopped.by !== undefined) throw stopped.by
      if (done) return
      sink.take(value)
    }
  } catch (error) {
    await reader.cancel(error).catch(ignoreBrokenStream)
    throw error
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

/** Cancelling a failed stream rejects with the failure that is thrown already. */
function ignoreBrokenStream(): void {}
