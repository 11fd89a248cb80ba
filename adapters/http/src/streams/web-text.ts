/** A stream's texts as a web stream, for hosts other than our Node server. */
import type { TextHead, TextSink, TextSinkListener } from "./text-sink.ts"

export interface WebText {
  readonly response: Response
  readonly sink: TextSink
}

export function createWebText({ status, headers }: TextHead, listener: TextSinkListener): WebText {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let isFull = false

  function finish(): void {
    if (controller === undefined) return
    controller = undefined
    listener.onOver()
  }

  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    pull() {
      if (!isFull) return
      isFull = false
      listener.onReady()
    },
    cancel: finish,
  })
  return {
    response: new Response(stream, { status, headers }),
    sink: {
      write(text) {
        controller?.enqueue(encoder.encode(text))
        isFull = (controller?.desiredSize ?? 0) <= 0
        return !isFull
      },
      end() {
        controller?.close()
        finish()
      },
    },
  }
}
