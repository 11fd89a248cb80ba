/**
 * `safelight tasks cancel`: ends a task as far as it can be stopped. The exit code tells a script whether the
 * task was cancelled: a task that continues, or had ended before, was not.
 */
import type { ClientCancellation } from "@safelight/client"
import { formatAmount } from "../text/amount.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { EXIT } from "../errors/exit-code.ts"
import { formatTask } from "../text/task-text.ts"

export const command = defineCommand({
  name: "tasks cancel",
  description: "cancel a task, as far as it can be stopped",
  arguments: { id: argument("id of the task", parseName) },
  options: {
    json: flag("print {outcome, charge_micros, charge_limit_micros, task}"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { id }, options, context }) {
    const cancellation = await toClient(options, context).cancel(id)
    const { task } = cancellation
    printResult(
      options,
      context,
      cancellation,
      () => `${formatTask(task)}\n${formatOutcome(cancellation)}; ${formatCost(cancellation)}\n`,
    )
    if (task.error?.code !== "task_cancelled") context.exitWith(EXIT.failed)
  },
})

function formatOutcome({ outcome, task }: ClientCancellation): string {
  const goesOn = task.status === "queued" || task.status === "running"
  switch (outcome) {
    case "cancelled":
      return "cancelled before a provider had it"
    case "stopped":
      return "cancelled: its provider has stopped the work"
    case "too_late":
      return goesOn
        ? "too late: its work is complete, and is being fetched"
        : "too late: it had ended"
    case "unknown":
      return goesOn
        ? "not cancelled: its provider can't stop the work, or does not tell"
        : "cancelled: nobody knows what came of its purchase"
  }
}

function formatCost({
  charge_limit_micros: most,
  charge_micros: charge,
}: ClientCancellation): string {
  return charge === null
    ? `it costs at most ${formatAmount(most)}`
    : `it cost ${formatAmount(charge)}`
}
