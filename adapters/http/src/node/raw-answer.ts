/**
 * A refusal written to a socket by hand, for requests that Node made no response for. The connection
 * ends after it, but not at once: closing would reset it, and the reset can overtake the answer.
 */
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { toRefusedRequest, type OnAnswered } from "../pipeline/answered-request.ts"
import { toErrorResponse, toErrorText } from "../errors/error-response.ts"
import type { Refusal } from "../errors/refusal.ts"

/**
 * Writes the refusal and ends the connection; bytes that still arrive are dropped for `lingerMs`.
 * `packet` is the last one received: if it begins a HEAD, the body is left out.
 */
export type AnswerRaw = (socket: Duplex, refusal: Refusal, packet?: Buffer) => void

export interface RawAnswerOptions {
  readonly nextRequestId: () => string
  readonly lingerMs: number
  readonly onAnswered: OnAnswered | undefined
}

export function createRawAnswer(options: RawAnswerOptions): AnswerRaw {
  const { nextRequestId, lingerMs, onAnswered } = options
  return (socket, refusal, packet) => {
    const requestId = nextRequestId()
    const head = toHead(refusal, requestId)
    const isHead = beginsHead(packet)
    socket.end(isHead ? head : head + toErrorText(refusal))
    // What was no request has no method that could be trusted.
    onAnswered?.(toRefusedRequest({ requestId, method: isHead ? "HEAD" : "", refusal }))
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once("close", () => {
      clearTimeout(timer)
    })
  }
}

function beginsHead(packet: Buffer | undefined): boolean {
  return packet?.toString("latin1", 0, "HEAD ".length) === "HEAD "
}

/** As the refusal has it with any other answer; HEAD's states the length of the body. */
function toHead(refusal: Refusal, requestId: string): string {
  const { status, headers } = toErrorResponse(refusal, requestId, "HEAD")
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Array.from(headers, ([name, value]) => `${name}: ${value}`),
    `date: ${new Date().toUTCString()}`,
  ]
  if (!headers.has("connection")) lines.push("connection: close")
  return `${lines.join("\r\n")}\r\n\r\n`
}
