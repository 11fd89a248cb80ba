/**
 * /v1/admin/tasks: the tasks of all accounts, what their hashes cover, and settling a doubt by hand. A task's inputs
 * are not shown: they are its account's.
 */
import { fields, text, type StoredEvent, type Task, type TaskVerdict } from "@safelight/core"
import * as v from "valibot"
import { defineEndpoint } from "../endpoint.ts"
import { refuseParameters, type Refuse } from "../errors/refusal.ts"
import { STATUSES } from "../openapi/response-schemas.ts"
import { noBody } from "../request/body-kinds.ts"
import { jsonBody } from "../request/json-body.ts"
import { labelFilter } from "../request/labels.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { anyText, choice, integer, moment, toChoice, token } from "../request/query-parameters.ts"
import { toCancellationText } from "./cancel-task.ts"
import { findTask } from "./find-task.ts"
import { EVENT_QUERY, toEventCursor, toEventRange } from "./event-query.ts"
import { parseCursor, toCursor } from "./list-cursor.ts"
import { OPERATOR_KEY } from "./operator-key.ts"
import { toTaskText } from "./task-body.ts"

const PATH = "/v1/admin/tasks"
const ONE_PATH = "/v1/admin/tasks/:task"
const IN_PATH = { task: TASK_ID }
/** What providers give is far shorter; the longest is what our own channels make of it. */
const OPERATION_CHARACTERS = 8_192

const verdictBody = jsonBody({
  refusals: [
    "unknown_parameter",
    "invalid_type",
    "invalid_value",
    "string_above_max_length",
    "string_below_min_length",
  ],
  schema: fields({
    adopt: v.exactOptional(text(1, OPERATION_CHARACTERS)),
    fail: v.exactOptional(v.literal(true)),
  }),
  example: { fail: true },
})

export const listAllTasks = defineEndpoint({
  method: "GET",
  path: PATH,
  about: {
    id: "listAllTasks",
    tag: "Operator",
    summary: "The tasks of all accounts, newest first",
    description:
      "With `account` as its own list shows them. Without it in the order of their ids; `label`, `created_after` and " +
      "`created_before` need an account. The end is where `next_cursor` is null: a page may be short before it.",
  },
  key: OPERATOR_KEY,
  query: {
    account: anyText("Tasks of this account."),
    created_after: moment("Unix seconds: tasks whose `created_at` is that or more."),
    created_before: moment("Unix seconds: tasks whose `created_at` is less."),
    status: choice("Tasks of this status.", STATUSES),
    model: anyText("Tasks of this model; an unknown one is refused."),
    label: labelFilter("Tasks with this label."),
    limit: integer("The most tasks on a page.", { min: 1, max: 100, byDefault: 20 }),
    cursor: token("A `next_cursor`, for the page behind it.", {
      read: parseCursor,
      words: "cursor must be a next_cursor of an earlier answer.",
    }),
  },
  answers: { 200: { description: "A page of tasks.", json: "OperatorTaskList" } },
  refusals: ["invalid_value"],
}).handle(({ insight, prefix }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const { account, created_after, created_before, status, model, label, limit, cursor } =
      call.query
    if (account === undefined) refuseWithoutAccount(call)
    const result = await insight.tasks.listTasks({
      limit,
      ...(account !== undefined && { account }),
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
    const texts = result.tasks.map((task) => toOperatorTaskText(task, prefix()))
    const next = JSON.stringify(result.next === null ? null : toCursor(result.next))
    return call.reply(200, `{"tasks":[${texts.join(",")}],"next_cursor":${next}}`)
  }
})

export const showAnyTask = defineEndpoint({
  method: "GET",
  path: ONE_PATH,
  about: { id: "getAnyTask", tag: "Operator", summary: "A task of whatever account" },
  key: OPERATOR_KEY,
  inPath: IN_PATH,
  query: {},
  answers: { 200: { description: "The task.", json: "OperatorTask" } },
  refusals: ["task_not_found"],
}).handle(({ insight, prefix }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const task = await findTask(call, (id) => insight.tasks.findTask(id))
    return call.reply(200, toOperatorTaskText(task, prefix()))
  }
})

