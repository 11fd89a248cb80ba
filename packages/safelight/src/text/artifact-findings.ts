/** What audits of the bytes of artifacts say, for people. */
import type {
  ArtifactDifference,
  ArtifactReading,
  AuditOutcome,
  DownloadReport,
} from "@safelight/audit"
import { ARCHIVE_TASK } from "@safelight/core"
import { formatOutcome, toFindingLines } from "./report-lines.ts"
import { formatShare } from "./share.ts"
import { formatSize } from "./size.ts"

export function formatArtifactDifference({ key, kind, task }: ArtifactDifference): string {
  const words = { missing: "is not there", differs: "is not what the log says" }[kind]
  const owner = task === ARCHIVE_TASK ? "the archive" : `task ${task}`
  return `${key} of ${owner} ${words}`
}

/** The options that choose the same again; none if all were read. */
export function toSampleLines(sample: ArtifactReading["sample"] | null): readonly string[] {
  return sample ? [`chosen by --sample ${sample.share} --seed ${sample.seed}`] : []
}

export function toDownloadLines(report: DownloadReport): readonly string[] {
  const { artifacts, bytes, differing, expired, missing, named, sample } = report
  const same = artifacts - differing - missing - expired
  return [
    ...toFindingLines(report, formatArtifactDifference),
    `${artifacts} of ${named.artifacts} artifacts (${formatShare(artifacts, named.artifacts)}) were looked for: ` +
      `${same} as the log says, ${differing} not, ${missing} missing, ${expired} expired and not there`,
    `${formatSize(bytes)} of ${formatSize(named.bytes)} (${formatShare(bytes, named.bytes)}) were read`,
    ...toSampleLines(sample),
  ]
}

/** Of a file, and of the downloads that were compared with it. */
export function formatCheckOutcome(
  outcome: AuditOutcome,
  artifacts: DownloadReport | undefined,
): string {
  const more = artifacts ? ", and every artifact that was read is what it says" : ""
  return formatOutcome(outcome, `it is whole${more}`)
}
