/**
 * `safelight tasks list`: the account's tasks, newest first, one page. The service checks the options. A page
 * without tasks is the last one only if it has no cursor.
 */
import type { PageQuery, Task } from "@safelight/client"
import { defineCommand } from "../command-line/define-command.ts"
import { collectLabel } from "../command-line/label-option.ts"
import { flag, option } from "../command-line/parameters.ts"
import { SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatOneLine } from "../text/one-line.ts"
import { formatTask } from "../text/task-text.ts"

const QUERY = {
  createdAfter: option("<seconds>", "created at this Unix second or later"),
  createdBefore: option("<seconds>", "created before this Unix second"),
  status: option("<status>", "queued, running, succeeded or failed"),
  model: option("<id>", "public id of the model"),
  label: option("<key=value>", "with this label; repeatable: with all of them", collectLabel),
  limit: option("<count>", "tasks a page, 1 to 100; 20 by default"),
  cursor: option("<cursor>", "continues an earlier page, which printed it"),
}

export const command = defineCommand({
  name: "tasks list",
  description: "list your tasks, newest first",
  options: {
    ...QUERY,
    json: flag("print {tasks, next_cursor} as the service sends it"),
    ...SERVICE_OPTIONS,
  },
  async run({ options, context }) {
    const { createdAfter, createdBefore, ...others } = options
    // As they were typed: the service checks them.
    const query = { created_after: createdAfter, created_before: createdBefore, ...others }
    const found = await toClient(options, context).listPage(query as unknown as PageQuery)
    if (options.json === true) return context.print(`${JSON.stringify(found)}\n`)
    context.print(found.tasks.map((task) => `${formatListed(task)}\n`).join(""))
    const { next_cursor: cursor } = found
    if (cursor !== null) {
      context.printError(`${formatOneLine(`there is more: --cursor ${cursor}`)}\n`)
    }
  },
})

function formatListed(task: Task): string {
  return `${formatTask(task)}  ${new Date(task.created_at * 1_000).toISOString()}`
}
