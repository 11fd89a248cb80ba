/**
 * Requests that clients send ahead, each waiting for the answer before it. Node parses whatever has
 * arrived, so without a bound here a client that never reads could fill the process's memory with
 * requests:
 *
 *   reading ─more than PAUSED_PAST wait→ paused ─none waits→ reading
 *   any ─more than MOST_WAITING wait on all connections, and the most of them on this→ closed
 *
 * So whoever sends much ahead gets no connection closed but their own.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** More stop the reading of their connection; up to 64 KiB that have arrived are parsed all the same. */
const PAUSED_PAST = 16

/** Over all connections of a server; with up to 64 KiB of head or body each, 128 MiB at worst. */
const MOST_WAITING = 2_048

/** Calls `begin` once `previous` is closed, unless the connection is by then. */
export type AwaitTurn = (socket: Duplex, previous: ServerResponse, begin: () => void) => void

const LINE = Symbol("requests that wait")
type Lined = Duplex & { [LINE]?: Line }

interface Line {
  readonly socket: Duplex
  waiting: number
  isPaused: boolean
}

/** `onOverflow` is called for each connection that is closed because too many requests wait. */
export function createWaitingRequests(onOverflow: () => void): AwaitTurn {
  /** Those in which a request waits. */
  const lines = new Set<Line>()
  let inAll = 0

  function open(socket: Lined): Line {
    const line: Line = { socket, waiting: 0, isPaused: false }
    socket[LINE] = line
    // Node emits no close for responses that wait.
    socket.once("close", () => clear(line))
    // Reading a body resumes its connection, and so does dropping one.
    socket.on("resume", () => {
      if (line.isPaused) socket.pause()
    })
    return line
  }

  function clear(line: Line): void {
    inAll -= line.waiting
    line.waiting = 0
    lines.delete(line)
  }

  function enter(line: Line): void {
    inAll += 1
    line.waiting += 1
    lines.add(line)
    if (line.isPaused || line.waiting <= PAUSED_PAST) return
    line.isPaused = true
    line.socket.pause()
  }

  function leave(line: Line): void {
    inAll -= 1
    line.waiting -= 1
    if (line.waiting > 0) return
    lines.delete(line)
    if (!line.isPaused) return
    line.isPaused = false
    line.socket.resume()
  }

  function closeLongest(): void {
    const longest = [...lines].reduce((one, other) => (other.waiting > one.waiting ? other : one))
    clear(longest)
    longest.socket.destroy()
    onOverflow()
  }

  return (socket: Lined, previous, begin) => {
    if (socket.destroyed) return
    const line = socket[LINE] ?? open(socket)
    enter(line)
    if (inAll > MOST_WAITING) closeLongest()
    previous.once("close", () => {
      // The client has left, and nothing was begun for it.
      if (socket.destroyed) return
      leave(line)
      begin()
    })
  }
}
