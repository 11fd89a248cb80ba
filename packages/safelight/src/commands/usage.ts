/**
 * `safelight usage`: what a task cost and why, or what all tasks cost in a period. The charge of a task is
 * computed again from its price and its usage. If it differs from the service's, the output says so and the
 * exit code is 5. `--margin` is for the operator, and reads the data.
 */
import { Command } from "commander"
import { refused } from "../command-error.ts"
import { EXIT } from "../exit-code.ts"
import { addDataOptions, type DataOptions } from "./data-options.ts"
import { collectLabel, type LabelTexts } from "./label-option.ts"
import { parseMoment } from "./moment-option.ts"
import { addServiceOptions, parseName, type ServiceOptions } from "./service-options.ts"
import { showMargin } from "./usage-margin.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions, DataOptions {
  readonly margin?: true
  readonly from?: number
  readonly to?: number
  readonly label?: LabelTexts
  readonly json?: true
}

export function createUsageCommand(context: CommandContext): Command {
  const command = new Command("usage")
    .description("show what a task cost and why, or what all of them cost")
    .argument(
      "[task]",
      "id of the task (default: all tasks that finished in the period)",
      parseName,
    )
    .option("--from <moment>", "finished then or later; Unix seconds or ISO, UTC", parseMoment)
    .option("--to <moment>", "finished before then; Unix seconds or ISO, UTC", parseMoment)
    .option(
      "--label <key=value>",
      "of tasks with this label; repeatable: all of them",
      collectLabel,
    )
    .option("--margin", "what all accounts were charged, and what it cost upstream; reads the data")
    .option("--json", "print the usage as the service sends it, or the margin as JSON")
  return addDataOptions(addServiceOptions(command)).action(
    (task: string | undefined, options: Options) => {
      requireOneSource(task, options)
      if (options.margin === true) return showMargin(requirePeriod(options), context)
      return task === undefined ? showPeriod(options, context) : showTask(task, options, context)
    },
  )
}

/** `--margin` reads the data; everything else comes from the service. */
function requireOneSource(task: string | undefined, options: Options): void {
  const { config, data, database, key, label, margin, timeout, url } = options
  const isOfData = [config, data, database].some((each) => each !== undefined)
  const isOfService = [key, timeout, url].some((each) => each !== undefined)
  if (margin !== true && isOfData) throw refused("--data, --database and --config need --margin")
  if (margin !== true) return
  if (task !== undefined) throw refused("--margin is for all tasks, not for one")
  if (label !== undefined) throw refused("--margin counts every task: leave out --label")
  if (isOfService) throw refused("--margin reads the data: leave out --url, --timeout and --key")
}

function requirePeriod(options: Options): Options {
  const { from, to } = options
  if (from === undefined || to === undefined || from <= to) return options
  throw refused("--from: expected a moment before --to")
}

async function showTask(task: string, options: Options, context: CommandContext): Promise<void> {
  if ([options.from, options.to, options.label].some((each) => each !== undefined)) {
    throw refused("--from, --to and --label are for all tasks, not for one")
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
  const { from, to, label } = requirePeriod(options)
  const { toClient } = await import("./service-options.ts")
  const { toUsageReportText } = await import("../usage-text.ts")
  const report = await toClient(options, context).usage({ from, to, label })
  const isJson = options.json === true
  context.print(isJson ? `${JSON.stringify(report)}\n` : toUsageReportText(report))
}
