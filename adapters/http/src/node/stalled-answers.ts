/**
 * Ends a connection whose client reads nothing of its answer: it would hold an open file, or a connection
 * to a bucket, without end. Node restarts its timer of a socket whenever the system takes
 * bytes, so a download that is slow but moves continues.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { findNewestResponse } from "./turns.ts"

/** A client is noticed between one and two times `stalledAnswerMs` after the last byte that it took. */
export function endStalledAnswers(server: Server, stalledAnswerMs: number): void {
  server.timeout = stalledAnswerMs
  server.on("timeout", (socket: Socket) => {
    const newest = findNewestResponse(socket)
    const isIdle = newest?.closed === true
    // While an answer is being made nothing waits for the client; other limits of Node watch its request.
    if (isIdle || socket.writableLength > 0) socket.destroy()
  })
}
