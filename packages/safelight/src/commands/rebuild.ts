/**
 * `safelight rebuild`: projects the rows of all tasks anew from the log and puts tasks back where they belong,
 * while services may run. It is for a release whose projection differs from that of the previous one, and for
 * what an audit names.
 */
import type { RebuildReport } from "@safelight/audit"
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { EXIT } from "../errors/exit-code.ts"
import { formatOneLine } from "../text/one-line.ts"
import { createProgress } from "../command-line/progress.ts"

export const command = defineCommand({
  name: "rebuild",
  description: "project every task's row anew from the log; a service may run meanwhile",
  options: { json: flag("print the report as JSON"), ...DATA_OPTIONS },
  async run({ options, context }) {
    const { rebuildRows } = await import("@safelight/audit")
    const { withData } = await import("../data/open-data.ts")
    const configuration = await loadDataConfiguration(options, context)
    const progress = createProgress(context, { isQuiet: true })
    try {
      const report = await withData({ configuration, mayCreate: false }, (storage) =>
        rebuildRows({ storage, now: Date.now() }, ({ rebuilt, tasks }) => {
          progress.report(`${tasks} tasks, ${rebuilt} rows written`)
        }),
      )
      printResult(options, context, report, () => formatReport(report))
      context.exitWith(report.leftCount === 0 ? EXIT.done : EXIT.failed)
    } finally {
      progress.end()
    }
  },
})

function formatReport({ left, leftCount, rebuilt, tasks }: RebuildReport): string {
  const hidden = leftCount - left.length
  return [
    ...left.map(({ reason, task }) => formatOneLine(`task ${task} was left as it is: ${reason}`)),
    ...(hidden > 0 ? [`and ${hidden} more tasks`] : []),
    `${tasks} tasks, ${rebuilt} rows written anew`,
    "",
  ].join("\n")
}
