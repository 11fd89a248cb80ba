/** `safelight audit artifacts`: whether the bytes that the log names exist and match it. */
import type { ArtifactAuditReport, ArtifactFinding } from "@safelight/audit"
import { ARCHIVE_TASK, SILENT_LOG, type Storage } from "@safelight/core"
import { AUDIT_EXIT, orUntold } from "../audits/audit-outcome.ts"
import { READING_OPTIONS, toReading, type Reading } from "../audits/reading-options.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import {
  ARTIFACTS_OPTION,
  DATA_OPTIONS,
  loadDataConfiguration,
} from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { formatArtifactDifference, toSampleLines } from "../text/artifact-findings.ts"
import { formatOutcome, toFindingLines } from "../text/report-lines.ts"
import { formatShare } from "../text/share.ts"
import { formatSize } from "../text/size.ts"
import { createProgress } from "../command-line/progress.ts"

export const command = defineCommand({
  name: "audit artifacts",
  description: "read artifacts, compare them with the log, and find files that no task has",
  options: {
    ...READING_OPTIONS,
    artifacts: ARTIFACTS_OPTION,
    json: flag("print the report as JSON"),
    ...DATA_OPTIONS,
  },
  run: ({ options, context }) =>
    orUntold(async () => {
      const reading = toReading(options)
      const { withData } = await import("../data/open-data.ts")
      const configuration = await loadDataConfiguration(options, context)
      const request = { configuration, mayCreate: false, purpose: "read" } as const
      const report = await withData(request, (storage) =>
        examine({ storage, configuration, reading }, context),
      )
      printResult(options, context, report, () => formatReport(report))
      context.exitWith(AUDIT_EXIT[report.outcome])
    }),
})

interface Examination {
  readonly storage: Storage
  readonly configuration: ReadConfiguration
  readonly reading: Reading
}

async function examine(
  { storage, configuration, reading }: Examination,
  context: CommandContext,
): Promise<ArtifactAuditReport> {
  const { auditArtifacts } = await import("@safelight/audit")
  const { systemClock } = await import("@safelight/engine")
  const { openArtifacts } = await import("../data/open-places.ts")
  const artifacts = await openArtifacts({ configuration, log: SILENT_LOG, clock: systemClock })
  const progress = createProgress(context, { isQuiet: true })
  try {
    return await auditArtifacts({
      ...reading,
      storage,
      artifacts,
      now: Date.now(),
      onProgress: ({ artifacts: count, bytes }) =>
        progress.report(`${count} artifacts, ${formatSize(bytes)}`),
    })
  } finally {
    progress.end()
  }
}

function formatReport(report: ArtifactAuditReport): string {
  const { artifacts, bytes, files, named, outcome, sample } = report
  const read = sample === null ? "every artifact" : "every artifact that was read"
  return [
    ...toFindingLines(report, formatFinding),
    `${artifacts} of ${named.artifacts} artifacts that have not expired (${formatShare(artifacts, named.artifacts)}), ` +
      `${formatSize(bytes)} of ${formatSize(named.bytes)} (${formatShare(bytes, named.bytes)}), ${files} files`,
    ...toSampleLines(sample),
    formatOutcome(outcome, `${read} is what the log says`),
    "",
  ].join("\n")
}

function formatFinding(finding: ArtifactFinding): string {
  if (finding.kind !== "unknown-task") return formatArtifactDifference(finding)
  const { locator, task } = finding
  if (task === ARCHIVE_TASK) return `${locator} is of the archive, which has no such segment`
  return `${locator} is of task ${task}, which the log does not know`
}
