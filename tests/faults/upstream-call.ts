/**
 * One HTTP call of a channel to the upstream, on a connection of its own, never repeated by itself.
 * The last look at the time is taken when the connection stands, just before the first byte leaves:
 * a process that was stopped while it connected must not send what nobody expects any more.
 */
import { request, type ClientRequest, type IncomingMessage } from "node:http"
import { SafelightError, type AbortSignalLike } from "@safelight/core"

export interface UpstreamCall {
  readonly method: "GET" | "POST"
  readonly url: string
  /** Cuts the call, wherever it is. */
  readonly signal: AbortSignalLike
  /** How long after its beginning the first byte may leave. */
  readonly sendWithinMs: number
}

/** Rejects with this as its code's reason where not a byte was sent. */
export class UnsentError extends Error {
  override readonly name = "UnsentError"
}

/** The answer's head; rejects with `channel-unavailable`, or `UnsentError`. */
export function open(call: UpstreamCall): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let isSent = false
    const asked = request(call.url, { method: call.method, agent: false })
    const cut = (): void => void asked.destroy(new Error("cut off"))
    call.signal.addEventListener("abort", cut)
    asked.once("close", () => call.signal.removeEventListener("abort", cut))
    asked.once("response", resolve)
    asked.on("error", (error) => {
      reject(isSent ? unavailable(error) : new UnsentError("nothing was sent", { cause: error }))
    })
    onConnected(asked, () => {
      const isLate = performance.now() - startedAt > call.sendWithinMs
      if (isLate || call.signal.aborted) return cut()
      isSent = true
      asked.end()
    })
  })
}

function onConnected(asked: ClientRequest, send: () => void): void {
  asked.once("socket", (socket) => {
    if (socket.connecting) socket.once("connect", send)
    else send()
  })
}

export async function readJson<Answer>(response: IncomingMessage): Promise<Answer> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of response) chunks.push(chunk as Uint8Array)
    return JSON.parse(Buffer.concat(chunks).toString()) as Answer
  } catch (error) {
    throw unavailable(error)
  }
}

export function unavailable(cause: unknown): SafelightError {
  const message = "the upstream did not answer as it should"
  return new SafelightError({ code: "channel-unavailable", message, retryable: true, cause })
}
