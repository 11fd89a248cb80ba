/** `safelight tasks get`: the current state of a task. The exit code tells whether it has failed. */
import type { Task } from "@safelight/client"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { EXIT } from "../errors/exit-code.ts"
import { formatTask, formatTaskFailure } from "../text/task-text.ts"

export const command = defineCommand({
  name: "tasks get",
  description: "show a task as it stands",
  arguments: { id: argument("id of the task", parseName) },
  options: { json: flag("print the task as the service sends it"), ...SERVICE_OPTIONS },
  async run({ arguments: { id }, options, context }) {
    const task = await toClient(options, context).get(id)
    printResult(options, context, task, () => formatStanding(task))
    if (task.status === "failed") context.exitWith(EXIT.failed)
  },
})

function formatStanding(task: Task): string {
  const failure = task.status === "failed" ? `${formatTaskFailure(task)}\n` : ""
  return `${formatTask(task)}\n${failure}`
}
