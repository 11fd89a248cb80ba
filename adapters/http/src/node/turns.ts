/**
 * The order of requests on a connection. Node hands over at once every request that a client sends ahead;
 * here each begins once the answer before it is sent, so a connection never holds more than one reader or
 * buffer. While a request waits, nothing more is read from its connection:
 *
 *   reading ─a request waits→ paused ─none waits→ reading
 *   paused ─more than MOST_WAITING wait→ closed
 *
 * The state is kept on the socket itself: a map would be written to at every request.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/**
 * What one read brings, up to 64 KiB, is parsed before the connection can be paused. Of the smallest requests
 * that is 2,500, which take some 5 MB; this many take as much as a slow download does.
 */
const MOST_WAITING = 128

const TURNS = Symbol("turns")

interface Turns {
  newest: ServerResponse
  waiting: number
}

type Tracked = Duplex & { [TURNS]?: Turns }

/** Calls `begin` when it is the request's turn, or never if the connection ends before. */
export type AwaitTurn = (socket: Duplex, outgoing: ServerResponse, begin: () => void) => void

/** `onOverflow` is called for each connection that is closed because too many requests wait on it. */
export function createTurns(onOverflow: () => void): AwaitTurn {
  return (socket: Tracked, outgoing, begin) => {
    const turns = (socket[TURNS] ??= { newest: outgoing, waiting: 0 })
    const { newest: previous } = turns
    turns.newest = outgoing
    if (previous === outgoing || previous.closed) begin()
    else if (!socket.destroyed) wait(socket, turns, previous, begin)
  }

  function wait(socket: Duplex, turns: Turns, previous: ServerResponse, begin: () => void): void {
    turns.waiting += 1
    if (turns.waiting === 1) pause(socket)
    previous.once("close", () => {
      turns.waiting -= 1
      // The connection is ending, and no further answer can be sent on it.
      if (socket.destroyed || socket.writableEnded) return
      if (turns.waiting === 0) resume(socket)
      begin()
    })
    if (turns.waiting <= MOST_WAITING) return
    socket.destroy()
    onOverflow()
  }
}

/** The response to the newest request of a connection. */
export function findNewestResponse(socket: Tracked): ServerResponse | undefined {
  return socket[TURNS]?.newest
}

/** Reading a body resumes its connection, and so does dropping one. */
function pause(socket: Duplex): void {
  socket.on("resume", pauseAgain)
  socket.pause()
}

function resume(socket: Duplex): void {
  socket.off("resume", pauseAgain)
  socket.resume()
}

function pauseAgain(this: Duplex): void {
  this.pause()
}
