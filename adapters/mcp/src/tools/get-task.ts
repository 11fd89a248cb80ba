/** `get_task`: a task as it is, or once it is finished; by its id, or by the key of the call that may have bought it. */
import { ApiError } from "@safelight/client"
import { DEFAULTS } from "../settings/defaults.ts"
import { WAIT_SECONDS } from "../models/input-schema.ts"
import { isCallKey, toCallFilter } from "../purchases/call-key.ts"
import { toTaskResult } from "../results/task-result.ts"
import { fault, readCount, readText, requireKnown } from "./read-arguments.ts"
import type { Tool, ToolCall } from "./tool.ts"
import { waitForTask } from "./wait-for-task.ts"

const KEY = {
  type: "string",
  description: "In place of task_id: that of an outcome_unknown. It finds the task, if one exists.",
} as const

export const getTask: Tool = {
  name: "get_task",
  list: () => ({
    title: "Look at a task",
    description: "Tells how far a task is and, once it is finished, what it made and cost.",
    inputSchema: {
      type: "object",
      properties: {
        task_id: { type: "string" },
        idempotency_key: KEY,
        wait_seconds: { ...WAIT_SECONDS, default: 0 },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  }),
  async run(call) {
    const { given } = call
    requireKnown(given, ["task_id", "idempotency_key", "wait_seconds"])
    const seconds = readCount(given, "wait_seconds", DEFAULTS.longestWaitSeconds, 0)
    const id = Object.hasOwn(given, "idempotency_key")
      ? await findByKey(call)
      : readText(given, "task_id")
    const task = await call.client.get(id, { signal: call.signal })
    return toTaskResult(call, await waitForTask(call, task, seconds))
  },
}

async function findByKey({ client, given, signal, spending }: ToolCall): Promise<string> {
  const key = readText(given, "idempotency_key")
  if (Object.hasOwn(given, "task_id")) {
    throw fault("idempotency_key", "invalid_value", "Give either idempotency_key or task_id.")
  }
  if (!isCallKey(key)) {
    const message = "idempotency_key must be that of an outcome_unknown of a tool here."
    throw fault("idempotency_key", "invalid_value", message)
  }
  const { tasks } = await client.listPage({ label: toCallFilter(key), limit: 1 }, { signal })
  const [task] = tasks
  if (task === undefined) throw NOT_FOUND
  spending.found(key, task.task_id)
  return task.task_id
}

const NOT_FOUND = new ApiError({
  code: "task_not_found",
  type: "not_found_error",
  param: "idempotency_key",
  message:
    "The call has bought no task so far. It still may if its request is under way: look again " +
    "in two minutes before you buy anew.",
})