export const listStoredEvents = defineEndpoint({
  method: "GET",
  path: `${ONE_PATH}/events`,
  about: {
    id: "listStoredEvents",
    tag: "Operator",
    summary: "A task's log as it is stored, with its hashes",
    description:
      "Oldest first. An event's `hash` is the SHA-256, in hexadecimal digits, of `safelight:event:1` and a line feed, " +
      "then the hash of the event before it (64 zeros before the first), then the canonical JSON (RFC 8785) of its " +
      "other members. `data` is that JSON's member as text. The end of the log is where `next_cursor` is null.",
  },
  key: OPERATOR_KEY,
  inPath: IN_PATH,
  query: EVENT_QUERY,
  answers: { 200: { description: "The events.", json: "StoredEventList" } },
  refusals: ["task_not_found"],
}).handle(({ insight }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const range = toEventRange(call.query)
    const { events, next } = await findTask(call, (id) => insight.tasks.listStoredEvents(id, range))
    const id = call.param("task")
    const body = {
      task_id: id,
      events: events.map(toEventBody),
      next_cursor: toEventCursor(id, next),
    }
    return call.reply(200, JSON.stringify(body))
  }
})

export const cancelAnyTask = defineEndpoint({
  method: "POST",
  path: `${ONE_PATH}/cancel`,
  about: {
    id: "cancelAnyTask",
    tag: "Operator",
    summary: "Cancel a task of whatever account",
    description: "As its account would.",
  },
  key: OPERATOR_KEY,
  inPath: IN_PATH,
  query: {},
  body: noBody("This request takes no body."),
  answers: { 200: { description: "What came of it.", json: "Cancellation" } },
  refusals: ["task_not_found"],
}).handle(({ insight, prefix }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const { keyId } = call.identity
    const found = await findTask(call, (task) => insight.tasks.cancelTask(task, keyId))
    return call.reply(200, toCancellationText(found, prefix()))
  }
})

export const resolveTask = defineEndpoint({
  method: "POST",
  path: `${ONE_PATH}/resolve`,
  about: {
    id: "resolveTask",
    tag: "Operator",
    summary: "Settle a task whose outcome is unknown, as the provider told you",
    description:
      "`adopt`: the provider has it under this operation, JSON or plain text; the task goes on and is charged for it. " +
      "`fail`: it never will; the task fails and costs nothing. Exactly one of them.",
  },
  key: OPERATOR_KEY,
  inPath: IN_PATH,
  query: {},
  body: verdictBody,
  answers: { 200: { description: "The task as it is now.", json: "OperatorTask" } },
  refusals: ["task_not_found", "task_not_in_doubt", "invalid_value", "missing_required_parameter"],
}).handle(({ insight, prefix }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const verdict = toVerdict(call.refuse, call.param("task"), await call.body())
    const { keyId } = call.identity
    const resolve = () => insight.tasks.resolveTask(verdict, keyId)
    const result = await findTask(call, resolve)
    if (result.kind === "unknown-task") throw call.refuse("task_not_found")
    if (result.kind === "not-doubtful") throw call.refuse("task_not_in_doubt")
    if (result.kind === "no-operation") {
      const message = "adopt must be JSON but null, or a plain text without blanks and quotes."
      throw refuseParameters(call.refuse, [{ param: "adopt", code: "invalid_value", message }])
    }
    return call.reply(200, toOperatorTaskText(result.task, prefix()))
  }
})

function refuseWithoutAccount({
  query,
  refuse,
}: {
  readonly query: Readonly<Record<"created_after" | "created_before" | "label", unknown>>
  readonly refuse: Refuse<"invalid_value">
}): void {
  const params = (["created_after", "created_before", "label"] as const).filter(
    (param) => query[param] !== undefined,
  )
  const issues = params.map((param) => {
    const message = `${param} needs an account.`
    return { param, code: "invalid_value" as const, message }
  })
  if (issues.length > 0) throw refuseParameters(refuse, issues)
}

function toVerdict(
  refuse: Refuse<"invalid_value" | "missing_required_parameter">,
  task: string,
  { adopt, fail }: { readonly adopt?: string; readonly fail?: true },
): TaskVerdict {
  if (adopt !== undefined && fail !== undefined) {
    const message = "fail must not stand beside adopt."
    throw refuseParameters(refuse, [{ param: "fail", code: "invalid_value", message }])
  }
  if (adopt !== undefined) return { task, adopt }
  if (fail !== undefined) return { task, fail }
  const message = "adopt is required, or fail."
  throw refuseParameters(refuse, [{ param: "adopt", code: "missing_required_parameter", message }])
}

/** As its account sees it, and whose it is. */
function toOperatorTaskText(task: Task, prefix: string): string {
  return `{"account":${JSON.stringify(task.account)},${toTaskText(task, prefix).slice(1)}`
}

function toEventBody({ at, data, hash, schema, task, type, version }: StoredEvent): object {
  return { at, data, hash, schema, task, type, version }
}
