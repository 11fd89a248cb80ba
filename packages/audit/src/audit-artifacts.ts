/**
 * The bytes of artifacts, compared with the log: every file is read and compared with its size and
 * SHA-256, and every file is looked for in the log. An artifact that has expired is not judged, since its
 * bytes are removed; nor is the remainder of an attempt of a task that the log knows, since retention
 * removes it. A file of a task that the log does not know is a finding: the log may have lost its end.
 */
import { createHash } from "node:crypto"
import {
  openEvent,
  toLocatorTask,
  type ArtifactStorage,
  type ManifestEntry,
  type Storage,
} from "@safelight/core"
import { openArtifact, readChunks } from "./artifact-bytes.ts"
import { createKeptFindings, type FindingReport } from "./kept-findings.ts"
import { readPages } from "./read-pages.ts"
import { createWorkPool } from "./work-pool.ts"

export interface ArtifactAuditOptions {
  readonly storage: Pick<Storage, "readTask" | "scan">
  readonly artifacts: Required<Pick<ArtifactStorage, "open" | "listAll">>
  /** Milliseconds. An artifact that has expired by then is not judged. */
  readonly now: number
  readonly onProgress?: (progress: { readonly artifacts: number }) => void
}

export type ArtifactFinding =
  /** The log names bytes that are not there. */
  | { readonly kind: "missing"; readonly task: string; readonly key: string }
  /** They have another size, or another SHA-256, than the log says. */
  | { readonly kind: "differs"; readonly task: string; readonly key: string }
  /** Bytes of a task that the log does not know. */
  | { readonly kind: "unknown-task"; readonly task: string; readonly locator: string }

export interface ArtifactAuditReport extends FindingReport<ArtifactFinding> {
  readonly outcome: "whole" | "differs"
  /** Artifacts that were read and compared. */
  readonly artifacts: number
  /** Files that were looked for in the log. */
  readonly files: number
}

const READS_AT_ONCE = 4
const CHUNK_BYTES = 256 * 1024

/**
 * Rejects if something can't be judged: as the storages do if it can't be read, and with `storage-corrupt`
 * or `schema-too-new` if this release can't open an event.
 */
export async function auditArtifacts(options: ArtifactAuditOptions): Promise<ArtifactAuditReport> {
  const findings = createKeptFindings<ArtifactFinding>()
  const artifacts = await readNamed(options, (finding) => findings.add(finding))
  const files = await lookForFiles(options, (finding) => findings.add(finding))
  const report = findings.toReport()
  return { outcome: report.findingCount > 0 ? "differs" : "whole", artifacts, files, ...report }
}

type Find = (finding: ArtifactFinding) => void

async function readNamed(
  { storage, artifacts, now, onProgress }: ArtifactAuditOptions,
  find: Find,
): Promise<number> {
  const pool = createWorkPool(READS_AT_ONCE)
  let count = 0
  const judge = async (task: string, entry: ManifestEntry): Promise<void> => {
    const kind = await compare(artifacts, entry)
    count += 1
    if (kind !== "same") find({ kind, task, key: entry.key })
  }
  try {
    for await (const { streams } of readPages(storage)) {
      for (const { id, events } of streams) {
        const named = events
          .map(openEvent)
          .flatMap((event) => (event.type === "succeeded" ? event.data.artifacts : []))
          .filter(({ expiresAt }) => now < expiresAt)
        for (const entry of named) await pool.begin(() => judge(id, entry))
      }
      await pool.drain()
      onProgress?.({ artifacts: count })
    }
  } finally {
    await pool.settle()
  }
  return count
}

async function compare(
  artifacts: ArtifactAuditOptions["artifacts"],
  { locator, bytes, sha256 }: ManifestEntry,
): Promise<"same" | "missing" | "differs"> {
  const reader = await openArtifact(artifacts, locator)
  if (reader === undefined) return "missing"
  try {
    if (reader.totalBytes !== bytes) return "differs"
    const hash = createHash("sha256")
    for await (const chunk of readChunks(reader, CHUNK_BYTES)) hash.update(chunk)
    return hash.digest("hex") === sha256 ? "same" : "differs"
  } finally {
    await reader.close()
  }
}

/** The log is asked task by task, after the file was listed: a task that was added meanwhile is found. */
async function lookForFiles(
  { storage, artifacts }: ArtifactAuditOptions,
  find: Find,
): Promise<number> {
  let count = 0
  let last: { readonly task: string; readonly isKnown: boolean } | undefined
  for await (const locator of artifacts.listAll()) {
    count += 1
    const task = toLocatorTask(locator)
    if (task === undefined) continue
    if (task !== last?.task) last = { task, isKnown: (await storage.readTask(task)) !== undefined }
    if (!last.isKnown) find({ kind: "unknown-task", task, locator })
  }
  return count
}
