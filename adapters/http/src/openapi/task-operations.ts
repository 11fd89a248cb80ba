/**
 * The operations on tasks, by path. A new one stands here with its path; a test fails while the
 * handler answers a path or a method that is not described.
 */
import { MAX_HOPS } from "@safelight/core"
import type { ErrorCode } from "../errors/error-table.ts"
import { contentOperations, TASK_ID } from "./content-operations.ts"
import { linkOperations } from "./link-operations.ts"
import { listOperations } from "./list-operations.ts"
import { toJsonAnswer, toOperation, withHead, type Operation, type Parameter } from "./operation.ts"
import { taskUsageOperations, usageOperations } from "./usage-operations.ts"

export type PathItem = Readonly<Record<string, Operation>>

const TAG = "Tasks"

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 printable ASCII characters of your choice, quoted or not, new for each task. The " +
    "same request with the same key is the same task, for 14 days; another request is refused.",
  schema: { type: "string", minLength: 1 },
}

const HOPS: Parameter = {
  name: "Safelight-Hops",
  in: "header",
  required: false,
  description:
    "How many services of this kind have passed the request on, sent by such a service alone. " +
    `Past ${MAX_HOPS} it is refused, so that services that name each other make no tasks without end.`,
  schema: { type: "integer", minimum: 0, maximum: MAX_HOPS },
}

const BODY_CODES: readonly ErrorCode[] = [
  "invalid_json",
  "duplicate_key",
  "json_too_complex",
  "request_too_large",
  "unsupported_media_type",
  "unsupported_content_encoding",
  "overloaded",
]

/** Of the account and the storage, once the task is handed to them. */
const ACCEPTANCE_CODES: readonly ErrorCode[] = [
  "invalid_idempotency_key",
  "too_many_hops",
  "idempotency_key_reused",
  "idempotency_key_in_use",
  "insufficient_balance",
  "concurrency_limit_exceeded",
  "outcome_unknown",
]

const PARAMETER_CODES: readonly ErrorCode[] = [
  "model_not_found",
  "missing_required_parameter",
  "unknown_parameter",
  "invalid_type",
  "invalid_value",
  "invalid_url",
  "url_not_allowed",
  "invalid_data_url",
  "string_above_max_length",
  "string_below_min_length",
  "array_above_max_length",
  "array_below_min_length",
  "integer_above_max_value",
  "integer_below_min_value",
]

export function toTaskPaths(requestBody: object): Record<string, PathItem> {
  return {
    "/v1/tasks": { ...listOperations(), post: toCreation(requestBody) },
    "/v1/tasks/{task_id}": withHead({
      id: "getTask",
      tag: TAG,
      summary: "A task",
      description: "Poll every few seconds until its status is `succeeded` or `failed`.",
      scopes: ["tasks:read"],
      parameters: [TASK_ID],
      answers: {
        "200": toJsonAnswer(
          "The task. `Retry-After` says when to ask again, while it is unfinished.",
          "Task",
          { sometimes: ["Retry-After"] },
        ),
      },
      refusals: ["task_not_found"],
    }),
    "/v1/tasks/{task_id}/events": withHead({
      id: "listEvents",
      tag: TAG,
      summary: "What happened to a task",
      description:
        "Its log, oldest first: which channel was taken and why, and what each attempt came to. " +
        "An event that is there never changes.",
      scopes: ["tasks:read"],
      parameters: [TASK_ID],
      answers: { "200": toJsonAnswer("The events.", "EventList") },
      refusals: ["task_not_found"],
    }),
    "/v1/tasks/{task_id}/usage": taskUsageOperations(),
    "/v1/usage": usageOperations(),
    "/v1/tasks/{task_id}/artifacts": withHead({
      id: "listArtifacts",
      tag: "Artifacts",
      summary: "The artifacts of a finished task",
      scopes: ["artifacts:read"],
      parameters: [TASK_ID],
      answers: { "200": toJsonAnswer("The artifacts.", "ArtifactList") },
      refusals: ["task_not_found", "task_not_finished"],
    }),
    "/v1/tasks/{task_id}/artifacts/{artifact_key}/links": linkOperations(),
    "/v1/tasks/{task_id}/artifacts/{artifact_key}/content": contentOperations(),
  }
}

function toCreation(requestBody: object): Operation {
  return toOperation({
    id: "createTask",
    tag: TAG,
    summary: "Create a task",
    description:
      "The task is durable once it is answered, and may be finished already. Without an " +
      "`Idempotency-Key` two identical requests are two tasks, each of them billed: do not repeat " +
      "one that timed out. With one, repeat it as it was. " +
      "A colour may also stand once more under its parameter's own name, as that object's only " +
      'member: `{"colors":[{"colors":[{"r":255}]}]}`.',
    scopes: ["tasks:write"],
    parameters: [IDEMPOTENCY_KEY, HOPS],
    requestBody,
    answers: {
      "202": toJsonAnswer("The task.", "Task", {
        always: ["Location"],
        sometimes: ["Idempotent-Replayed"],
      }),
    },
    refusals: [...BODY_CODES, ...PARAMETER_CODES, ...ACCEPTANCE_CODES],
  })
}
