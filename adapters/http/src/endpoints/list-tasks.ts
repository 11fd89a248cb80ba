/**
 * GET /v1/tasks: the account's own tasks, newest first, so that a caller whose POST timed out can look
 * before repeating it. Only a null `next_cursor` is the end: a page may be short, or even empty, before it
 * (`Storage.listTasks`). A cursor is a position and knows nothing of the page that it came from: the other
 * parameters may differ.
 */
import { defineEndpoint } from "../endpoint.ts"
import { refuseParameters } from "../errors/refusal.ts"
import { STATUSES } from "../openapi/response-schemas.ts"
import { labelFilter } from "../request/labels.ts"
import { anyText, choice, integer, moment, toChoice, token } from "../request/query-parameters.ts"
import { parseCursor, toCursor } from "./list-cursor.ts"
import { toTaskText } from "./task-body.ts"

export const listTasks = defineEndpoint({
  method: "GET",
  path: "/v1/tasks",
  about: {
    id: "listTasks",
    tag: "Tasks",
    summary: "The account's tasks, newest first",
    description:
      "Look here before a creation that timed out is repeated. A parameter that is not known, or " +
      "that stands twice (except `label`), is refused. The end of the list is where `next_cursor` is null.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {
    created_after: moment("Unix seconds: tasks whose `created_at` is that or more."),
    created_before: moment("Unix seconds: tasks whose `created_at` is less."),
    status: choice("Tasks of this status.", STATUSES),
    model: anyText("Tasks of this model; an unknown one is refused."),
    label: labelFilter("Tasks with this label."),
    // A page that a person reads at once; the most is what a hundred GETs would have cost.
    limit: integer("The most tasks on a page.", { min: 1, max: 100, byDefault: 20 }),
    cursor: token("A `next_cursor`, for the page behind it.", {
      read: parseCursor,
      words: "cursor must be a next_cursor of an earlier answer.",
    }),
  },
  answers: { 200: { description: "A page of tasks.", json: "TaskList" } },
  refusals: ["invalid_value"],
}).handle(({ service, prefix }) => async (call) => {
  const { created_after, created_before, status, model, label, limit, cursor } = call.query
  const result = await service.listTasks({
    account: call.caller.id,
    limit,
    ...(created_after !== undefined && { createdAfter: created_after }),
    ...(created_before !== undefined && { createdBefore: created_before }),
    ...(status !== undefined && { status }),
    ...(model !== undefined && { model }),
    ...(label !== undefined && { labels: label }),
    ...(cursor !== undefined && { after: cursor }),
  })
  if (result.kind === "unknown-model") {
    const message = toChoice("model", result.models)
    throw refuseParameters(call.refuse, [{ param: "model", code: "invalid_value", message }])
  }
  const { tasks, next } = result
  const texts = tasks.map((task) => toTaskText(task, prefix()))
  const nextCursor = JSON.stringify(next === null ? null : toCursor(next))
  return call.reply(200, `{"tasks":[${texts.join(",")}],"next_cursor":${nextCursor}}`)
})
