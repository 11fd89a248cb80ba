/**
 * The bytes of artifacts and of the archive's files, compared with the log: every file that has not expired, or a
 * sample of them, is read and compared with its size and SHA-256; and every file is looked for in the log, also beside a
 * sample, since that reads names and no bytes. The remainder of an attempt of a task that the log knows is not judged, since retention removes
 * it. A file of a task that the log does not know is a finding: the log may have lost its end.
 */
import {
  ARCHIVE_TASK,
  openEvent,
  toLocatorTask,
  type ArchivedBundle,
  type ArchiveSegment,
  type ArtifactStorage,
  type Storage,
} from "@safelight/core"
import { toSegmentKey } from "./archive-tasks.ts"
import { toBundleKey } from "./archive-tree.ts"
import type { ArtifactSample } from "./artifact-sample.ts"
import {
  createArtifactJudge,
  type ArtifactCounts,
  type ArtifactDifference,
  type ArtifactReading,
  type NamedFile,
} from "./judge-artifacts.ts"
import { createKeptFindings, type FindingReport } from "./kept-findings.ts"
import { readPages } from "./read-pages.ts"

export interface ArtifactAuditOptions extends ArtifactReading {
  readonly storage: Pick<Storage, "listBundles" | "listSegments" | "readTask" | "scan">
  readonly artifacts: Required<Pick<ArtifactStorage, "open" | "listAll">>
  /** Called with the task of each file that the log does not know; the next file is looked at once it has resolved. */
  readonly onUnknown?: (task: string) => Promise<void> | void
  /** So far; after each page. */
  readonly onProgress?: (progress: ArtifactCounts) => void
}

export type ArtifactFinding =
  | ArtifactDifference
  /** Bytes of a task that the log does not know. */
  | { readonly kind: "unknown-task"; readonly task: string; readonly locator: string }

export interface ArtifactAuditReport extends ArtifactCounts, FindingReport<ArtifactFinding> {
  /** `whole` if nothing of what was read differs, and the log knows the task of every file. */
  readonly outcome: "whole" | "differs"
  /** By which the artifacts were chosen; null if all were read. */
  readonly sample: ArtifactSample | null
  /** At which they were read at most; null if nothing bounded it. */
  readonly bytesPerSecond: number | null
  /** Files that were looked for in the log. */
  readonly files: number
}

/**
 * Rejects with `invalid-configuration` if the sample's share or the bytes a second are out of bounds. Rejects also if
 * something can't be judged: as the storages do if it can't be read, and with `storage-corrupt` or `schema-too-new` if
 * this release can't open an event.
 */
export async function auditArtifacts(options: ArtifactAuditOptions): Promise<ArtifactAuditReport> {
  const findings = createKeptFindings<ArtifactFinding>()
  const counts = await readNamed(options, (finding) => findings.add(finding))
  const files = await lookForFiles(options, (finding) => findings.add(finding))
  const report = findings.toReport()
  const outcome = report.findingCount > 0 ? "differs" : "whole"
  const { bytesPerSecond = null, sample = null } = options
  return { outcome, ...counts, sample, bytesPerSecond, files, ...report }
}

type Find = (finding: ArtifactFinding) => void

async function readNamed(options: ArtifactAuditOptions, find: Find): Promise<ArtifactCounts> {
  const judge = createArtifactJudge(options, find)
  try {
    // First, since archived tasks are read from them: the report then says why they can't be.
    for (const file of await listArchiveFiles(options.storage)) {
      // oxlint-disable-next-line no-await-in-loop -- as many at once as the judge lets in
      await judge.judgeFile(file)
    }
    for await (const { streams } of readPages(options.storage)) {
      for (const { id, events } of streams) await judge.judge(id, events.map(openEvent))
      await judge.drain()
      options.onProgress?.(judge.toCounts())
    }
  } finally {
    await judge.settle()
  }
  return judge.toCounts()
}

/** The log is asked task by task, after the file was listed: a task that was added meanwhile is found. */
async function lookForFiles(
  { storage, artifacts, onUnknown }: ArtifactAuditOptions,
  find: Find,
): Promise<number> {
  const ofArchive: string[] = []
  let count = 0
  let last: { readonly task: string; readonly isKnown: boolean } | undefined
  for await (const locator of artifacts.listAll()) {
    count += 1
    const task = toLocatorTask(locator)
    if (task === undefined) continue
    if (task === ARCHIVE_TASK) {
      ofArchive.push(locator)
      continue
    }
    if (task !== last?.task) last = { task, isKnown: (await storage.readTask(task)) !== undefined }
    if (last.isKnown) continue
    find({ kind: "unknown-task", task, locator })
    await onUnknown?.(task)
  }
  // Asked once they were listed: a file that was written meanwhile is known.
  const known = new Set((await listArchiveFiles(storage)).map(({ locator }) => locator))
  for (const locator of ofArchive.filter((each) => !known.has(each))) {
    find({ kind: "unknown-task", task: ARCHIVE_TASK, locator })
    // oxlint-disable-next-line no-await-in-loop -- one file after the other
    await onUnknown?.(ARCHIVE_TASK)
  }
  return count
}

async function listArchiveFiles(
  storage: Pick<Storage, "listBundles" | "listSegments">,
): Promise<readonly NamedFile[]> {
  const segments = await storage.listSegments()
  const bundles = await storage.listBundles()
  return [
    ...segments.map((segment) => toFile(segment, toSegmentKey(segment.id), "application/zstd")),
    ...bundles.map((bundle) => toFile(bundle, toBundleKey(bundle.id), "application/octet-stream")),
  ]
}

function toFile(
  { bytes, locator, sha256 }: ArchiveSegment | ArchivedBundle,
  key: string,
  mimeType: string,
): NamedFile {
  const name = { task: ARCHIVE_TASK, key, mimeType }
  return { ...name, bytes, expiresAt: Number.MAX_SAFE_INTEGER, locator, sha256 }
}
