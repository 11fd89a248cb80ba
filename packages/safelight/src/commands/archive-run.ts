/** `safelight archive run`: moves finished tasks to the archive now. A service may be running. */
import type { Storage } from "@safelight/core"
import type { ArchiveNowReport } from "../archive/archive-now.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import {
  ARTIFACTS_OPTION,
  DATA_OPTIONS,
  loadDataConfiguration,
  type DataOptions,
} from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { durationWithin } from "../command-line/option-values.ts"
import { flag, option } from "../command-line/parameters.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"
import { createProgress } from "../command-line/progress.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { refused } from "../errors/command-error.ts"
import { LONGEST_MS } from "../text/duration.ts"
import { formatSize } from "../text/size.ts"

interface ArchiveRunOptions extends DataOptions, JsonOption {
  readonly olderThan?: number
  readonly artifacts?: string
}

export const command = defineCommand({
  name: "archive run",
  description: "move tasks that ended long ago from the database to files beside the artifacts",
  options: {
    olderThan: option(
      "<duration>",
      "tasks that ended so long ago (default: `archive.afterMs` of the configuration)",
      durationWithin({ minMs: 0, maxMs: LONGEST_MS }),
    ),
    artifacts: ARTIFACTS_OPTION,
    json: flag('print {"outcome","segments","tasks","bundles","bytes","left"}'),
    ...DATA_OPTIONS,
  },
  run: ({ options, context }) => run(options, context),
})

async function run(options: ArchiveRunOptions, context: CommandContext): Promise<void> {
  const { withData } = await import("../data/open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const afterMs = options.olderThan ?? configuration.archive.afterMs
  if (afterMs === undefined) {
    throw refused("how old is old enough? --older-than says it, as in 90d, or archive.afterMs does")
  }
  const report = await withData({ configuration, mayCreate: false }, (storage) =>
    archive({ storage, configuration, afterMs }, context),
  )
  printResult(options, context, report, () => formatReport(report))
}

interface ArchiveRequest {
  readonly storage: Storage
  readonly configuration: ReadConfiguration
  readonly afterMs: number
}

async function archive(
  { afterMs, configuration, storage }: ArchiveRequest,
  context: CommandContext,
): Promise<ArchiveNowReport> {
  const { openOwnArtifacts } = await import("../data/open-own-artifacts.ts")
  const { archiveNow } = await import("../archive/archive-now.ts")
  const artifacts = await openOwnArtifacts(storage, configuration)
  const progress = createProgress(context, { isQuiet: true })
  try {
    const report = await archiveNow({
      storage,
      artifacts,
      now: Date.now(),
      afterMs,
      onProgress: ({ segments, tasks }) => progress.report(`${tasks} tasks, ${segments} segments`),
    })
    if (report !== undefined) return report
  } finally {
    progress.end()
  }
  throw refused(
    "only what was signed is archived, and no checkpoint was signed yet: `safelight audit checkpoint` signs one",
  )
}

function formatReport(report: ArchiveNowReport): string {
  const { bundles, bytes, left, outcome, segments, tasks } = report
  return [
    `${tasks} tasks in ${segments} segments, ${bundles} bundles of the tree, ${formatSize(bytes)}`,
    ...(left > 0
      ? [`${left} tasks stay: they were not signed yet, are too large, or damaged (audit verify)`]
      : []),
    ...(outcome === "busy" ? ["another process is writing a segment; what is left waits"] : []),
    "",
  ].join("\n")
}
