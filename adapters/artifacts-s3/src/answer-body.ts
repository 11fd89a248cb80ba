/**
 * The body of an answer, read when somebody asks: what nobody reads stays in the socket, and slows
 * the server down. Only a read waits against the time-out; a reader may take as long as it likes.
 * An answer closed before its end costs its connection.
 */
import type { ClientRequest, IncomingMessage } from "node:http"
import { createUnavailable, translateFailure } from "./storage-failure.ts"

export interface AnswerBody {
  /** How many bytes it filled in, 0 at the end. Rejects with `artifacts-unavailable`. */
  read(into: Uint8Array): Promise<number>
  /** Once more is safe; a read under way rejects. */
  close(): void
}

export interface AnswerBodyOptions {
  readonly request: ClientRequest
  readonly response: IncomingMessage
  readonly idleTimeoutMs: number
}

export function createAnswerBody(options: AnswerBodyOptions): AnswerBody {
  const { request, response, idleTimeoutMs } = options
  let failure: Error | undefined
  let wake = ignore

  function fail(error: Error): void {
    failure ??= error
    wake()
  }

  function wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        fail(createUnavailable(`no byte for ${idleTimeoutMs} ms`))
        response.destroy()
      }, idleTimeoutMs)
      wake = () => {
        clearTimeout(timer)
        wake = ignore
        resolve()
      }
    })
  }

  response.on("readable", () => wake())
  response.on("end", () => wake())
  response.on("error", (error) => fail(translateFailure(error)))
  response.on("close", () => fail(createUnavailable("the answer was closed")))

  return {
    async read(into) {
      for (;;) {
        const count = readNow(response, into)
        if (count > 0 || response.readableEnded) return count
        if (failure !== undefined) throw failure
        // oxlint-disable-next-line no-await-in-loop -- for more to arrive
        await wait()
      }
    },
    close() {
      response.removeAllListeners("readable")
      // Whole on both ways: the connection can serve another request.
      if (response.complete && request.writableFinished) response.resume()
      else response.destroy()
    },
  }
}

/** Asks also where nothing is there: only that ends a stream which has no more. */
function readNow(response: IncomingMessage, into: Uint8Array): number {
  const available = Math.min(response.readableLength, into.byteLength)
  const chunk = response.read(available === 0 ? undefined : available) as Buffer | null
  if (chunk === null) return 0
  into.set(chunk)
  return chunk.byteLength
}

function ignore(): void {}
