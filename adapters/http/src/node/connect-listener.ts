/**
 * CONNECT, for which Node hands over the bare socket and would otherwise close it without an answer. It
 * names no path of ours, so it is answered as an unknown path, after any answer that is still being sent.
 */
import type { IncomingMessage } from "node:http"
import { Refusal } from "../errors/refusal.ts"
import type { AnswerRaw } from "./raw-answer.ts"
import { findNewestResponse } from "./turns.ts"

export function createConnectListener(answer: AnswerRaw) {
  return ({ socket }: IncomingMessage): void => {
    // Node has removed its own listeners: without one, a reset would end the process.
    socket.on("error", ignoreReset)
    socket.resume()
    const newest = findNewestResponse(socket)
    if (newest === undefined || newest.closed) refuse()
    else newest.once("close", refuse)

    function refuse(): void {
      if (!socket.writableEnded) answer(socket, new Refusal("route_not_found"))
    }
  }
}

/** The close that follows is enough. */
function ignoreReset(): void {}
