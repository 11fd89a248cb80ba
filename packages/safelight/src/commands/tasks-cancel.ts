/**
 * `safelight tasks cancel`: ends a task as far as it can be stopped. The exit code tells a script whether the
 * task has ended so: one that goes on, or had ended before, is no cancelled one.
 */
import { Command } from "commander"
import type { ClientCancellation } from "@safelight/client"
import { toAmount } from "../amount.ts"
import { EXIT } from "../exit-code.ts"
import { addServiceOptions, parseName, type ServiceOptions } from "./service-options.ts"
import { toTaskLine } from "./task-line.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly json?: true
}

export function createTasksCancelCommand(context: CommandContext): Command {
  const command = new Command("cancel")
    .description("cancel a task, as far as it can be stopped")
    .argument("<id>", "id of the task", parseName)
    .option("--json", "print {outcome, charge_micros, charge_limit_micros, task}")
  return addServiceOptions(command).action((id: string, options: Options) =>
    cancel(id, options, context),
  )
}

async function cancel(id: string, options: Options, context: CommandContext): Promise<void> {
  const { toClient } = await import("./service-options.ts")
  const cancellation = await toClient(options, context).cancel(id)
  const { task } = cancellation
  context.print(options.json === true ? `${JSON.stringify(cancellation)}\n` : toText(cancellation))
  if (task.error?.code !== "task_cancelled") context.exitWith(EXIT.failed)
}

function toText(cancellation: ClientCancellation): string {
  return `${toTaskLine(cancellation.task)}\n${toWords(cancellation)}; ${toCost(cancellation)}\n`
}

function toWords({ outcome, task }: ClientCancellation): string {
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

function toCost({ charge_limit_micros: most, charge_micros: charge }: ClientCancellation): string {
  return charge === null ? `it costs at most ${toAmount(most)}` : `it cost ${toAmount(charge)}`
}
