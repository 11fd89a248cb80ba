/**
 * Answers over a bare socket, true or false to HTTP: a server's own writer would not lie about a
 * length, answer twice or stop in the middle.
 */
import type { Socket } from "node:net"

export type Delivery =
  | "whole"
  | "twice"
  | "cuts"
  | "promises-more"
  | "promises-less"
  | "trickles"
  /** Takes `CRAWL_MS`. */
  | "crawls"

/** How long a crawling answer is under way: what minutes are to an hour. */
export const CRAWL_MS = 15_000

/** Writes one answer and ends the connection, as the way of delivery has it. */
export function deliver(socket: Socket, body: Buffer, delivery: Delivery): void {
  switch (delivery) {
    case "whole":
      socket.end(toMessage(body, body.length))
      return
    case "twice":
      socket.end(Buffer.concat([toMessage(body, body.length), toMessage(body, body.length)]))
      return
    case "cuts":
      socket.destroy()
      return
    case "promises-more":
      socket.end(toMessage(body, body.length + 1_000))
      return
    case "promises-less":
      socket.end(toMessage(body, Math.floor(body.length / 2)))
      return
    case "trickles":
      return trickle(socket, toMessage(body, body.length))
    case "crawls":
      crawl(socket, toMessage(body, body.length))
  }
}

/** Half of it at once, and half at the end of its time. */
function crawl(socket: Socket, message: Buffer): void {
  const middle = Math.floor(message.length / 2)
  socket.write(message.subarray(0, middle))
  setTimeout(() => socket.end(message.subarray(middle)), CRAWL_MS)
}

function toMessage(body: Buffer, promisedBytes: number): Buffer {
  const head = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${promisedBytes}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** In pieces, each once the one before has left. */
function trickle(socket: Socket, message: Buffer): void {
  const piece = message.subarray(0, 512)
  if (piece.length === message.length) {
    socket.end(piece)
    return
  }
  socket.write(piece, (error) => {
    if (error === undefined || error === null) {
      setImmediate(() => trickle(socket, message.subarray(512)))
    }
  })
}
