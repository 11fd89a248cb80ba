/**
 * Takes an export into a database. The file is read three times: it is proved, and that it fits; then
 * accounts and tasks are written, rows derived by the same `project` as everywhere; keys come last. A
 * service that runs on the database already lets nobody in by them before all that was theirs is
 * there: a submission repeated sooner would not find its idempotency key, and be bought twice. In
 * between the database is marked, so that nobody begins to serve half of it; the same file may be
 * imported again until all of it is there, since whatever is stored already is stored once.
 *
 *   nothing ──(proved)──▶ arriving ──(all written)──▶ arrived
 */
import { project, SafelightError, type Digest, type Move, type Storage } from "@safelight/core"
import { checkExport, checkRecord, toEvents, type ExportManifest } from "./check-export.ts"
import { createArtifactCopier, type ArtifactCopy, type CopyReport } from "./copy-artifacts.ts"
import { refused, type StreamRecord } from "./export-format.ts"
import { importAccount, importKey } from "./import-accounts.ts"
import { createStartTags, toImportedPlace, type StartTags } from "./imported-place.ts"
import { createInFlight } from "./in-flight.ts"
import { readExport, type ReadRecord } from "./read-export.ts"
import { createUseRestorer, type UseReport, type UseRestorer } from "./restore-uses.ts"

export interface ImportOptions {
  readonly storage: Storage
  /** Opens the file at its beginning; called three times at most. */
  readonly open: () => AsyncIterable<Uint8Array>
  readonly digest: Digest
  readonly now: number
  /** Lets keys in that the data does not know, though it holds something; else such a file is refused. */
  readonly withKeys?: boolean
  /** Absent: the bytes are somebody else's to move. */
  readonly artifacts?: ArtifactCopy
  readonly onProgress?: (progress: ImportProgress) => void
}

export interface ImportProgress {
  readonly phase: "checking" | "writing"
  readonly streams: number
}

export interface ImportReport {
  readonly manifest: ExportManifest
  /** The file was imported wholly before: nothing but artifacts was looked at. */
  readonly isRepeated: boolean
  readonly artifacts: CopyReport | null
  /** Idempotency keys that stand for other tasks; none where nothing was written. */
  readonly idempotency: UseReport
}

/**
 * Resolves once all of it is durable and the database may be served. Rejects with `export-refused`
 * before anything is written, with `already-moved` where the database is sealed or another import
 * into it is not complete, and as the storages do.
 */
export async function importStreams(options: ImportOptions): Promise<ImportReport> {
  const { storage, open, digest, now, onProgress } = options
  const moves = await storage.listMoves()
  assertNotSealed(moves)
  const manifest = await checkExport({
    open,
    digest,
    now,
    target: storage,
    withKeys: options.withKeys === true,
    onProgress: ({ streams }) => onProgress?.({ phase: "checking", streams }),
  })
  const id = manifest.sha256
  assertNoOther(moves, id)
  const isRepeated = moves.some((move) => move.id === id && move.state === "arrived")
  if (!isRepeated) await storage.setMove({ id, state: "arriving", at: now })
  const written = await writeStreams(options, { id, isRepeated })
  if (!isRepeated) {
    await writeKeys(options, id)
    await storage.setMove({ id, state: "arrived", at: now })
  }
  return { manifest, isRepeated, ...written }
}

interface Writing {
  readonly id: string
  readonly isRepeated: boolean
}

/** Accounts and streams. */
async function writeStreams(
  options: ImportOptions,
  writing: Writing,
): Promise<Pick<ImportReport, "artifacts" | "idempotency">> {
  const { storage, now } = options
  const copier = options.artifacts && createArtifactCopier(options.artifacts)
  const uses = createUseRestorer(storage)
  const { isRepeated } = writing
  if (isRepeated && copier === undefined) return { artifacts: null, idempotency: uses.toReport() }
  const inFlight = createInFlight()
  try {
    await readStreams(options, writing, async (record, bytes, stream) => {
      await inFlight.begin(bytes, async () => {
        // Bytes first: what the log names has to be there.
        await copier?.copy(stream.snapshot, now)
        if (!isRepeated) await writeStream(storage, record, { ...stream, uses })
      })
    })
    await inFlight.drain()
  } finally {
    await inFlight.settle()
  }
  return { artifacts: copier?.toReport() ?? null, idempotency: uses.toReport() }
}

type BeginStream = (record: StreamRecord, bytes: number, stream: AppendOfStream) => Promise<void>

/** Accounts are written one after another: all of them come before the streams. */
async function readStreams(
  options: ImportOptions,
  { id, isRepeated }: Writing,
  begin: BeginStream,
): Promise<void> {
  const tags = createStartTags()
  let streams = 0
  for await (const { record, bytes } of readAgain(options, id)) {
    if (record.kind === "account") {
      tags.setWeight(record.account.id, record.account.weight)
      if (!isRepeated) await importAccount(record, options.storage)
    }
    if (record.kind !== "stream") continue
    await begin(record, bytes, toAppend(record, options, tags))
    streams += 1
    options.onProgress?.({ phase: "writing", streams })
  }
}

async function writeKeys(options: ImportOptions, id: string): Promise<void> {
  for await (const { record } of readAgain(options, id)) {
    if (record.kind === "key" || record.kind === "link-key") {
      await importKey(record, options.storage)
    }
  }
}

/** The records of the file that was proved; rejects at its end where it is another one by now. */
async function* readAgain(
  { open }: Pick<ImportOptions, "open">,
  id: string,
): AsyncGenerator<ReadRecord> {
  for await (const read of readExport(open())) {
    if (read.record.kind === "trailer" && read.record.sha256 !== id) {
      throw refused("the file was changed while it was imported")
    }
    yield read
  }
}

type AppendOfStream = ReturnType<typeof toAppend>

function toAppend(
  record: StreamRecord,
  { digest, now }: Pick<ImportOptions, "digest" | "now">,
  tags: StartTags,
) {
  const { task, hash, events } = checkRecord(record, digest)
  return {
    snapshot: task,
    append: {
      task: record.task,
      expectedVersion: 0,
      events: toEvents(record),
      changes: project(task, hash, events),
      inputs: record.inputs.map((input) => ({ ...input, task: record.task })),
      queue: toImportedPlace(task, now, tags),
    },
  }
}

async function writeStream(
  storage: Storage,
  record: StreamRecord,
  { append, snapshot, uses }: AppendOfStream & { readonly uses: UseRestorer },
): Promise<void> {
  const { task, linkEpochs } = record
  await storage.append(append)
  await Promise.all([
    uses.restore(record, snapshot.account),
    ...linkEpochs.map(({ key, epoch }) =>
      storage.restoreLinkEpoch({ scope: { kind: "artifact", task, key }, epoch }),
    ),
  ])
}

function assertNotSealed(moves: readonly Move[]): void {
  if (!moves.some(({ state }) => state === "left")) return
  const message = "this data was sealed and moves elsewhere: nothing can be imported into it"
  throw new SafelightError({ code: "already-moved", message })
}

function assertNoOther(moves: readonly Move[], id: string): void {
  if (!moves.some((move) => move.state === "arriving" && move.id !== id)) return
  const message = "the import of another file into this data is not complete: finish that one first"
  throw new SafelightError({ code: "already-moved", message })
}
