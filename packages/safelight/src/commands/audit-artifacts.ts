/** `safelight audit artifacts`: whether the bytes that the log names exist and match it. */
import type { ArtifactAuditReport, ArtifactFinding } from "@safelight/audit"
import { SILENT_LOG, type Storage } from "@safelight/core"
import { Command } from "commander"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { toOneLine } from "../failure-line.ts"
import { createProgress } from "../progress.ts"
import { CODES, toUntold } from "./audit-command.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly artifacts?: string
  readonly json?: true
}

export function createAuditArtifactsCommand(context: CommandContext): Command {
  const command = new Command("artifacts")
    .description("read every artifact, compare it with the log, and find files that no task has")
    .option(
      "--artifacts <place>",
      "where they are: s3://bucket?endpoint=…&region=…, or a folder [SAFELIGHT_ARTIFACTS_URL]",
    )
    .option("--json", "print the report as JSON")
  return addDataOptions(command).action(async (options: Options) => {
    try {
      await run(options, context)
    } catch (error) {
      throw toUntold(error)
    }
  })
}

async function run(options: Options, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const report = await withData({ configuration, mayCreate: false, purpose: "read" }, (storage) =>
    examine(storage, configuration, context),
  )
  context.print(options.json === true ? `${JSON.stringify(report)}\n` : toText(report))
  context.exitWith(CODES[report.outcome])
}

async function examine(
  storage: Storage,
  configuration: ReadConfiguration,
  context: CommandContext,
): Promise<ArtifactAuditReport> {
  const { auditArtifacts } = await import("@safelight/audit")
  const { systemClock } = await import("@safelight/engine")
  const { openArtifacts } = await import("../open-places.ts")
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

function toText({
  artifacts,
  files,
  findings,
  findingCount,
  outcome,
}: ArtifactAuditReport): string {
  const hidden = findingCount - findings.length
  return [
    ...findings.map((finding) => toOneLine(toWords(finding))),
    ...(hidden > 0 ? [`and ${hidden} more findings`] : []),
    `${artifacts} artifacts that have not expired, ${files} files`,
    outcome === "whole" ? "every artifact is what the log says" : "it differs",
    "",
  ].join("\n")
}

function toWords(finding: ArtifactFinding): string {
  switch (finding.kind) {
    case "missing":
      return `${finding.key} of task ${finding.task} is not there`
    case "differs":
      return `${finding.key} of task ${finding.task} is not what the log says`
    case "unknown-task":
      return `${finding.locator} is of task ${finding.task}, which the log does not know`
  }
}
