/** What tasks cost: one task, or the account's in a period. */
import { TASK_ID } from "./content-operations.ts"
import { toJsonAnswer, withHead, type Operation, type Parameter } from "./operation.ts"

const TAG = "Usage"

const BOUNDS = {
  from: "Unix seconds, inclusive; by default 0.",
  to:
    "Unix seconds, exclusive, not before `from`; by default the second after this one, or `from` " +
    "where that is later.",
} as const

const PERIOD = Object.entries(BOUNDS).map(([name, description]): Parameter => {
  const schema = { type: "integer", minimum: 0 }
  return { name, in: "query", required: false, description, schema }
})

export function taskUsageOperations(): { get: Operation; head: Operation } {
  return withHead({
    id: "getTaskUsage",
    tag: TAG,
    summary: "What a task used and cost",
    description: "Amounts are integer micro-units of the account's currency.",
    scopes: ["tasks:read"],
    parameters: [TASK_ID],
    answers: { "200": toJsonAnswer("The task's usage.", "TaskUsage") },
    refusals: ["task_not_found"],
  })
}

export function usageOperations(): { get: Operation; head: Operation } {
  return withHead({
    id: "getUsage",
    tag: TAG,
    summary: "What the account's tasks cost",
    description:
      "A task counts in the period in which it finished. Periods that meet share no task. A " +
      "parameter that is not known, or that stands twice, is refused.",
    scopes: ["tasks:read"],
    parameters: PERIOD,
    answers: { "200": toJsonAnswer("The sums of the period.", "UsageReport") },
    refusals: [
      "unknown_parameter",
      "invalid_type",
      "integer_above_max_value",
      "integer_below_min_value",
      "invalid_value",
    ],
  })
}
