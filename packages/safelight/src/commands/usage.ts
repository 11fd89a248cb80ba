/**
 * `safelight usage`: what a task cost and why, or what all of them cost in a period. The charge of
 * a task is made again from its price and what was measured; one that differs from the service's
 * is said, and ends with a code of its own.
 */
import { Command } from "commander"
import { refused } from "../command-error.ts"
import { EXIT } from "../exit-code.ts"
import { parseMoment } from "./moment-option.ts"
import { addServiceOptions, type ServiceOptions } from "./service-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly from?: number
  readonly to?: number
  readonly json?: true
}

export function createUsageCommand(context: CommandContext): Command {
  const command = new Command("usage")
    .description("show what a task cost and why, or what all of them cost")
    .argument("[task]", "id of the task; absent: all tasks that finished in the period")
    .option("--from <moment>", "finished then or later; Unix seconds or ISO, UTC", parseMoment)
    .option("--to <moment>", "finished before then; Unix seconds or ISO, UTC", parseMoment)
    .option("--json", "print the usage as the service sends it")
  return addServiceOptions(command).action((task: string | undefined, options: Options) =>
    task === undefined ? showPeriod(options, context) : showTask(task, options, context),
  )
}

async function showTask(task: string, options: Options, context: CommandContext): Promise<void> {
  if (options.from !== undefined || options.to !== undefined) {
    throw refused("--from and --to are for all tasks, not for one")
  }
  const { toClient } = await import("./service-options.ts")
  const { toTaskUsageText } = await import("../usage-text.ts")
  const usage = await toClient(options, context).taskUsage(task)
  if (options.json === true) return context.print(`${JSON.stringify(usage)}\n`)
  const { text, isProved } = toTaskUsageText(usage)
  context.print(text)
  if (!isProved) context.exitWith(EXIT.differs)
}

async function showPeriod(options: Options, context: CommandContext): Promise<void> {
  const { from, to } = options
  if (from !== undefined && to !== undefined && from > to) {
    throw refused("--from: expected a moment before --to")
  }
  const { toClient } = await import("./service-options.ts")
  const { toUsageReportText } = await import("../usage-text.ts")
  const query = {
    ...(from !== undefined && { from: String(from) }),
    ...(to !== undefined && { to: String(to) }),
  }
  const report = await toClient(options, context).usage(query)
  const isJson = options.json === true
  context.print(isJson ? `${JSON.stringify(report)}\n` : toUsageReportText(report))
}
