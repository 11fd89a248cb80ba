/** `safelight audit artifacts`: whether the bytes that the log names exist and match it. */
import { randomBytes } from "node:crypto"
import type {
  ArtifactAuditReport,
  ArtifactFinding,
  ArtifactReading,
  ArtifactSample,
} from "@safelight/audit"
import { SILENT_LOG, type Storage } from "@safelight/core"
import { AUDIT_EXIT, orUntold } from "../audits/audit-outcome.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { parseByteRate, parseSampleShare } from "../command-line/option-values.ts"
import { flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { refused } from "../errors/command-error.ts"
import { formatOutcome, toFindingLines } from "../text/report-lines.ts"
import { formatShare } from "../text/share.ts"
import { formatSize } from "../text/size.ts"
import { createProgress } from "../command-line/progress.ts"

export const command = defineCommand({
  name: "audit artifacts",
  description: "read artifacts, compare them with the log, and find files that no task has",
  options: {
    sample: option(
      "<share>",
      "read a share of the artifacts, as in 1% or 0.01 (default: all)",
      parseSampleShare,
    ),
    seed: option("<text>", "with --sample: the artifacts that a report with this seed read"),
    rate: option(
      "<bytes>",
      "read at most so many bytes a second, as in 20MB (default: as many as there are)",
      parseByteRate,
    ),
    artifacts: option(
      "<place>",
      "where they are: s3://bucket?endpoint=…&region=…, or a folder [SAFELIGHT_ARTIFACTS_URL]",
    ),
    json: flag("print the report as JSON"),
    ...DATA_OPTIONS,
  },
  run: ({ options, context }) =>
    orUntold(async () => {
      const reading = { sample: toSample(options), bytesPerSecond: options.rate }
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

/** A seed that was not given is a new one: two audits of 1% read different artifacts. */
function toSample(options: {
  readonly sample?: number | undefined
  readonly seed?: string | undefined
}): ArtifactSample | undefined {
  const { sample: share, seed = randomBytes(4).toString("hex") } = options
  if (share !== undefined) return { share, seed }
  if (options.seed === undefined) return undefined
  throw refused("--seed chooses the artifacts of --sample, which is not there")
}

interface Examination {
  readonly storage: Storage
  readonly configuration: ReadConfiguration
  readonly reading: Pick<ArtifactReading, "bytesPerSecond" | "sample">
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
    ...(sample === null ? [] : [`chosen by --sample ${sample.share} --seed ${sample.seed}`]),
    formatOutcome(outcome, `${read} is what the log says`),
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
