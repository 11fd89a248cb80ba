/**
 * The list of an account's tasks. Its query is the only one that is checked: elsewhere a query says
 * nothing and is ignored.
 */
import { LIST_LIMITS } from "../resources/list-query.ts"
import { toJsonAnswer, withHead, type Operation, type Parameter } from "./operation.ts"
import { STATUSES } from "./response-schemas.ts"

const unixSeconds = { type: "integer", minimum: 0 } as const
const limit = {
  type: "integer",
  minimum: LIST_LIMITS.min,
  maximum: LIST_LIMITS.max,
  default: LIST_LIMITS.byDefault,
} as const

const FILTERS: readonly Parameter[] = [
  toFilter("created_after", "Unix seconds: tasks whose `created_at` is that or more.", unixSeconds),
  toFilter("created_before", "Unix seconds: tasks whose `created_at` is less.", unixSeconds),
  toFilter("status", "Tasks of this status.", { enum: STATUSES }),
  toFilter("model", "Tasks of this model; an unknown one is refused.", { type: "string" }),
  toFilter("limit", "The most tasks on a page.", limit),
  toFilter("cursor", "A `next_cursor`, for the page behind it.", { type: "string" }),
]

function toFilter(name: string, description: string, schema: object): Parameter {
  return { name, in: "query", required: false, description, schema }
}

export function listOperations(): { get: Operation; head: Operation } {
  return withHead({
    id: "listTasks",
    tag: "Tasks",
    summary: "The account's tasks, newest first",
    description:
      "Look here before a creation that timed out is repeated. A parameter that is not known, or " +
      "that stands twice, is refused. The end of the list is where `next_cursor` is null.",
    scopes: ["tasks:read"],
    parameters: FILTERS,
    answers: { "200": toJsonAnswer("A page of tasks.", "TaskList") },
    refusals: [
      "unknown_parameter",
      "invalid_type",
      "invalid_value",
      "integer_above_max_value",
      "integer_below_min_value",
    ],
  })
}
