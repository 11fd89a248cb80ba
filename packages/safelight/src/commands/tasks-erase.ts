/** `safelight tasks erase`: erases what a person wrote for a task. A service may be running. */
import { CHANGED_WITHOUT_KEY } from "@safelight/core"
import { refused } from "../errors/command-error.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument } from "../command-line/parameters.ts"

export const command = defineCommand({
  name: "tasks erase",
  description: "erase a task's prompt, URLs, inline media, labels and idempotency key",
  arguments: { id: argument("id of the task") },
  options: DATA_OPTIONS,
  async run({ arguments: { id }, options, context }) {
    const isErased = await useOperator(options, context, { mayCreate: false }, ({ tasks }) =>
      tasks.eraseInputs(id, CHANGED_WITHOUT_KEY.command),
    )
    if (isErased) return context.print(`erased ${id}\n`)
    throw refused("nothing is stored of what was written for a task with this id")
  },
})
