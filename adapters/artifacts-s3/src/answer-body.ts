/**
 * The body of an answer, read when somebody asks: what nobody reads stays in the socket, and slows
 * the server down. The client's time-out ends a connection on which nothing moves, also that of a
 * reader who rests; whoever reads on then asks for the rest.
 */
import { toUnavailable } from "./storage-failure.ts"

export interface AnswerBody {
  /** How many bytes it filled in, 0 at the end. Rejects with `artifacts-unavailable`. */
  read(into: Uint8Array): Promise<number>
  /** Once more is safe; a read under way rejects, or is the last. */
  close(): Promise<void>
}

/** What is used of Node's own. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** Whether every byte has arrived. */
  readonly complete?: boolean
  on(event: "error", listener: () => void): unknown
  destroy(): unknown
}

export function createAnswerBody(stream: BodyStream): AnswerBody {
  const chunks = stream[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  // A failure between two reads is told by the next.
  stream.on("error", ignore)

  async function fill(): Promise<void> {
    try {
      const { value, done } = await chunks.next()
      rest = done === true ? new Uint8Array() : value
    } catch (error) {
      throw toUnavailable("reading an object", error)
    }
  }

  return {
    async read(into) {
      if (rest.byteLength === 0) await fill()
      const taken = rest.subarray(0, into.byteLength)
      into.set(taken)
      rest = rest.subarray(taken.byteLength)
      return taken.byteLength
    },
    async close() {
      // Whole: what is left is in memory, and once it is read the connection serves another request.
      if (stream.complete !== true) stream.destroy()
      else while ((await chunks.next()).done !== true);
    },
  }
}

/** For what has no body to be read. */
export function closeStream(stream: BodyStream): void {
  stream.on("error", ignore)
  stream.destroy()
}

function ignore(): void {}
