/**
 * What Node's parser refuses or waits for in vain, answered with our error body by hand: no
 * request exists at that point. Nothing is written where a response is under way on the same
 * connection, for it would land in the middle of its bytes.
 */
import { STATUS_CODES, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { toErrorText } from "../errors/error-response.ts"
import { ERRORS, type ErrorCode } from "../errors/error-table.ts"
import { Refusal } from "../errors/refusal.ts"

/** Kept on the socket itself: a map would be written to at every request. */
const NEWEST = Symbol("newest response")
type Tracked<Connection> = Connection & { [NEWEST]?: ServerResponse }

interface ClientError extends Error {
  readonly code?: string
  /** What came last from the client. */
  readonly rawPacket?: Buffer
}

export interface ClientErrorListener {
  /** Notes the newest response of a connection. */
  answering(socket: Socket, outgoing: ServerResponse): void
  readonly listener: (error: ClientError, socket: Duplex) => void
}

export function createClientErrorListener(
  nextRequestId: () => string,
  lingerMs: number,
): ClientErrorListener {
  return {
    answering(socket: Tracked<Socket>, outgoing) {
      socket[NEWEST] = outgoing
    },
    listener(error, socket: Tracked<Duplex>) {
      // The parser complains about every packet after the first bad one.
      if (socket.writableEnded) return
      if (answersLast(socket)) return
      if (!socket.writable || error.code === "ECONNRESET" || isBusy(socket[NEWEST])) {
        socket.destroy()
        return
      }
      socket.end(toRawResponse(new Refusal(toCode(error)), nextRequestId()))
      // Closed by the client, or here: at once would reset the connection under the answer.
      const timer = setTimeout(() => socket.destroy(), lingerMs)
      socket.once("close", () => {
        clearTimeout(timer)
      })
    },
  }
}

/**
 * Whether a whole request still waits for its answer to begin: what came behind it is no reason to take the
 * answer away, for the request may have bought something. The connection ends with it.
 */
function answersLast(socket: Tracked<Duplex>): boolean {
  const outgoing = socket[NEWEST]
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

function toCode({ code, rawPacket }: ClientError): ErrorCode {
  switch (code ?? "") {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "request_timeout"
    case "HPE_HEADER_OVERFLOW":
      return isUrlTooLong(rawPacket) ? "uri_too_long" : "headers_too_large"
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return "request_too_large"
    default:
      return "malformed_request"
  }
}

/** Whether a packet that begins a request holds little but its first line. */
function isUrlTooLong(packet: Buffer | undefined): boolean {
  if (packet === undefined || !/^[A-Z]+ /.test(packet.toString("latin1", 0, 20))) return false
  const end = packet.indexOf("\n")
  return end === -1 || end > packet.length / 2
}

function toRawResponse(refusal: Refusal, requestId: string): string {
  const [status] = ERRORS[refusal.code]
  const text = toErrorText(refusal)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    `X-Request-Id: ${requestId}`,
    `Date: ${new Date().toUTCString()}`,
    "Connection: close",
  ]
  return `${head.join("\r\n")}\r\n\r\n${text}`
}
