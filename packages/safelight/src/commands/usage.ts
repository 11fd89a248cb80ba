/**
 * `safelight usage`: what a task cost and why, or what all tasks cost in a period. The charge of a task is
 * computed again from its price and its usage. If it differs from the service's, the output says so and the
 * exit code is 5. `--margin` is for the operator, and reads the data: the API tells no account what a provider charges.
 */
import { toUnixSeconds } from "@safelight/core"
import { refused } from "../errors/command-error.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand, type ValuesOf } from "../command-line/define-command.ts"
import { collectLabel } from "../command-line/label-option.ts"
import { parseMoment } from "../command-line/moment-option.ts"
import { flag, option, optionalArgument } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { EXIT } from "../errors/exit-code.ts"
import { formatMargin, toMarginReport } from "../text/margin-text.ts"
import { formatTaskUsage, formatUsageReport } from "../text/usage-text.ts"

const OPTIONS = {
  from: option("<moment>", "finished then or later; Unix seconds or ISO, UTC", parseMoment),
  to: option("<moment>", "finished before then; Unix seconds or ISO, UTC", parseMoment),
  label: option("<key=value>", "of tasks with this label; repeatable: all of them", collectLabel),
  margin: flag("what all accounts were charged, and what it cost upstream; reads the data"),
  json: flag("print the usage as the service sends it, or the margin as JSON"),
  ...SERVICE_OPTIONS,
  ...DATA_OPTIONS,
}

type Options = ValuesOf<typeof OPTIONS>

export const command = defineCommand({
  name: "usage",
  description: "show what a task cost and why, or what all of them cost",
  arguments: {
    task: optionalArgument(
      "id of the task (default: all tasks that finished in the period)",
      parseName,
    ),
  },
  options: OPTIONS,
  run({ arguments: { task }, options, context }) {
    requireOneSource(task, options)
    if (options.margin === true) return showMargin(requirePeriod(options), context)
    return task === undefined ? showPeriod(options, context) : showTask(task, options, context)
  },
})

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
  const usage = await toClient(options, context).taskUsage(task)
  if (options.json === true) return context.print(`${JSON.stringify(usage)}\n`)
  const { text, isProved } = formatTaskUsage(usage)
  context.print(text)
  if (!isProved) context.exitWith(EXIT.differs)
}

async function showPeriod(options: Options, context: CommandContext): Promise<void> {
  const { from, to, label } = requirePeriod(options)
  const report = await toClient(options, context).usage({ from, to, label })
  printResult(options, context, report, () => formatUsageReport(report))
}

async function showMargin(options: Options, context: CommandContext): Promise<void> {
  const from = (options.from ?? 0) * 1_000
  const to = options.to === undefined ? Number.MAX_SAFE_INTEGER : options.to * 1_000
  const request = { mayCreate: false, purpose: "read" } as const
  const rows = await useOperator(options, context, request, ({ usage }) =>
    usage.sumMargins({ from, to }),
  )
  const report = toMarginReport(rows)
  const period = {
    from: toUnixSeconds(from),
    to: options.to === undefined ? null : toUnixSeconds(to),
  }
  printResult(options, context, { ...period, ...report }, () => formatMargin(report))
}
