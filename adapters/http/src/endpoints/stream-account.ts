/**
 * GET /v1/stream: everything that happens to the account's tasks, as server-sent events. The id of an event
 * is a position in the account's feed, so a client that comes back with it misses nothing, at any node, or is told.
 */
import type { ChangePosition, ChangeService } from "@safelight/core"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { textHeader } from "../request/header-parameters.ts"
import { parsePositionId, toPositionId } from "../streams/event-id.ts"
import { toChangeText, toChangeType, toEventText, toNotice } from "../streams/event-text.ts"
import type { TextSource } from "../streams/open-stream.ts"
import { sendStream, STREAM_SCOPES } from "../streams/send-stream.ts"

export const streamAccount = defineEndpoint({
  method: "GET",
  path: "/v1/stream",
  about: {
    id: "streamTasks",
    tag: "Tasks",
    summary: "What happens to all tasks, as it happens",
    description:
      "Server-sent events: one for each event of each task, in order, named `task.submitted`, " +
      "`task.succeeded` and so on, whose data has `type`, `timestamp`, and the task as `data`. The first " +
      "event is `ready`. A client that connects again with `Last-Event-ID` gets what it missed within the " +
      "last hour; if something may be missing, or the event was lost with its database, it gets `reset`, and " +
      "starts over from the list of tasks.",
  },
  key: { scopes: STREAM_SCOPES, rate: "read" },
  headers: {
    "Last-Event-ID": textHeader("The id of the last event that was received."),
  },
  answers: {
    200: {
      description: "The stream; a comment now and then shows that it stands.",
      types: ["text/event-stream"],
      always: ["X-Request-Id", "Cache-Control", "X-Content-Type-Options", "X-Accel-Buffering"],
    },
  },
  refusals: ["concurrency_limit_exceeded", "overloaded"],
}).handle((services) => {
  const { changes, prefix } = services
  if (changes === undefined) return undefined
  return async (call) => {
    const account = call.caller.id
    const id = call.sent["Last-Event-ID"]
    const last = id === null || id === "" ? undefined : parsePositionId(id)
    return sendStream(services, {
      exchange: call,
      scopes: STREAM_SCOPES,
      watch: (on) => changes.watchChanges({ account, ...on }),
      toTexts(now = NOWHERE) {
        const source = createSource(changes, account, prefix, last ?? now)
        return { source, begin: last === undefined ? toNotice("ready", toPositionId(now)) : "" }
      },
    })
  }
})

/** In no feed. */
const NOWHERE: ChangePosition = { feed: "", position: 0, digits: "" }

function createSource(
  changes: ChangeService,
  account: string,
  prefix: () => string,
  from: ChangePosition,
): TextSource {
  let position = from
  return {
    async next() {
      const page = await changes.readChanges({ account, after: position })
      if (page.kind === "lost") {
        position = page.position
        return toNotice("reset", toPositionId(position))
      }
      if (page.next.position === position.position) return undefined
      const texts = page.changes.map((change) => {
        const data = toChangeText(change, prefix())
        const id = toPositionId(change.position)
        return toEventText({ id, event: toChangeType(change), data })
      })
      position = page.next
      return texts.join("")
    },
  }
}
