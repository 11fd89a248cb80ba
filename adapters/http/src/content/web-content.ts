/**
 * An answer's bytes as a web stream, for hosts other than our Node server. It reads only when it is asked,
 * and a cancelled stream waits for a read that runs before it closes the source.
 */
import type { ByteSource } from "./byte-source.ts"

/** Each chunk is given away, so its buffer can't be reused as under Node. */
const CHUNK_BYTES = 256 * 1024

/** `onFailure` is called with the reason if the stream breaks; its reader may be in another process. */
export function toWebContent(
  source: ByteSource,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  let reading: Promise<void> = Promise.resolve()
  let isCancelled = false

  async function readInto(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, source.lengthBytes))
      const count = await source.read(chunk)
      if (isCancelled) return
      if (count > 0) {
        controller.enqueue(chunk.subarray(0, count))
        return
      }
      await source.close()
      controller.close()
    } catch (error) {
      if (isCancelled) return
      onFailure(error)
      controller.error(error)
      await source.close()
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        reading = readInto(controller)
        return reading
      },
      async cancel() {
        isCancelled = true
        await reading
        await source.close()
      },
    },
    { highWaterMark: 0 },
  )
}
