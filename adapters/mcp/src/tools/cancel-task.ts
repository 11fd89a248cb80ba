/** `cancel_task`: ends a task as far as it can be stopped. */
import { toResult } from "../results/results.ts"
import { readText, requireKnown } from "./read-arguments.ts"
import type { Tool } from "./tool.ts"

export const cancelTask: Tool = {
  name: "cancel_task",
  list: () => ({
    title: "Cancel a task",
    description:
      "Ends a task as far as it can be stopped. Work that can't be stopped goes on, and is charged if it succeeds.",
    inputSchema: {
      type: "object",
      properties: { task_id: { type: "string" } },
      required: ["task_id"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  }),
  async run({ client, given, signal, spending }) {
    requireKnown(given, ["task_id"])
    const cancelled = await client.cancel(readText(given, "task_id"), { signal })
    const { charge_limit_micros, charge_micros, outcome, task } = cancelled
    if (charge_micros !== null) spending.settle(task.task_id, charge_micros)
    const { model, progress, status, task_id } = task
    const cost = { charge_micros, charge_limit_micros }
    return toResult({ task_id, model, status, progress, outcome, ...cost })
  },
}
