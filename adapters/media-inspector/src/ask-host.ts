/**
 * Reads a medium through the host, one request at a time. The parsers may ask for two ranges at once and leave
 * one half-read. A request that was sent is still answered, so the next medium may begin only once no request
 * is open.
 */
import type { Host } from "@safelight/host/child"
import { MOST_ANSWER_BYTES, type Ask } from "./messages.ts"

export interface AskingReader {
  readonly read: (start: number, end: number) => ReadableStream<Uint8Array>
  /** Resolves once every request is answered; no further one is sent. */
  finish(): Promise<void>
}

export function createAskingReader(host: Host): AskingReader {
  let latest: Promise<unknown> = Promise.resolve()
  let isFinished = false

  function ask(start: number, end: number): Promise<Uint8Array> {
    const answer = latest.then(async () => {
      if (isFinished) return new Uint8Array(end - start)
      await host.send({ kind: "ask", start, end } satisfies Ask)
      return host.readBytes(end - start)
    })
    latest = answer
    return answer
  }

  return {
    read(start, end) {
      let next = start
      return new ReadableStream(
        {
          async pull(stream) {
            const pieceEnd = Math.min(end, next + MOST_ANSWER_BYTES)
            stream.enqueue(await ask(next, pieceEnd))
            next = pieceEnd
            if (next === end) stream.close()
          },
        },
        { highWaterMark: 0 },
      )
    },
    async finish() {
      isFinished = true
      await latest
    },
  }
}
