/**
 * Imports an export into a database. The file is read twice: first it is proved, and that it fits; then
 * accounts and tasks are written, with rows derived by the same `project` as everywhere. Keys are kept in
 * memory and written last. If a service runs on the database already, clients get in only once all of their
 * tasks are there: a submission repeated sooner would not find its idempotency key, and be bought twice.
 * Meanwhile the transfer is recorded as importing, so that nobody begins to serve half of the data. The same
 * file may be imported again until all of it is there, since a stored stream is stored once.
 *
 *   nothing ──(proved)──▶ importing ──(all written)──▶ imported
 */
import {
  project,
  SafelightError,
  type Append,
  type Digest,
  type Storage,
  type Task,
  type Transfer,
} from "@safelight/core"
import { checkExport, checkRecord, toEvents, type ExportManifest } from "./check-export.ts"
import { createArtifactCopier, type ArtifactCopy, type CopyReport } from "./copy-artifacts.ts"
import { refused, type RecordOf } from "./export-format.ts"
import { importAccount, importKey } from "./import-accounts.ts"
import { createStartTags, toImportedPlace, type StartTags } from "./imported-place.ts"
import { createKeptFindings } from "./kept-findings.ts"
import { readExport, type ReadRecord } from "./read-export.ts"
import { restoreUses, type UseFinding, type UseReport } from "./restore-uses.ts"
import { createWorkPool } from "./work-pool.ts"

export interface ImportOptions {
  readonly storage: Storage
  /** Opens the file at its beginning; called twice at most. */
  readonly open: () => AsyncIterable<Uint8Array>
  readonly digest: Digest
  /** Milliseconds. */
  readonly now: number
  /** Allows keys that the data does not know, though it holds something; otherwise such a file is refused. */
  readonly withKeys?: boolean
  /** Absent: the bytes are copied by other means. */
  readonly artifacts?: ArtifactCopy
  readonly onProgress?: (progress: ImportProgress) => void
}

export interface ImportProgress {
  readonly phase: "checking" | "writing"
  readonly streams: number
}

export interface ImportReport {
  readonly manifest: ExportManifest
  /** The whole file was imported before: only artifacts were looked at. */
  readonly isRepeated: boolean
  readonly artifacts: CopyReport | null
  /** Idempotency keys that stand for other tasks; none if nothing was written. */
  readonly idempotency: UseReport
}

/**
 * Resolves once all of it is durable and the database may be served. Rejects with `export-refused`
 * before anything is written, or later if `open` then opens another file; with `in-transfer` if the
 * database is sealed or another import into it is not complete; and as the storages do.
 */
export async function importStreams(options: ImportOptions): Promise<ImportReport> {
  const { storage, open, digest, now, onProgress } = options
  const transfers = await storage.listTransfers()
  assertNotSealed(transfers)
  const manifest = await checkExport({
    open,
    digest,
    now,
    target: storage,
    withKeys: options.withKeys === true,
    onProgress: ({ streams }) => onProgress?.({ phase: "checking", streams }),
  })
  const id = manifest.sha256
  assertNoOther(transfers, id)
  const isRepeated = transfers.some((known) => known.id === id && known.state === "imported")
  if (!isRepeated) await storage.setTransfer({ id, state: "importing", at: now })
  const { keys, ...written } = await writeRecords(options, { id, isRepeated })
  if (!isRepeated) {
    for (const key of keys) await importKey(key, storage)
    await storage.setTransfer({ id, state: "imported", at: now })
  }
  return { manifest, isRepeated, ...written }
}

/**
 * Appends that wait together, in bytes and as many as fill a commit: an import that waited for each task
 * would pay a sync for every one of them.
 */
const APPEND_BYTES = 16 * 1024 * 1024
const APPENDS = 256

interface Written extends Pick<ImportReport, "artifacts" | "idempotency"> {
  /** Still to be written. */
  readonly keys: readonly KeyRecord[]
}

