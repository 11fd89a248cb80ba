/** The artifacts of a restored copy, for people. */
import type { DrilledArtifacts } from "../audits/run-drill.ts"
import { formatArtifactDifference, toSampleLines } from "./artifact-findings.ts"
import { formatCount } from "./count.ts"
import { toFoundRows, type DrillRow } from "./drill-rows.ts"
import { formatShare } from "./share.ts"
import { formatSize } from "./size.ts"

export function toArtifactRows(report: DrilledArtifacts): readonly DrillRow[] {
  const { artifacts, bytes, files, findingCount, named, sample } = report
  const { lostFiles, unknownArchiveFiles, unknownFiles } = report
  const damaged = findingCount - unknownFiles - unknownArchiveFiles
  const whose = lostFiles === null ? "" : `, ${lostFiles} of tasks that the original knows`
  const segments = formatCount(unknownArchiveFiles, "file of the archive", "files of the archive")
  const findings = report.findings.flatMap((each) => (each.kind === "unknown-task" ? [] : [each]))
  return [
    [
      "artifacts",
      `${artifacts} of ${named.artifacts} (${formatShare(artifacts, named.artifacts)}), ${formatSize(bytes)} were read: ` +
        (damaged === 0 ? "all as the log says" : `${damaged} missing or not as the log says`),
    ],
    ...toFoundRows({ findingCount: damaged, findings }, formatArtifactDifference),
    ...toSampleLines(sample).map((line) => ["", line] as const),
    ["files", `${files}, of them ${unknownFiles} of no task of the copy${whose}`],
    ...(unknownArchiveFiles === 0 ? [] : [["", `${segments} of after the backup`] as const]),
  ]
}
