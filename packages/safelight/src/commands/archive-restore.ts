/** `safelight archive restore`: the tasks of a segment back into the database. A service may be running. */
import type { ArchiveSegment, Storage } from "@safelight/core"
import {
  ARTIFACTS_OPTION,
  DATA_OPTIONS,
  loadDataConfiguration,
} from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { countWithin } from "../command-line/option-values.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { createProgress } from "../command-line/progress.ts"
import { refused } from "../errors/command-error.ts"

export const command = defineCommand({
  name: "archive restore",
  description: "put the tasks of a segment back into the database",
  arguments: {
    segment: argument("number of the segment", countWithin(1, 2 ** 31 - 1)),
  },
  options: {
    remove: flag("remove its file too: no backup or copy of the database may need it"),
    artifacts: ARTIFACTS_OPTION,
    json: flag('print {"segment","tasks"}'),
    ...DATA_OPTIONS,
  },
  async run({ arguments: { segment: id }, options, context }) {
    const { restoreSegment } = await import("@safelight/audit")
    const { withData } = await import("../data/open-data.ts")
    const { openOwnArtifacts } = await import("../data/open-own-artifacts.ts")
    const configuration = await loadDataConfiguration(options, context)
    const progress = createProgress(context, { isQuiet: true })
    try {
      const tasks = await withData({ configuration, mayCreate: false }, async (storage) => {
        const segment = await findSegment(storage, id)
        const artifacts = await openOwnArtifacts(storage, configuration)
        const removesFile = options.remove === true
        return restoreSegment({
          storage,
          artifacts,
          segment,
          removesFile,
          onProgress: ({ tasks: count }) => progress.report(`${count} tasks`),
        })
      })
      const words = `${tasks} tasks of segment ${id} are in the database again\n`
      printResult(options, context, { segment: id, tasks }, () => words)
    } finally {
      progress.end()
    }
  },
})

async function findSegment(storage: Storage, id: number): Promise<ArchiveSegment> {
  const segments = await storage.listSegments()
  const segment = segments.find((each) => each.id === id)
  if (segment !== undefined) return segment
  throw refused(`there is no segment ${id}: \`safelight archive list\` lists them`)
}
