/** `safelight archive list`: the files of the archive. */
import type { ArchivedBundle, ArchiveSegment } from "@safelight/core"
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { formatSize } from "../text/size.ts"
import { formatTable } from "../text/table.ts"

export const command = defineCommand({
  name: "archive list",
  description: "list the files that archived tasks, and old parts of the signed tree, lie in",
  options: { json: flag('print {"segments","bundles"}'), ...DATA_OPTIONS },
  async run({ options, context }) {
    const { withData } = await import("../data/open-data.ts")
    const configuration = await loadDataConfiguration(options, context)
    const request = { configuration, mayCreate: false, purpose: "read" } as const
    const files = await withData(request, async (storage) => {
      const segments = await storage.listSegments()
      return { segments, bundles: await storage.listBundles() }
    })
    printResult(options, context, files, () => formatFiles(files))
  },
})

interface ArchiveFiles {
  readonly segments: readonly ArchiveSegment[]
  readonly bundles: readonly ArchivedBundle[]
}

function formatFiles({ bundles, segments }: ArchiveFiles): string {
  return formatTable([
    ["file", "written", "tasks", "events", "size", "locator"],
    ...segments.map(({ eventCount, id, taskCount, ...file }) => [
      `segment ${id}`,
      ...formatFile(file, [String(taskCount), String(eventCount)]),
    ]),
    ...bundles.map(({ id, ...file }) => [`tree ${id}`, ...formatFile(file, ["", ""])]),
  ])
}

function formatFile(
  { at, bytes, locator }: Pick<ArchivedBundle, "at" | "bytes" | "locator">,
  counts: readonly string[],
): readonly string[] {
  return [new Date(at).toISOString(), ...counts, formatSize(bytes), locator]
}
