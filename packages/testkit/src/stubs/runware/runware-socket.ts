/**
 * Runware by WebSocket, at `ws-api.runware.ai/v1`: the first task is the authentication, each task is answered by a
 * message of its own, and a result comes when it is there, unasked.
 */
import { randomUUID } from "node:crypto"
import { isObject } from "../frame/stub-call.ts"
import { isKey, type StubContext } from "../frame/stub-definition.ts"
import type { TextSocket } from "../frame/text-socket.ts"

type Fields = Readonly<Record<string, unknown>>

export interface SocketTasks {
  /** What the task is answered with at once: a `code` is an error. */
  answer(task: Fields): Promise<readonly Fields[]>
  /** What an asynchronous task comes to at its end; undefined if it is not known. */
  finish(task: Fields): Promise<readonly Fields[] | undefined>
}

export function serveSocket(context: StubContext, tasks: SocketTasks): void {
  context.onSocket("/v1", (_call, socket) => {
    let isKnown = false
    async function take(task: Fields): Promise<void> {
      const { taskType, taskUUID } = task
      if (taskType === "ping") return tell(socket, [{ taskType, pong: true }])
      if (taskType === "authentication") {
        isKnown = isKey(typeof task["apiKey"] === "string" ? task["apiKey"] : undefined)
        const session = { taskType, connectionSessionUUID: randomUUID() }
        return tell(socket, isKnown ? [session] : [toUnknown("invalidApiKey")])
      }
      if (!isKnown) return tell(socket, [{ ...toUnknown("missingApiKey"), taskType, taskUUID }])
      tell(socket, await tasks.answer(task))
      const results = await tasks.finish(task)
      if (results !== undefined) tell(socket, results)
    }
    socket.onMessage((message) => {
      if (!Array.isArray(message) || !message.every(isObject)) {
        return tell(socket, [toUnknown("invalidJSON")])
      }
      for (const task of message) void take(task)
    })
  })
}

function toUnknown(code: string): Fields {
  return { code, message: "The connection is not authenticated." }
}

function tell(socket: TextSocket, answers: readonly Fields[]): void {
  const data = answers.filter((each) => !("code" in each))
  const errors = answers.filter((each) => "code" in each)
  if (data.length > 0) socket.send({ data })
  if (errors.length > 0) socket.send({ errors })
}
