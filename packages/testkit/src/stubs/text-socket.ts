/**
 * The server's side of a WebSocket (RFC 6455) as far as a stub needs it: it sends texts of at most 64 KiB, and
 * ignores everything that it receives but the end.
 */
import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

export interface TextSocket {
  send(message: unknown): void
  /** Cuts the connection, without a closing frame. */
  drop(): void
  onClose(listener: () => void): void
}

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
const CLOSE = 8

/** Answers the handshake; undefined if it is none. */
export function acceptSocket(request: IncomingMessage, socket: Duplex): TextSocket | undefined {
  const key = request.headers["sec-websocket-key"]
  if (key === undefined) {
    socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
    return undefined
  }
  const accept = createHash("sha1")
    .update(key + MAGIC)
    .digest("base64")
  const head = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: upgrade"]
  socket.write([...head, `sec-websocket-accept: ${accept}`, "", ""].join("\r\n"))
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: Buffer) => {
    if (((chunk[0] ?? 0) & 15) === CLOSE) socket.end(Buffer.from([0x88, 0]))
  })
  return {
    send(message) {
      if (!socket.destroyed) socket.write(toFrame(Buffer.from(JSON.stringify(message))))
    },
    drop: () => void socket.destroy(),
    onClose: (listener) => void socket.on("close", listener),
  }
}

function toFrame(text: Buffer): Buffer {
  if (text.length < 126) return Buffer.concat([Buffer.from([0x81, text.length]), text])
  return Buffer.concat([Buffer.from([0x81, 126, text.length >> 8, text.length & 255]), text])
}
