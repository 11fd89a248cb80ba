/**
 * Copies the bytes of a task's artifacts from one artifact storage to another, under the locators that
 * the log names, and checks them against its digests. Artifacts that are there already, or have expired,
 * are not copied. A file that is missing or differs is a finding and stops nothing: the log is worth more.
 */
import { toArtifacts, type Artifact, type ArtifactStorage, type Task } from "@safelight/core"
import { openArtifact, readChunks } from "./artifact-bytes.ts"
import { createKeptFindings, type FindingReport } from "./kept-findings.ts"
import { createWorkPool } from "./work-pool.ts"

export interface ArtifactCopy {
  readonly from: Pick<ArtifactStorage, "open">
  readonly to: Required<Pick<ArtifactStorage, "open" | "restore">>
}

export interface CopyFinding {
  readonly kind: "missing" | "differs" | "foreign-locator"
  readonly task: string
  /** The artifact's key. */
  readonly key: string
}

export interface CopyReport extends FindingReport<CopyFinding> {
  readonly copied: number
  /** Those that were there before. */
  readonly present: number
}

export interface ArtifactCopier {
  /** Rejects as the artifact storages do. */
  copy(task: Task, now: number): Promise<void>
  toReport(): CopyReport
}

const CHUNK_BYTES = 64 * 1024
/** Each holds up to two parts of 8 MiB if it is sent to a bucket. */
const COPIES_AT_ONCE = 4

type Outcome = "copied" | "present" | CopyFinding["kind"]

export function createArtifactCopier({ from, to }: ArtifactCopy): ArtifactCopier {
  const pool = createWorkPool(COPIES_AT_ONCE)
  const findings = createKeptFindings<CopyFinding>()
  let [copied, present] = [0, 0]

  function record(outcome: Outcome, { task, key }: Artifact): void {
    if (outcome === "copied") copied += 1
    else if (outcome === "present") present += 1
    else findings.add({ kind: outcome, task, key })
  }

  async function copyOne(row: Artifact): Promise<Outcome> {
    if (await isPresent(to, row)) return "present"
    return pool.run(() => store(row))
  }

  async function store(row: Artifact): Promise<Outcome> {
    const reader = await openArtifact(from, { locator: row.locator })
    if (reader === undefined) return "missing"
    try {
      const { locator, bytes, sha256 } = row
      const body = readChunks(reader, CHUNK_BYTES)
      const outcome = await to.restore({ locator, bytes, sha256, body })
      return outcome === "stored" ? "copied" : outcome
    } finally {
      await reader.close()
    }
  }

  return {
    async copy(task, now) {
      const rows = task.state === "succeeded.available" ? toArtifacts(task) : []
      for (const row of rows.filter(({ expiresAt }) => now < expiresAt)) {
        record(await copyOne(row), row)
      }
    },
    toReport: () => ({ copied, present, ...findings.toReport() }),
  }
}

/** A locator is random, and bytes are checked before they are stored under it, so that the size is enough. */
async function isPresent(to: ArtifactCopy["to"], { locator, bytes }: Artifact): Promise<boolean> {
  const reader = await openArtifact(to, { locator })
  await reader?.close()
  return reader?.totalBytes === bytes
}
