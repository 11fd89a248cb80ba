/**
 * The bytes in a folder of downloads, compared with what a log's events name. Whoever downloaded may have taken some
 * artifacts alone, so a file that is missing is no difference, only something that can't be judged. Nobody removes
 * downloads once they expire: such a file is judged too if it is there, and it is not missed if it is not.
 */
import type { ShownEvent, TaskEvent } from "@safelight/core"
import type { ArtifactSample } from "./artifact-sample.ts"
import { createFolderArtifacts, type FolderArtifactsOptions } from "./folder-artifacts.ts"
import {
  createArtifactJudge,
  type ArtifactCounts,
  type ArtifactDifference,
  type ArtifactReading,
} from "./judge-artifacts.ts"
import { createKeptFindings, type FindingReport } from "./kept-findings.ts"
import { openShownManifest } from "./open-shown-manifest.ts"
import type { AuditOutcome } from "./report.ts"

export interface DownloadCheckOptions
  extends FolderArtifactsOptions, Pick<ArtifactReading, "bytesPerSecond" | "clock" | "sample"> {
  /** Milliseconds since the Unix epoch. An artifact that has expired by then is not missed. */
  readonly now: number
}

/** `named` are all artifacts of the log, expired or not; `artifacts` are those that were looked for. */
export interface DownloadReport extends ArtifactCounts, FindingReport<ArtifactDifference> {
  /** `could-not-tell` if nothing differs and something is missing. */
  readonly outcome: AuditOutcome
  /** By which the artifacts were chosen; null if all were looked for. */
  readonly sample: ArtifactSample | null
  /** At which they were read at most; null if nothing bounded it. */
  readonly bytesPerSecond: number | null
  /** Files whose bytes are not those of the log. */
  readonly differing: number
  /** Artifacts that have not expired, and of which there is no file. */
  readonly missing: number
  /** Artifacts that have expired, and of which there is no file. They are no finding. */
  readonly expired: number
}

export interface DownloadCheck {
  /** Begins to look for what `events` of a task name. Rejects with the first failure of any read before. */
  check(task: string, events: readonly TaskEvent[]): Promise<void>
  /** The same for the events as the task's account may see them, of a proof. Their artifacts have no locators. */
  checkShown(task: string, events: readonly Omit<ShownEvent, "hash" | "task">[]): Promise<void>
  /** Once all that was begun is judged. Rejects with `artifacts-unavailable` if a file can't be read. */
  finish(): Promise<DownloadReport>
  /** Resolves once nothing is under way any more, whatever came of it. */
  settle(): Promise<void>
}

/** Throws `invalid-configuration` if the sample's share or the bytes a second are out of bounds. */
export function createDownloadCheck(options: DownloadCheckOptions): DownloadCheck {
  const { bytesPerSecond, clock, now, sample } = options
  const findings = createKeptFindings<ArtifactDifference>()
  const found = { differing: 0, missing: 0, expired: 0 }
  const reading = {
    artifacts: createFolderArtifacts(options),
    // For the judge none has expired.
    now: Number.NEGATIVE_INFINITY,
    bytesPerSecond,
    sample,
    ...(clock && { clock }),
  }
  const judge = createArtifactJudge(reading, (difference) => {
    const { expiresAt, kind } = difference
    const place = kind === "differs" ? "differing" : now < expiresAt ? "missing" : "expired"
    found[place] += 1
    if (place !== "expired") findings.add(difference)
  })
  return {
    check: (task, events) => judge.judge(task, events),
    checkShown: (task, events) => judge.judge(task, openShownManifest(task, events)),
    async finish() {
      await judge.drain()
      const { differing, missing } = found
      const outcome = differing > 0 ? "differs" : missing > 0 ? "could-not-tell" : "whole"
      const chosen = { sample: sample ?? null, bytesPerSecond: bytesPerSecond ?? null }
      return { outcome, ...judge.toCounts(), ...chosen, ...found, ...findings.toReport() }
    },
    settle: () => judge.settle(),
  }
}
