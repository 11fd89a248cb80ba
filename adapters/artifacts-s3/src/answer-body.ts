/**
 * The body of an answer, read on demand: unread bytes stay in the socket and slow the server down. The
 * client's time-out also ends the connection of a reader that pauses, which then has to ask for the rest.
 */
import { toUnavailable } from "./storage-failure.ts"

export interface AnswerBody {
  /** Resolves to the number of bytes that it filled in, 0 at the end. Rejects with `artifacts-unavailable`. */
  read(into: Uint8Array): Promise<number>
  /** Safe to call twice. A read in progress rejects, or is the last one. */
  close(): Promise<void>
}

/** The part of Node's stream that is used. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** Whether every byte has arrived. */
  readonly complete?: boolean
  on(event: "error", listener: () => void): unknown
  destroy(): unknown
}

export function createAnswerBody(stream: BodyStream): AnswerBody {
  const chunks = stream[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  // A failure between two reads is reported by the next one.
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
      // If all of it has arrived, the rest is in memory; once it is read, the connection serves another request.
      if (stream.complete !== true) stream.destroy()
      else while ((await chunks.next()).done !== true);
    },
  }
}

/** For an answer whose body is not read. */
export function closeStream(stream: BodyStream): void {
  stream.on("error", ignore)
  stream.destroy()
}

function ignore(): void {}
