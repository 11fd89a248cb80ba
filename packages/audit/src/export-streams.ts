/**
 * A database as the lines of an export. Reads a page of streams at a time and what belongs to each
 * task on its own, so memory is bounded by a page and the largest task. Beside a running service each
 * page is consistent in itself; only a sealed database is exported as one state.
 */
import { createHash } from "node:crypto"
import {
  isTerminal,
  SafelightError,
  type Digest,
  type ScannedStream,
  type Storage,
} from "@safelight/core"
import { checkStream } from "./check-stream.ts"
import {
  countRecord,
  FORMAT,
  MAX_LINE_BYTES,
  NO_COUNTS,
  VERSION,
  type AccountRecord,
  type BodyRecord,
  type ExportRecord,
  type KeyRecord,
  type LinkKeyRecord,
  type StreamRecord,
} from "./export-format.ts"

export interface ExportOptions {
  readonly storage: ExportSource
  readonly digest: Digest
  readonly now: number
  /** Whether the database was sealed before this is called, and stays so until it ends. */
  readonly isSealed: boolean
  readonly onProgress?: (progress: ExportProgress) => void
}

export type ExportSource = Pick<
  Storage,
  "listAccounts" | "listKeys" | "readLinkKeys" | "readLinkEpoch" | "readSideRecords" | "scan"
>

/** So far. */
export interface ExportProgress {
  readonly streams: number
  readonly events: number
  /** Streams that are not finished. */
  readonly unfinished: number
}

/** Streams in memory at once; what belongs to a task is read when its turn comes. */
const PAGE_STREAMS = 200

/**
 * The lines of the export, each with its line break, the trailer last: without it the file is none.
 * Rejects with `storage-corrupt` at the first stream that is not as it was written, and as the
 * storage does.
 */
export async function* exportStreams(options: ExportOptions): AsyncGenerator<string> {
  const { now, isSealed, onProgress } = options
  const hash = createHash("sha256")
  let counts = NO_COUNTS
  let unfinished = 0
  const write = (record: ExportRecord): string => {
    const line = toLine(record)
    hash.update(line)
    return line
  }
  yield write({ kind: "header", format: FORMAT, version: VERSION, createdAt: now, isSealed })
  for await (const { record, isUnfinished } of readRecords(options)) {
    counts = countRecord(counts, record)
    unfinished += Number(isUnfinished)
    yield write(record)
    const { streams, events } = counts
    if (record.kind === "stream") onProgress?.({ streams, events, unfinished })
  }
  yield toLine({ kind: "trailer", ...counts, sha256: hash.digest("hex") })
}

interface Read {
  readonly record: BodyRecord
  readonly isUnfinished: boolean
}

async function* readRecords({ storage, digest }: ExportOptions): AsyncGenerator<Read> {
  for await (const record of readAccounts(storage)) yield { record, isUnfinished: false }
  for (let after: string | null = ""; after !== null;) {
    const page: Awaited<ReturnType<ExportSource["scan"]>> = await storage.scan({
      after,
      limit: PAGE_STREAMS,
    })
    for (const stream of page.streams) yield readStream(storage, stream, digest)
    after = page.next
  }
}

async function* readAccounts(
  storage: ExportSource,
): AsyncGenerator<AccountRecord | KeyRecord | LinkKeyRecord> {
  for (const account of await storage.listAccounts()) {
    // No artifact has the empty name, so what is read is the account's own.
    const linkEpoch = await storage.readLinkEpoch({ account: account.id, task: "", key: "" })
    yield { kind: "account", account, linkEpoch }
  }
  for (const key of await storage.listKeys()) yield { kind: "key", key }
  const linkKeys = await storage.readLinkKeys()
  for (const linkKey of linkKeys.toReversed()) yield { kind: "link-key", linkKey }
}

async function readStream(
  storage: ExportSource,
  stream: ScannedStream,
  digest: Digest,
): Promise<Read> {
  const checked = checkStream(stream, digest)
  if (checked.kind === "faulty") {
    const message = `${checked.words}; nothing of it may be carried on`
    throw new SafelightError({ code: "storage-corrupt", message })
  }
  const { inputs, idempotency, linkEpochs } = await storage.readSideRecords(stream.id)
  const record: StreamRecord = {
    kind: "stream",
    task: stream.id,
    events: stream.events.map(({ task: _task, ...event }) => event),
    inputs: inputs.map(({ task: _task, ...input }) => input),
    idempotency,
    linkEpochs,
  }
  return { record, isUnfinished: !isTerminal(checked.task) }
}

function toLine(record: ExportRecord): string {
  const line = `${JSON.stringify(record)}\n`
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line
  const message = `what belongs to a task is larger than a line of ${MAX_LINE_BYTES} bytes`
  throw new SafelightError({ code: "storage-corrupt", message })
}
