/** The server's side of a WebSocket as far as a stub needs it: texts of JSON, both ways. */
import type { WebSocket } from "ws"

export interface TextSocket {
  send(message: unknown): void
  /** Each text that is JSON; anything else ends the connection, as bad data (RFC 6455, section 7.4.1). */
  onMessage(listener: (message: unknown) => void): void
  /** Cuts the connection, without a closing frame. */
  drop(): void
  onClose(listener: () => void): void
}

const BAD_DATA = 1007

export function toTextSocket(socket: WebSocket): TextSocket {
  // A caller may break the connection at any moment.
  socket.on("error", () => socket.terminate())
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    onMessage(listener) {
      socket.on("message", (data: Buffer) => {
        const message = parse(data.toString())
        if (message === undefined) socket.close(BAD_DATA)
        else listener(message)
      })
    },
    drop: () => socket.terminate(),
    onClose: (listener) => void socket.on("close", listener),
  }
}

/** Undefined if it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The closing frame tells the caller.
    return undefined
  }
}
