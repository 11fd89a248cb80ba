/**
 * Artifacts that a log names, read one by one and compared with their size and SHA-256: all of them or a sample, at any
 * pace or a bounded one. An artifact that has expired is not judged, since its bytes are removed.
 */
import { createHash } from "node:crypto"
import {
  createSystemClock,
  holdUntil,
  POSITIVE,
  takeIntegers,
  type ArtifactReader,
  type Clock,
  type ManifestEntry,
  type TaskEvent,
} from "@safelight/core"
import { openArtifact } from "./artifact-bytes.ts"
import { createChoice, type ArtifactSample } from "./artifact-sample.ts"
import { createPacedRead, type PacedRead } from "./read-pace.ts"
import { createWorkPool } from "./work-pool.ts"

/** An artifact as a log names it. */
export interface NamedArtifact extends Pick<ManifestEntry, "key" | "locator" | "mimeType"> {
  readonly task: string
}

/** Where the bytes are. Any `ArtifactStorage` is one: it looks at the locator alone. */
export interface ArtifactSource {
  /**
   * Opens the whole artifact for reading. Rejects with `artifact-missing` if it is not there. The caller closes the
   * reader, also after a failure.
   */
  open(artifact: NamedArtifact): Promise<ArtifactReader>
}

/** How artifacts are read. */
export interface ArtifactReading {
  readonly artifacts: ArtifactSource
  /** Milliseconds. An artifact that has expired by then is not judged. */
  readonly now: number
  /** Only these are read; all by default. */
  readonly sample?: ArtifactSample | undefined
  /** Of all reads together, at most; as fast as they can be read by default. */
  readonly bytesPerSecond?: number | undefined
  /** The time of `bytesPerSecond`; the machine's by default. */
  readonly clock?: Pick<Clock, "monotonicNow" | "wait">
}

export interface ArtifactCounts {
  /** Artifacts that were read and compared, or are missing. */
  readonly artifacts: number
  /** Bytes that were read. Of an artifact that has another size than the log says, none is. */
  readonly bytes: number
  /** All that have not expired, read or not, by the log. */
  readonly named: { readonly artifacts: number; readonly bytes: number }
}

export interface ArtifactDifference {
  /** The bytes are not there, or have another size or SHA-256 than the log says. */
  readonly kind: "missing" | "differs"
  readonly task: string
  readonly key: string
  /** When the service removes it, by the log; milliseconds since the Unix epoch. The largest number for a segment. */
  readonly expiresAt: number
}

/** A stored file, as whoever named it says it is. */
export interface NamedFile
  extends
    NamedArtifact,
    Pick<ManifestEntry, "bytes" | "sha256">,
    Pick<ArtifactDifference, "expiresAt"> {}

export interface ArtifactJudge {
  /** Begins to read what `events` of a task name. Rejects with the first failure of any read before. */
  judge(task: string, events: readonly TaskEvent[]): Promise<void>
  /** The same of one file that is no artifact. */
  judgeFile(file: NamedFile): Promise<void>
  /** Resolves once all that was begun is judged. Rejects as `open` and `read` do. */
  drain(): Promise<void>
  /** Resolves once nothing is under way any more, whatever came of it. */
  settle(): Promise<void>
  toCounts(): ArtifactCounts
}

const READS_AT_ONCE = 4
const CHUNK_BYTES = 256 * 1024

/**
 * For a log of any form: its events are handed in task by task. Throws `invalid-configuration`, naming the option, if
 * the sample's share or the bytes a second are out of bounds.
 */
export function createArtifactJudge(
  options: ArtifactReading,
  find: (difference: ArtifactDifference) => void,
): ArtifactJudge {
  const { artifacts, now } = options
  const isChosen = createChoice(options.sample)
  const reads = toReads(options)
  const pool = createWorkPool(READS_AT_ONCE)
  const counts = { artifacts: 0, bytes: 0, named: { artifacts: 0, bytes: 0 } }

  async function judgeOne(file: NamedFile): Promise<void> {
    const { expiresAt, key, task } = file
    const reader = await openArtifact(artifacts, file)
    const { kind, bytes } = await compare(reader, file, reads)
    counts.artifacts += 1
    counts.bytes += bytes
    if (kind !== "same") find({ kind, task, key, expiresAt })
  }

  async function judgeFile(file: NamedFile): Promise<void> {
    counts.named.artifacts += 1
    counts.named.bytes += file.bytes
    if (isChosen(file.task, file.key)) await pool.begin(() => judgeOne(file))
  }

  return {
    async judge(task, events) {
      for (const entry of listNamed(events).filter(({ expiresAt }) => now < expiresAt)) {
        // oxlint-disable-next-line no-await-in-loop -- as many at once as the pool lets in
        await judgeFile({ ...entry, task })
      }
    },
    judgeFile,
    drain: () => pool.drain(),
    settle: () => pool.settle(),
    toCounts: () => ({ ...counts, named: { ...counts.named } }),
  }
}

interface Reads {
  readonly read: PacedRead
  readonly chunkBytes: number
}

function toReads({ bytesPerSecond, clock }: ArtifactReading): Reads {
  if (bytesPerSecond === undefined) {
    return { read: (reader, into) => reader.read(into), chunkBytes: CHUNK_BYTES }
  }
  const bounds = { bytesPerSecond: POSITIVE }
  takeIntegers({ bounds, defaults: { bytesPerSecond: 1 }, options: { bytesPerSecond } })
  const read = createPacedRead(bytesPerSecond, clock ?? createSystemClock(globalThis))
  // No single read takes longer than a second's bytes.
  return { read, chunkBytes: Math.min(CHUNK_BYTES, bytesPerSecond) }
}

/** As the events left them: kept for as long as the last hold says. */
function listNamed(events: readonly TaskEvent[]): readonly ManifestEntry[] {
  let entries: readonly ManifestEntry[] = []
  for (const { at, data, type } of events) {
    if (type === "succeeded") entries = data.artifacts
    if (type === "held") entries = holdUntil(entries, data.until, at)
  }
  return entries
}

async function compare(
  reader: ArtifactReader | undefined,
  { bytes, sha256 }: Pick<ManifestEntry, "bytes" | "sha256">,
  reads: Reads,
): Promise<{ readonly kind: "same" | "missing" | "differs"; readonly bytes: number }> {
  if (reader === undefined) return { kind: "missing", bytes: 0 }
  try {
    if (reader.totalBytes !== bytes) return { kind: "differs", bytes: 0 }
    const read = await digest(reader, reads)
    return { kind: read.sha256 === sha256 ? "same" : "differs", bytes: read.bytes }
  } finally {
    await reader.close()
  }
}

async function digest(
  reader: ArtifactReader,
  { chunkBytes, read }: Reads,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const hash = createHash("sha256")
  const buffer = new Uint8Array(Math.min(chunkBytes, reader.totalBytes))
  let bytes = 0
  while (bytes < reader.totalBytes) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other
    const count = await read(reader, buffer)
    if (count === 0) break
    hash.update(buffer.subarray(0, count))
    bytes += count
  }
  return { sha256: hash.digest("hex"), bytes }
}
