/**
 * A body from Node's own request, without a web stream in between. `100 Continue` is sent only here,
 * once nothing but the body itself can be a reason to refuse the request.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Refusal } from "../errors/refusal.ts"
import type { BodySink } from "../body/read-body.ts"

/**
 * Hands each chunk to `sink`; if reading stops early, the rest is left unread. Rejects with a `Refusal`:
 * the sink's, or `malformed_request` if the body ends early.
 */
export function receiveNodeBody(
  { incoming, outgoing }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
  sink: BodySink,
): Promise<void> {
  const { headers, httpVersionMinor } = incoming
  // Never to HTTP/1.0, and only if it was asked for (RFC 9110 §10.1.1).
  const isAsked = headers.expect?.toLowerCase() === "100-continue" && httpVersionMinor >= 1
  if (isAsked) outgoing.writeContinue()
  return new Promise((resolve, reject) => {
    function settle(error?: unknown): void {
      incoming.off("data", onData)
      incoming.off("end", onEnd)
      incoming.off("error", onGone)
      incoming.off("close", onGone)
      if (error === undefined) resolve()
      else reject(error)
    }
    function onData(chunk: Uint8Array): void {
      try {
        sink.take(chunk)
      } catch (error) {
        stop(error)
      }
    }
    function stop(reason: unknown): void {
      incoming.pause()
      settle(reason)
    }
    function onEnd(): void {
      settle()
    }
    function onGone(cause?: unknown): void {
      // Nobody listens any more, and an "error" without a listener would end the process.
      incoming.on("error", ignoreLateError)
      settle(new Refusal("malformed_request", { message: "The request body ended early.", cause }))
    }
    incoming.on("data", onData)
    incoming.on("end", onEnd)
    incoming.on("error", onGone)
    incoming.on("close", onGone)
    sink.onSlow = stop
    if (incoming.destroyed) onGone()
  })
}

function ignoreLateError(): void {}