type KeyRecord = RecordOf<"key" | "link-key">

/** Writes accounts and streams, and copies artifacts; rejects if the file is no longer the one of `id`. */
async function writeRecords(
  options: ImportOptions,
  { id, isRepeated }: Pick<ImportReport, "isRepeated"> & { readonly id: string },
): Promise<Written> {
  const { storage, open, now, onProgress } = options
  const copier = options.artifacts && createArtifactCopier(options.artifacts)
  const uses = createKeptFindings<UseFinding>()
  const tags = createStartTags()
  const pool = createWorkPool(APPEND_BYTES)
  const keys: KeyRecord[] = []
  let streams = 0

  async function take({ record, bytes }: ReadRecord): Promise<void> {
    if (record.kind === "trailer" && record.sha256 !== id) {
      throw refused("the file was changed while it was imported")
    }
    if (record.kind === "key" || record.kind === "link-key") keys.push(record)
    if (record.kind === "account" && !isRepeated) {
      tags.setWeight(record.account.id, record.account.weight)
      await importAccount(record, storage)
    }
    if (record.kind === "stream") await begin(record, bytes)
    if (record.kind === "definition") await storage.keepDefinitions([record.definition])
  }

  /** Accounts are written one after another; all of them come before the streams. */
  async function begin(record: RecordOf<"stream">, bytes: number): Promise<void> {
    const { task, append } = toAppend(record, options, tags)
    const write = async (): Promise<void> => {
      // Bytes first: what the log names has to be there.
      await copier?.copy(task, now)
      if (isRepeated) return
      await storage.append(append)
      await restoreUses(record, task.account, storage, uses.add)
      await restoreLinkEpochs(record, storage)
    }
    await pool.begin(write, Math.max(bytes, APPEND_BYTES / APPENDS))
    streams += 1
    onProgress?.({ phase: "writing", streams })
  }

  // Once all of it was imported, artifacts alone may be missing.
  const isDone = isRepeated && copier === undefined
  try {
    if (!isDone) for await (const read of readExport(open())) await take(read)
    await pool.drain()
  } finally {
    await pool.settle()
  }
  return { artifacts: copier?.toReport() ?? null, idempotency: uses.toReport(), keys }
}

interface ReadStream {
  readonly task: Task
  readonly append: Append
}

function toAppend(
  record: RecordOf<"stream">,
  { digest, now }: Pick<ImportOptions, "digest" | "now">,
  tags: StartTags,
): ReadStream {
  const { task, hash, events } = checkRecord(record, digest)
  const inputs = record.inputs.map((input) => ({ ...input, task: record.task }))
  const hasInputs = inputs.length > 0
  return {
    task,
    append: {
      task: record.task,
      expectedVersion: 0,
      events: toEvents(record),
      changes: project(task, hash, events),
      inputs,
      labels: Object.fromEntries(record.labels.map(({ key, value }) => [key, value])),
      queue: toImportedPlace({ task, hasInputs, now }, tags),
    },
  }
}

function restoreLinkEpochs(
  { task, linkEpochs }: RecordOf<"stream">,
  storage: Storage,
): Promise<unknown> {
  const restoring = linkEpochs.map(({ key, epoch }) =>
    storage.restoreLinkEpoch({ scope: { kind: "artifact", task, key }, epoch }),
  )
  return Promise.all(restoring)
}

function assertNotSealed(transfers: readonly Transfer[]): void {
  if (!transfers.some(({ state }) => state === "sealed")) return
  const message = "this data was sealed and moves elsewhere: nothing can be imported into it"
  throw new SafelightError({ code: "in-transfer", message })
}

function assertNoOther(transfers: readonly Transfer[], id: string): void {
  if (!transfers.some((known) => known.state === "importing" && known.id !== id)) return
  const message = "the import of another file into this data is not complete: finish that one first"
  throw new SafelightError({ code: "in-transfer", message })
}
