/** `safelight audit artifacts`: whether the bytes that the log names exist and match it. */
import type { ArtifactAuditReport, ArtifactFinding } from "@safelight/audit"
import { SILENT_LOG, type Storage } from "@safelight/core"
import { AUDIT_EXIT, orUntold } from "../audits/audit-outcome.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { formatOutcome, toFindingLines } from "../text/report-lines.ts"
import { createProgress } from "../command-line/progress.ts"

export const command = defineCommand({
  name: "audit artifacts",
  description: "read every artifact, compare it with the log, and find files that no task has",
  options: {
    artifacts: option(
      "<place>",
      "where they are: s3://bucket?endpoint=…&region=…, or a folder [SAFELIGHT_ARTIFACTS_URL]",
    ),
    json: flag("print the report as JSON"),
    ...DATA_OPTIONS,
  },
  run: ({ options, context }) =>
    orUntold(async () => {
      const { withData } = await import("../data/open-data.ts")
      const configuration = await loadDataConfiguration(options, context)
      const request = { configuration, mayCreate: false, purpose: "read" } as const
      const report = await withData(request, (storage) => examine(storage, configuration, context))
      printResult(options, context, report, () => formatReport(report))
      context.exitWith(AUDIT_EXIT[report.outcome])
    }),
})

async function examine(
  storage: Storage,
  configuration: ReadConfiguration,
  context: CommandContext,
): Promise<ArtifactAuditReport> {
  const { auditArtifacts } = await import("@safelight/audit")
  const { systemClock } = await import("@safelight/engine")
  const { openArtifacts } = await import("../data/open-places.ts")
  const artifacts = await openArtifacts({ configuration, log: SILENT_LOG, clock: systemClock })
  const progress = createProgress(context, { isQuiet: true })
  try {
    return await auditArtifacts({
      storage,
      artifacts,
      now: Date.now(),
      onProgress: ({ artifacts: count }) => progress.report(`${count} artifacts`),
    })
  } finally {
    progress.end()
  }
}

function formatReport(report: ArtifactAuditReport): string {
  const { artifacts, files, outcome } = report
  return [
    ...toFindingLines(report, formatFinding),
    `${artifacts} artifacts that have not expired, ${files} files`,
    formatOutcome(outcome, "every artifact is what the log says"),
    "",
  ].join("\n")
}

function formatFinding(finding: ArtifactFinding): string {
  switch (finding.kind) {
    case "missing":
      return `${finding.key} of task ${finding.task} is not there`
    case "differs":
      return `${finding.key} of task ${finding.task} is not what the log says`
    case "unknown-task":
      return `${finding.locator} is of task ${finding.task}, which the log does not know`
  }
}
