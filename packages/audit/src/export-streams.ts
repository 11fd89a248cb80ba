/**
 * A database as the lines of an export. Streams are read a page at a time and side records task by task,
 * so that a page and the largest task are all that is in memory. While a service runs, each page is
 * consistent in itself; only a sealed database is exported as one state.
 */
import {
  isTerminal,
  SafelightError,
  type Digest,
  type ScannedStream,
  type Storage,
  type StoredEvent,
  type Task,
} from "@safelight/core"
import { createNamedDefinitions } from "./named-definitions.ts"
import { toEvents } from "./check-export.ts"
import { checkStream } from "./check-stream.ts"
import type { BodyRecord, RecordOf } from "./export-format.ts"
import { createExportWriter } from "./export-writer.ts"
import { PAGE_STREAMS, readPages } from "./read-pages.ts"

export interface ExportOptions {
  readonly storage: ExportSource
  readonly digest: Digest
  /** Milliseconds. */
  readonly now: number
  /** Whether the database was sealed before this is called, and stays so until it ends. */
  readonly isSealed: boolean
  /** Makes a file for auditors, with the events that a signed tree has, and no keys, prompts and labels. */
  readonly signed?: SignedExport
  /**
   * The first streams as an earlier export under the same checkpoint wrote them, which are not read again. They are
   * proved as those of the storage are.
   */
  readonly written?: AsyncIterable<RecordOf<"stream">>
  readonly onProgress?: (progress: ExportProgress) => void
}

export interface SignedExport {
  /** The signed note. */
  readonly checkpoint: string
  /** Of a task's events, in order, as far as the checkpoint has them. Rejects as the storage does. */
  readonly readLeaves: (task: string) => Promise<readonly ExportedLeaf[]>
  /** Some tasks alone; then each leaf needs its proof. Absent: all. */
  readonly selection?: ExportSelection
}

export interface ExportedLeaf {
  /** From 0. */
  readonly index: number
  /** Hashes in base64, from the leaf's neighbour up. */
  readonly proof?: readonly string[]
}

/** Moments in milliseconds: submitted from `from` on, and before `to`. */
export type ExportSelection = NonNullable<RecordOf<"header">["selection"]>

export type ExportSource = Pick<
  Storage,
  | "listAccounts"
  | "listDefinitions"
  | "listKeys"
  | "readLinkKeys"
  | "readLinkEpoch"
  | "readSideRecords"
  | "scan"
>

/** So far. */
export interface ExportProgress {
  readonly streams: number
  readonly events: number
  /** Streams that are not finished. */
  readonly unfinished: number
}

/**
 * The lines of the export, each with its line break, the trailer last: without it the file is none.
 * Rejects with `storage-corrupt` at the first stream that is not as it was written or does not fit into a
 * line, and as the storage does.
 */
export async function* exportStreams(options: ExportOptions): AsyncGenerator<string> {
  const { storage, digest, now, isSealed, onProgress, signed } = options
  const writer = createExportWriter()
  let unfinished = 0
  const named = createNamedDefinitions(digest)
  const selection = signed?.selection && { selection: signed.selection }
  yield writer.begin({ createdAt: now, isSealed, ...selection })
  for await (const record of readFirst(options)) yield writer.add(record)
  for await (const { record, task } of readStreams(options)) {
    named.add(task)
    unfinished += Number(!isTerminal(task))
    yield writer.add(record)
    const { events, streams } = writer.counts
    onProgress?.({ streams, events, unfinished })
  }
  for (const definition of await named.list(storage)) {
    yield writer.add({ kind: "definition", definition })
  }
  yield writer.end()
}

/** What stands before the streams. */
async function* readFirst({
  signed,
  storage,
}: ExportOptions): AsyncGenerator<Exclude<BodyRecord, RecordOf<"definition" | "stream">>> {
  if (signed !== undefined) {
    yield { kind: "checkpoint", note: signed.checkpoint }
    return
  }
  for (const account of await storage.listAccounts()) {
    // No artifact has the empty name, so what is read is the account's own.
    const linkEpoch = await storage.readLinkEpoch({ account: account.id, task: "", key: "" })
    yield { kind: "account", account, linkEpoch }
  }
  for (const key of await storage.listKeys()) yield { kind: "key", key }
  const linkKeys = await storage.readLinkKeys()
  for (const linkKey of linkKeys.toReversed()) yield { kind: "link-key", linkKey }
}

async function* readStreams({
  digest,
  signed,
  storage,
  written,
}: ExportOptions): AsyncGenerator<{ readonly record: RecordOf<"stream">; readonly task: Task }> {
  let last = ""
  for await (const record of written ?? []) {
    last = record.task
    yield { record, task: toTask({ id: last, events: toEvents(record) }, digest) }
  }
  for await (const { streams } of readPages(storage, PAGE_STREAMS, last)) {
    for (const stream of streams) {
      const task = toTask(stream, digest)
      if (!isSelected(task, signed?.selection)) continue
      const record = await (signed ? readSigned(signed, stream) : readStream(storage, stream))
      if (record.events.length > 0) yield { record, task }
    }
  }
}

/** Throws `storage-corrupt` if the stream is not as it was written. */
function toTask(stream: Pick<ScannedStream, "events" | "id">, digest: Digest): Task {
  const checked = checkStream(stream, digest)
  if (checked.kind === "whole") return checked.task
  const message = `${checked.words}; it can't be exported`
  throw new SafelightError({ code: "storage-corrupt", message })
}

async function readStream(
  storage: ExportSource,
  { events, id }: ScannedStream,
): Promise<RecordOf<"stream">> {
  const { inputs, labels, idempotency, linkEpochs } = await storage.readSideRecords(id)
  return {
    kind: "stream",
    task: id,
    events: events.map(toRecorded),
    inputs: inputs.map(({ name, salt, body }) => ({ name, salt, body })),
    labels: Object.entries(labels).map(([key, value]) => ({ key, value })),
    idempotency,
    linkEpochs,
  }
}

function isSelected({ account, createdAt }: Task, selection: ExportSelection = {}): boolean {
  const { account: wanted = account, from = 0, to = Number.MAX_SAFE_INTEGER } = selection
  return account === wanted && createdAt >= from && createdAt < to
}

async function readSigned(
  { readLeaves, selection }: SignedExport,
  { events, id }: ScannedStream,
): Promise<RecordOf<"stream">> {
  const leaves = await readLeaves(id)
  return toSignedRecord(id, events.slice(0, leaves.length), leaves, selection !== undefined)
}

/** Side records are the account's own, and no part of any proof. */
export function toSignedRecord(
  task: string,
  events: readonly StoredEvent[],
  leaves: readonly ExportedLeaf[],
  hasProofs: boolean,
): RecordOf<"stream"> {
  return {
    kind: "stream",
    task,
    events: events.map(toRecorded),
    inputs: [],
    labels: [],
    idempotency: [],
    linkEpochs: [],
    leaves: leaves.map(({ index }) => index),
    ...(hasProofs && { proofs: leaves.map(({ proof = [] }) => proof) }),
  }
}

/** Without its task. Named one by one: `JSON.stringify` is slow with objects that leave a member out. */
function toRecorded({ at, data, hash, schema, sealed, type, version }: StoredEvent) {
  if (sealed === null) return { at, data, hash, schema, type, version }
  return { at, data, hash, schema, sealed, type, version }
}
