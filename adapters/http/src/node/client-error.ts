/**
 * Answers what Node's parser refuses or times out, by hand and with our error body, since no request
 * exists at that point. Nothing is written while a response is being sent on the same connection, for it
 * would land among its bytes.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { HttpSettings } from "../pipeline/defaults.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import { Refusal } from "../errors/refusal.ts"
import type { AnswerRaw } from "./raw-answer.ts"
import { findNewestResponse } from "./turns.ts"

interface ClientError extends Error {
  readonly code?: string
  /** The last bytes that the client sent. */
  readonly rawPacket?: Buffer
}

export type ClientErrorListener = (error: ClientError, socket: Duplex) => void

export function createClientErrorListener(
  answer: AnswerRaw,
  { urlCharacters }: Pick<HttpSettings, "urlCharacters">,
): ClientErrorListener {
  return (error, socket) => {
    // The parser complains about every packet after the first bad one.
    if (socket.writableEnded) return
    const newest = findNewestResponse(socket)
    if (answersLast(socket, newest)) return
    if (!socket.writable || error.code === "ECONNRESET" || isBusy(newest)) {
      socket.destroy()
      return
    }
    answer(socket, new Refusal(toCode(error, urlCharacters)), error.rawPacket)
  }
}

/**
 * Whether a complete request still waits for its answer to begin. The fault came after it and is no reason
 * to withhold the answer, for the request may have bought something. The connection ends with that answer.
 */
function answersLast(socket: Duplex, outgoing: ServerResponse | undefined): boolean {
  const isWaiting = outgoing?.req.complete === true && !outgoing.headersSent
  if (outgoing === undefined || !isWaiting || !socket.writable) return false
  outgoing.shouldKeepAlive = false
  if (outgoing.listenerCount("finish", endSocket) === 0) outgoing.once("finish", endSocket)
  return true

  function endSocket(): void {
    socket.end()
  }
}

/** Whether bytes of a response are out and not all of them, or another is ahead of it. */
function isBusy(outgoing: ServerResponse | undefined): boolean {
  if (outgoing === undefined || outgoing.writableFinished) return false
  return outgoing.headersSent || outgoing.socket === null
}

function toCode({ code, rawPacket }: ClientError, urlCharacters: number): ErrorCode {
  switch (code ?? "") {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "request_timeout"
    case "HPE_HEADER_OVERFLOW":
      return isUrlTooLong(rawPacket, urlCharacters) ? "uri_too_long" : "headers_too_large"
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return "request_too_large"
    default:
      return "malformed_request"
  }
}

/**
 * Whether the packet that went past Node's limit begins a request whose URL is too long. If such a head
 * came in several packets, it is called too large, whichever part of it was.
 */
function isUrlTooLong(packet: Buffer | undefined, urlCharacters: number): boolean {
  const [, url = ""] = /^[A-Z]+ ([^ \r\n]*)/.exec(packet?.toString("latin1") ?? "") ?? []
  return url.length > urlCharacters
}
