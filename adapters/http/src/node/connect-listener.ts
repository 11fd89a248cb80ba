/**
 * CONNECT, which Node gives up as a bare socket and else closes without a word. It names no path of
 * ours, so its answer is that of an unknown one, behind whatever is still on its way.
 */
import type { IncomingMessage } from "node:http"
import { Refusal } from "../errors/refusal.ts"
import { afterResponse, findNewestResponse } from "./newest-response.ts"
import type { AnswerRaw } from "./raw-answer.ts"

export function createConnectListener(answer: AnswerRaw) {
  return ({ socket }: IncomingMessage): void => {
    // Node took its own listeners away: without one, a reset would end the process.
    socket.on("error", ignoreReset)
    socket.resume()
    afterResponse(findNewestResponse(socket), () => {
      if (!socket.writableEnded) answer(socket, new Refusal("route_not_found"))
    })
  }
}

/** The close that follows says all there is to say. */
function ignoreReset(): void {}
