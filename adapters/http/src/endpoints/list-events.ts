/** GET /v1/tasks/{task_id}/events: what happened to a task, from its log. */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { EVENT_QUERY, toEventRange } from "../bodies/page.ts"
import { eventList, toEventsBody } from "../bodies/events.ts"
import { findTask } from "./find-task.ts"

export const listEvents = defineEndpoint({
  method: "GET",
  path: "/v1/tasks/:task/events",
  about: {
    id: "listEvents",
    tag: "Tasks",
    summary: "What happened to a task",
    description:
      "Its log, oldest first: which channel was taken and why, and what each attempt came to. " +
      "An event that is there never changes. The end of the log is where `next_cursor` is null.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  inPath: { task: TASK_ID },
  query: EVENT_QUERY,
  answers: { 200: { description: "The events.", json: eventList } },
  refusals: ["task_not_found"],
}).handle(({ service }) => async (call) => {
  const account = call.caller.id
  const range = toEventRange(call.query)
  const page = await findTask(call, (id) => service.listEvents({ account, id, ...range }))
  return call.reply(200, toEventsBody(call.param("task"), range.after, page))
})
