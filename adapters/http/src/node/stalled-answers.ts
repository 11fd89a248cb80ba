/**
 * The end of a connection whose client takes nothing of its answer: it would hold an open file, or
 * a connection to a bucket, for as long as it likes. Node's own timer of a socket starts anew with
 * whatever the system takes, so a download that is slow and moves goes on.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { findNewestResponse } from "./newest-response.ts"

/** A client is noticed between one and two times `stalledAnswerMs` after the last byte that it took. */
export function endStalledAnswers(server: Server, stalledAnswerMs: number): void {
  server.timeout = stalledAnswerMs
  server.on("timeout", (socket: Socket) => {
    const newest = findNewestResponse(socket)
    const isIdle = newest?.closed === true
    // While an answer is being made nothing waits for the client; Node's other limits are for its request.
    if (isIdle || socket.writableLength > 0) socket.destroy()
  })
}
