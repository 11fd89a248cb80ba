/**
 * GET /v1/tasks/{task_id}/stream: what happens to one task, from its beginning to its end, as server-sent
 * events. The id of an event begins with its version, so a client that comes back with it misses nothing, at any node.
 */
import {
  isTerminal,
  MOST_CHANGES,
  TASK_BEGIN,
  toHashDigits,
  type ChangeService,
  type EventPlace,
  type TaskChange,
} from "@safelight/core"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { textHeader } from "../request/header-parameters.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { parsePlaceId, toPlaceId } from "../streams/event-id.ts"
import { toChangeText, toChangeType, toEventText, toNotice } from "../streams/event-text.ts"
import type { TextSource } from "../streams/open-stream.ts"
import { sendStream, STREAM_SCOPES, type StreamOptions } from "../streams/send-stream.ts"
import { findTask } from "./find-task.ts"

export const streamTask = defineEndpoint({
  method: "GET",
  path: "/v1/tasks/:task/stream",
  about: {
    id: "streamTask",
    tag: "Tasks",
    summary: "What happens to a task, as it happens",
    description:
      "Server-sent events: one for each event of the task, from the first, or from behind `Last-Event-ID`. " +
      "Each is named `task.submitted`, `task.succeeded` and so on; its data has `type`, `timestamp`, and " +
      "the task as `data`. The stream ends when the task is finished; whoever asks for more gets 204. If the " +
      "event of the id was lost with its database, `reset` comes first and then the task from its beginning.",
  },
  key: { scopes: STREAM_SCOPES, rate: "read" },
  inPath: { task: TASK_ID },
  headers: {
    "Last-Event-ID": textHeader("The id of the last event that was received."),
  },
  answers: {
    200: {
      description: "The stream; a comment now and then shows that it stands.",
      types: ["text/event-stream"],
      always: ["X-Request-Id", "Cache-Control", "X-Content-Type-Options", "X-Accel-Buffering"],
    },
    204: {
      description: "The task is finished and nothing follows: don't connect again.",
      always: ["X-Request-Id", "Cache-Control"],
    },
  },
  refusals: ["task_not_found", "concurrency_limit_exceeded", "overloaded"],
}).handle((services) => {
  const { changes, prefix, service } = services
  if (changes === undefined) return undefined
  return async (call) => {
    const account = call.caller.id
    const id = call.param("task")
    const task = await findTask(call, (known) => service.findTask({ account, id: known }))
    const last = call.sent["Last-Event-ID"]
    const after = last === null || last === "" ? TASK_BEGIN : parsePlaceId(last)
    if (isTerminal(task) && after.version === task.version) {
      const head = await changes.findTaskAt({ account, id, version: after.version })
      if (head !== undefined && toHashDigits(head.hash) === after.digits) return call.reply(204)
    }
    const source = createSource(changes, { account, id }, prefix, after)
    const watch: StreamOptions["watch"] = (on) => changes.watchChanges({ account, task: id, ...on })
    return sendStream(services, {
      exchange: call,
      scopes: STREAM_SCOPES,
      // Of a finished task there is nothing to be told.
      ...(!isTerminal(task) && { watch }),
      toTexts: () => ({ source }),
    })
  }
})

function createSource(
  changes: ChangeService,
  task: { readonly account: string; readonly id: string },
  prefix: () => string,
  from: EventPlace,
): TextSource {
  let after = from
  let isFinished = false
  let wasTerminal = false
  return {
    async next() {
      if (isFinished) return null
      const page = await changes.listChanges({ ...task, after })
      if (page?.kind === "lost") {
        after = TASK_BEGIN
        wasTerminal = false
        return toNotice("reset", toPlaceId(after))
      }
      const found = page?.changes ?? []
      const newest = found.at(-1)
      if (newest === undefined) return wasTerminal ? null : undefined
      after = toPlace(newest)
      wasTerminal = isTerminal(newest.task)
      // A finished task may have been held since: what fills a page may be followed by more.
      isFinished = wasTerminal && found.length < MOST_CHANGES
      const texts = found.map((change) => {
        const data = toChangeText(change, prefix())
        return toEventText({ id: toPlaceId(toPlace(change)), event: toChangeType(change), data })
      })
      return texts.join("")
    },
  }
}

function toPlace({ hash, version }: TaskChange): EventPlace {
  return { version, digits: toHashDigits(hash) }
}
