/**
 * Connections whose last answer is under way: that of a stream, which has no end of its own. For the request
 * that might follow Node keeps a parser of some 6 KB, a third of what an idle stream costs. It has no call to
 * give the parser up before the connection closes, so this does what Node does then; if a later Node has it
 * otherwise, the parser is left alone. Node also knows connections by their parsers, so those without one are
 * closed here, and so is one whose client goes on sending: nobody would read it.
 */
import type { Socket } from "node:net"

export interface LastAnswers {
  /** From a turn of its own on, what the client still sends is dropped, and too much of it ends the connection. */
  readonly begin: (socket: Socket) => void
  readonly closeAll: () => void
}

/** Node's `HTTPParser`, as far as its own `freeParser` uses it. */
interface Parser {
  incoming: unknown
  readonly close: () => void
  readonly remove: () => void
  readonly unconsume: () => void
}

/** Of a client that had sent other requests ahead. */
const DROPPED_BYTES = 16 * 1024

type ParsedSocket = Socket & { parser?: Partial<Parser> | null }

export function createLastAnswers(): LastAnswers {
  /** With the bytes that had been read from each. */
  const sockets = new Map<Socket, number>()

  /** One listener for all: there may be very many sockets. */
  function drop(this: Socket): void {
    if (this.bytesRead - (sockets.get(this) ?? 0) > DROPPED_BYTES) this.destroy()
  }

  function forget(this: Socket): void {
    sockets.delete(this)
  }

  function release(socket: ParsedSocket): void {
    const { parser } = socket
    if (socket.destroyed || !isParser(parser)) return
    sockets.set(socket, socket.bytesRead)
    socket.once("close", forget)
    parser.unconsume()
    parser.remove()
    parser.incoming = null
    socket.parser = null
    parser.close()
    socket.on("data", drop)
  }

  return {
    // The parser may be calling us at this moment.
    begin: (socket) => void setImmediate(release, socket),
    closeAll() {
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}

function isParser(parser: ParsedSocket["parser"]): parser is Parser {
  return [parser?.close, parser?.remove, parser?.unconsume].every(
    (member) => typeof member === "function",
  )
}
