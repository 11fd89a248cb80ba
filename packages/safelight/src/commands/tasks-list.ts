/**
 * `safelight tasks list`: the account's tasks, newest first, one page. The service checks the options. A page
 * without tasks is the last one only if it has no cursor.
 */
import { Command } from "commander"
import type { PageQuery, Task } from "@safelight/client"
import { toOneLine } from "../failure-line.ts"
import { collectLabel, type LabelTexts } from "./label-option.ts"
import { addServiceOptions, type ServiceOptions } from "./service-options.ts"
import { toTaskLine } from "./task-line.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly status?: string
  readonly model?: string
  readonly label?: LabelTexts
  readonly limit?: string
  readonly cursor?: string
  readonly json?: true
}

export function createTasksListCommand(context: CommandContext): Command {
  const command = new Command("list")
    .description("list your tasks, newest first")
    .option("--created-after <seconds>", "created at this Unix second or later")
    .option("--created-before <seconds>", "created before this Unix second")
    .option("--status <status>", "queued, running, succeeded or failed")
    .option("--model <id>", "public id of the model")
    .option("--label <key=value>", "with this label; repeatable: with all of them", collectLabel)
    .option("--limit <count>", "tasks a page, 1 to 100; 20 by default")
    .option("--cursor <cursor>", "continues an earlier page, which printed it")
    .option("--json", "print {tasks, next_cursor} as the service sends it")
  return addServiceOptions(command).action((options: Options) => list(options, context))
}

async function list(options: Options, context: CommandContext): Promise<void> {
  const { toClient } = await import("./service-options.ts")
  const found = await toClient(options, context).listPage(toQuery(options))
  if (options.json === true) return context.print(`${JSON.stringify(found)}\n`)
  context.print(found.tasks.map((task) => `${toListLine(task)}\n`).join(""))
  const { next_cursor: cursor } = found
  if (cursor !== null) context.printError(`${toOneLine(`there is more: --cursor ${cursor}`)}\n`)
}

/** The options as they were typed. */
function toQuery(options: Options): PageQuery {
  const { createdAfter, createdBefore, ...others } = options
  const query = { created_after: createdAfter, created_before: createdBefore, ...others }
  return query as unknown as PageQuery
}

function toListLine(task: Task): string {
  return `${toTaskLine(task)}  ${new Date(task.created_at * 1_000).toISOString()}`
}
