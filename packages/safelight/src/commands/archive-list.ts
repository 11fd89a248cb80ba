/** `safelight archive list`: the segments of the archive. */
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { formatSize } from "../text/size.ts"
import { formatTable } from "../text/table.ts"

export const command = defineCommand({
  name: "archive list",
  description: "list the files that archived tasks lie in",
  options: { json: flag("print the segments as JSON"), ...DATA_OPTIONS },
  async run({ options, context }) {
    const { withData } = await import("../data/open-data.ts")
    const configuration = await loadDataConfiguration(options, context)
    const request = { configuration, mayCreate: false, purpose: "read" } as const
    const segments = await withData(request, (storage) => storage.listSegments())
    printResult(options, context, segments, () =>
      formatTable([
        ["segment", "written", "tasks", "events", "size", "locator"],
        ...segments.map(({ at, bytes, eventCount, id, locator, taskCount }) => [
          String(id),
          new Date(at).toISOString(),
          String(taskCount),
          String(eventCount),
          formatSize(bytes),
          locator,
        ]),
      ]),
    )
  },
})
