/** `safelight tasks erase`: erases what a person wrote for a task. A service may be running. */
import { Command } from "commander"
import { refused } from "../command-error.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

export function createTasksEraseCommand(context: CommandContext): Command {
  const command = new Command("erase")
    .description("erase a task's prompt, URLs, inline media, labels and idempotency key")
    .argument("<id>", "id of the task")
  return addDataOptions(command).action((id: string, options: DataOptions) =>
    erase(id, options, context),
  )
}

async function erase(id: string, options: DataOptions, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const isErased = await withData({ configuration, mayCreate: false }, (storage) =>
    storage.eraseInputs(id),
  )
  if (isErased) return context.print(`erased ${id}\n`)
  const message = "nothing is stored of what was written for a task with this id"
  throw refused(message)
}
