/**
 * /v1/admin/tasks: the tasks of all accounts, what their hashes cover, and settling a doubt by hand. A task's inputs
 * are not shown: they are its account's.
 */
import { fields, text, type TaskVerdict } from "@safelight/core"
import * as v from "valibot"
import { storedEventList, toStoredEventsBody } from "../bodies/events.ts"
import {
  cancellation,
  operatorTask,
  operatorTaskList,
  toCancellationText,
  toOperatorTaskListText,
  toOperatorTaskText,
} from "../bodies/task.ts"
import { EVENT_QUERY, toEventRange } from "../bodies/page.ts"
import { taskProof } from "../bodies/task-proof.ts"
import { refuseParameters, type Refuse } from "../errors/refusal.ts"
import { noBody } from "../request/body-kinds.ts"
import { jsonBody } from "../request/json-body.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { anyText } from "../request/query-parameters.ts"
import { findTask } from "./find-task.ts"
import { defineOperatorEndpoint } from "./operator-endpoint.ts"
import { demandPage, TASK_QUERY, toListRequest } from "./task-query.ts"

const PATH = "/v1/admin/tasks"
const ONE_PATH = "/v1/admin/tasks/:task"
const IN_PATH = { task: TASK_ID }
/** What providers give is far shorter; the longest is what our own channels make of it. */
const OPERATION_CHARACTERS = 8_192

const verdictBody = jsonBody({
  schema: fields({
    adopt: v.exactOptional(text(1, OPERATION_CHARACTERS)),
    fail: v.exactOptional(v.literal(true)),
  }),
  example: { fail: true },
})

export const listAllTasks = defineOperatorEndpoint({
  method: "GET",
  path: PATH,
  about: {
    id: "listAllTasks",
    summary: "The tasks of all accounts, newest first",
    description:
      "With `account` as its own list shows them. Without it in the order of their ids; `label`, `created_after` and " +
      "`created_before` need an account. The end is where `next_cursor` is null: a page may be short before it.",
  },
  query: {
    account: anyText("Tasks of this account."),
    ...TASK_QUERY,
  },
  answers: { 200: { description: "A page of tasks.", json: operatorTaskList } },
  refusals: ["invalid_value"],
}).handle((insight, { prefix }) => async (call) => {
  const { account } = call.query
  if (account === undefined) refuseWithoutAccount(call)
  const request = { ...toListRequest(call.query), ...(account !== undefined && { account }) }
  const page = demandPage(call.refuse, await insight.tasks.listTasks(request))
  return call.reply(200, toOperatorTaskListText(page, prefix()))
})

export const showAnyTask = defineOperatorEndpoint({
  method: "GET",
  path: ONE_PATH,
  about: { id: "getAnyTask", summary: "A task of whatever account" },
  inPath: IN_PATH,
  query: {},
  answers: { 200: { description: "The task.", json: operatorTask } },
  refusals: ["task_not_found"],
}).handle((insight, { prefix }) => async (call) => {
  const task = await findTask(call, (id) => insight.tasks.findTask(id))
  return call.reply(200, toOperatorTaskText(task, prefix()))
})

export const listStoredEvents = defineOperatorEndpoint({
  method: "GET",
  path: `${ONE_PATH}/events`,
  about: {
    id: "listStoredEvents",
    summary: "A task's log as it is stored, with its hashes",
    description:
      "Oldest first. An event's `hash` is the SHA-256, in hexadecimal digits, of `safelight:event:1` and a line feed, " +
      "then the hash of the event before it (64 zeros before the first), then the canonical JSON (RFC 8785) of its " +
      "other members. `data` is that JSON's member as text; of `sealed` it has the SHA-256, and no member if it is " +
      "null. The end of the log is where `next_cursor` is null.",
  },
  inPath: IN_PATH,
  query: EVENT_QUERY,
  answers: { 200: { description: "The events.", json: storedEventList } },
  refusals: ["task_not_found"],
}).handle((insight) => async (call) => {
  const range = toEventRange(call.query)
  const found = await findTask(call, (id) => insight.tasks.listStoredEvents(id, range))
  return call.reply(200, toStoredEventsBody(call.param("task"), found))
})

export const proveAnyTask = defineOperatorEndpoint({
  method: "GET",
  path: `${ONE_PATH}/proof`,
  about: {
    id: "proveAnyTask",
    summary: "The proof that a task's events are in the signed log",
    description:
      "Checked with nothing but the log's public key. Events of the last minute may still lack their leaf.",
  },
  inPath: IN_PATH,
  query: {},
  answers: { 200: { description: "The proof.", json: taskProof } },
  refusals: ["task_not_found", "proof_not_ready"],
}).handle((insight, { proofs }) => {
  if (proofs === undefined) return undefined
  return async (call) => {
    await findTask(call, (id) => insight.tasks.findTask(id))
    const proof = await proofs.proveTask(call.param("task"), "operator")
    return call.reply(200, call.demand(proof, "proof_not_ready"))
  }
})

export const cancelAnyTask = defineOperatorEndpoint({
  method: "POST",
  path: `${ONE_PATH}/cancel`,
  about: {
    id: "cancelAnyTask",
    summary: "Cancel a task of whatever account",
    description: "As its account would.",
  },
  inPath: IN_PATH,
  query: {},
  body: noBody("This request takes no body."),
  answers: { 200: { description: "What came of it.", json: cancellation } },
  refusals: ["task_not_found"],
}).handle((insight, { prefix }) => async (call) => {
  const { keyId } = call.identity
  const found = await findTask(call, (task) => insight.tasks.cancelTask(task, keyId))
  return call.reply(200, toCancellationText(found, prefix()))
})

export const resolveTask = defineOperatorEndpoint({
  method: "POST",
  path: `${ONE_PATH}/resolve`,
  about: {
    id: "resolveTask",
    summary: "Settle a task whose outcome is unknown, as the provider told you",
    description:
      "`adopt`: the provider has it under this operation, JSON or plain text; the task goes on and is charged for it. " +
      "`fail`: it never will; the task fails and costs nothing. Exactly one of them.",
  },
  inPath: IN_PATH,
  query: {},
  body: verdictBody,
  answers: { 200: { description: "The task as it is now.", json: operatorTask } },
  refusals: ["task_not_found", "task_not_in_doubt", "invalid_value", "missing_required_parameter"],
}).handle((insight, { prefix }) => async (call) => {
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
