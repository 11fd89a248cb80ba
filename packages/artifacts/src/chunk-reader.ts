/** Reads chunks as they come, on demand: unread bytes stay in the socket and slow the server down. */
import type { ObjectReader } from "./driver.ts"

/** `close` has to end the body, also while a read waits. */
export function createChunkReader(
  body: AsyncIterable<Uint8Array>,
  close: (rest: AsyncIterator<Uint8Array>) => Promise<void>,
): Pick<ObjectReader, "close" | "read"> {
  const chunks = body[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  return {
    async read(into) {
      while (rest.byteLength === 0) {
        // oxlint-disable-next-line no-await-in-loop -- chunks come in order
        const next = await chunks.next()
        if (next.done === true) return 0
        rest = next.value
      }
      const taken = rest.subarray(0, into.byteLength)
      into.set(taken)
      rest = rest.subarray(taken.byteLength)
      return taken.byteLength
    },
    close: () => close(chunks),
  }
}
