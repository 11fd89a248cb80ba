/** `safelight tasks get`: the current state of a task. The exit code tells whether it has failed. */
import { Command } from "commander"
import type { Task } from "@safelight/client"
import { EXIT } from "../exit-code.ts"
import { addServiceOptions, parseName, type ServiceOptions } from "./service-options.ts"
import { toFailureLine, toTaskLine } from "./task-line.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly json?: true
}

export function createTasksGetCommand(context: CommandContext): Command {
  const command = new Command("get")
    .description("show a task as it stands")
    .argument("<id>", "id of the task", parseName)
    .option("--json", "print the task as the service sends it")
  return addServiceOptions(command).action((id: string, options: Options) =>
    get(id, options, context),
  )
}

async function get(id: string, options: Options, context: CommandContext): Promise<void> {
  const { toClient } = await import("./service-options.ts")
  const task = await toClient(options, context).get(id)
  context.print(options.json === true ? `${JSON.stringify(task)}\n` : toText(task))
  if (task.status === "failed") context.exitWith(EXIT.failed)
}

function toText(task: Task): string {
  const failure = task.status === "failed" ? `${toFailureLine(task)}\n` : ""
  return `${toTaskLine(task)}\n${failure}`
}
