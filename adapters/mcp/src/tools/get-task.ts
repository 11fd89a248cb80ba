/** `get_task`: a task as it is, or once it is finished. */
import { DEFAULTS } from "../settings/defaults.ts"
import { WAIT_SECONDS } from "../models/input-schema.ts"
import { toTaskResult } from "../results/task-result.ts"
import { readCount, readText, requireKnown } from "./read-arguments.ts"
import type { Tool } from "./tool.ts"
import { waitForTask } from "./wait-for-task.ts"

export const getTask: Tool = {
  name: "get_task",
  list: () => ({
    title: "Look at a task",
    description: "Tells how far a task is and, once it is finished, what it made and cost.",
    inputSchema: {
      type: "object",
      properties: { task_id: { type: "string" }, wait_seconds: { ...WAIT_SECONDS, default: 0 } },
      required: ["task_id"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  }),
  async run(call) {
    const { client, given, signal } = call
    requireKnown(given, ["task_id", "wait_seconds"])
    const id = readText(given, "task_id")
    const seconds = readCount(given, "wait_seconds", DEFAULTS.longestWaitSeconds, 0)
    const task = await client.get(id, { signal })
    return toTaskResult(call, await waitForTask(call, task, seconds))
  },
}
