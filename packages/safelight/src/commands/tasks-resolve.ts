/**
 * `safelight tasks resolve`: settles a task whose outcome is unknown, by what an operator learnt from the
 * provider. A running service follows an adopted operation within a second. The task is charged for it, so an
 * operation of another task would be billed to this one.
 */
import {
  CHANGED_WITHOUT_KEY,
  toStatus,
  type ResolveResult,
  type TaskVerdict,
} from "@safelight/core"
import { OPERATION_WORDS, parseOperation } from "@safelight/operator"
import { refused, type CommandError } from "../errors/command-error.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"

export const command = defineCommand({
  name: "tasks resolve",
  description: "settle a task whose outcome is unknown",
  arguments: { id: argument("id of the task") },
  options: {
    adopt: option(
      "<operation>",
      "the channel has it: its operation as JSON, or as plain text",
      String,
      { conflictsWith: "fail" },
    ),
    fail: flag("there is no operation: the task fails and is not charged"),
    json: flag('print {"id","status"}'),
    ...DATA_OPTIONS,
  },
  async run({ arguments: { id }, options, context }) {
    const verdict = toVerdict(id, options)
    const result = await useOperator(options, context, { mayCreate: false }, ({ tasks }) =>
      tasks.resolveTask(verdict, CHANGED_WITHOUT_KEY.command),
    )
    if (result.kind !== "resolved") throw toRefusal(result)
    const status = toStatus(result.task)
    const words = status === "failed" ? `${id} failed\n` : `${id} goes on\n`
    printResult(options, context, { id, status }, () => words)
  },
})

function toVerdict(
  task: string,
  { adopt, fail }: { readonly adopt?: string; readonly fail?: true },
): TaskVerdict {
  if (adopt !== undefined) {
    if (parseOperation(adopt) === undefined) throw toRefusal({ kind: "no-operation" })
    return { task, adopt }
  }
  if (fail === true) return { task, fail }
  throw refused("expected --adopt with the channel's operation, or --fail")
}

function toRefusal(
  result: Exclude<ResolveResult, { kind: "resolved" }> | { readonly kind: "no-operation" },
): CommandError {
  switch (result.kind) {
    case "no-operation":
      return refused(`--adopt: ${OPERATION_WORDS}`)
    case "unknown-task":
      return refused("there is no task with this id")
    case "not-doubtful":
      return refused(`this task is ${result.state}: only one in doubt (doubtful) can be settled`)
  }
}
