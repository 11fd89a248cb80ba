/**
 * `safelight rebuild`: projects the rows of all tasks anew from the log and puts tasks back where they belong,
 * while services may run. It is for a release whose projection differs from that of the previous one, and for
 * what an audit names.
 */
import type { RebuildReport } from "@safelight/audit"
import { Command } from "commander"
import { EXIT } from "../exit-code.ts"
import { toOneLine } from "../failure-line.ts"
import { createProgress } from "../progress.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

export function createRebuildCommand(context: CommandContext): Command {
  const command = new Command("rebuild")
    .description("project every task's row anew from the log; a service may run meanwhile")
    .option("--json", "print the report as JSON")
  return addDataOptions(command).action((options: Options) => rebuild(options, context))
}

async function rebuild(options: Options, context: CommandContext): Promise<void> {
  const { rebuildRows } = await import("@safelight/audit")
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const progress = createProgress(context, { isQuiet: true })
  try {
    const report = await withData({ configuration, mayCreate: false }, (storage) =>
      rebuildRows({ storage, now: Date.now() }, ({ rebuilt, tasks }) => {
        progress.report(`${tasks} tasks, ${rebuilt} rows written`)
      }),
    )
    context.print(options.json === true ? `${JSON.stringify(report)}\n` : toText(report))
    context.exitWith(report.leftCount === 0 ? EXIT.done : EXIT.failed)
  } finally {
    progress.end()
  }
}

function toText({ left, leftCount, rebuilt, tasks }: RebuildReport): string {
  const hidden = leftCount - left.length
  return [
    ...left.map(({ reason, task }) => toOneLine(`task ${task} was left as it is: ${reason}`)),
    ...(hidden > 0 ? [`and ${hidden} more tasks`] : []),
    `${tasks} tasks, ${rebuilt} rows written anew`,
    "",
  ].join("\n")
}
