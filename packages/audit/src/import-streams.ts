/**
 * Takes an export into a database. The file is read twice: first it is proved, and that it fits; then
 * it is written, rows derived by the same `project` as everywhere. Between the two the database is
 * marked, so that nobody serves half of it; the same file may be imported again until all of it is
 * there, since whatever is stored already is stored once.
 *
 *   nothing ──(proved)──▶ arriving ──(all written)──▶ arrived
 */
import { project, SafelightError, type Digest, type Move, type Storage } from "@safelight/core"
import { checkExport, checkRecord, toEvents, type ExportManifest } from "./check-export.ts"
import { createArtifactCopier, type ArtifactCopy, type CopyReport } from "./copy-artifacts.ts"
import { refused, type StreamRecord } from "./export-format.ts"
import { importRecord } from "./import-accounts.ts"
import { createTurns, toImportedPlace, type Turns } from "./imported-place.ts"
import { createInFlight } from "./in-flight.ts"
import { isBody, readExport } from "./read-export.ts"

export interface ImportOptions {
  readonly storage: Storage
  /** Opens the file at its beginning; called twice. */
  readonly open: () => AsyncIterable<Uint8Array>
  readonly digest: Digest
  readonly now: number
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
    target: storage,
    onProgress: ({ streams }) => onProgress?.({ phase: "checking", streams }),
  })
  const id = manifest.sha256
  assertNoOther(moves, id)
  const isRepeated = moves.some((move) => move.id === id && move.state === "arrived")
  if (!isRepeated) await storage.setMove({ id, state: "arriving", at: now })
  const artifacts = await write(options, manifest, isRepeated)
  if (!isRepeated) await storage.setMove({ id, state: "arrived", at: now })
  return { manifest, isRepeated, artifacts }
}

async function write(
  options: ImportOptions,
  manifest: ExportManifest,
  isRepeated: boolean,
): Promise<CopyReport | null> {
  const copier = options.artifacts && createArtifactCopier(options.artifacts)
  if (isRepeated && copier === undefined) return null
  const inFlight = createInFlight()
  try {
    await writeRecords(options, { ...manifest, isRepeated }, async (record, bytes, stream) => {
      await inFlight.begin(bytes, async () => {
        // Bytes first: what the log names has to be there.
        await copier?.copy(stream.snapshot, options.now)
        if (!isRepeated) await writeStream(options.storage, record, stream)
      })
    })
    await inFlight.drain()
  } finally {
    await inFlight.settle()
  }
  return copier?.toReport() ?? null
}

type WriteStream = (record: StreamRecord, bytes: number, stream: AppendOfStream) => Promise<void>

/** Accounts, keys and link keys are written one after another: all of them come before the streams. */
async function writeRecords(
  options: ImportOptions,
  { sha256, isRepeated }: ExportManifest & Pick<ImportReport, "isRepeated">,
  begin: WriteStream,
): Promise<void> {
  const turns = createTurns()
  let streams = 0
  for await (const { record, bytes } of readExport(options.open())) {
    if (record.kind === "trailer" && record.sha256 !== sha256) throw changed()
    if (record.kind === "stream") {
      await begin(record, bytes, toAppend(record, options, turns))
      streams += 1
      options.onProgress?.({ phase: "writing", streams })
    } else if (isBody(record) && !isRepeated) {
      await importRecord(record, options.storage, turns)
    }
  }
}

type AppendOfStream = ReturnType<typeof toAppend>

function toAppend(
  record: StreamRecord,
  { digest, now }: Pick<ImportOptions, "digest" | "now">,
  turns: Turns,
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
      queue: toImportedPlace(task, now, turns),
    },
  }
}

async function writeStream(
  storage: Storage,
  { task, idempotency, linkEpochs }: StreamRecord,
  { append, snapshot: { account } }: AppendOfStream,
): Promise<void> {
  await storage.append(append)
  await Promise.all([
    ...idempotency.map((use) => storage.restoreIdempotency({ account, task, use })),
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

function changed(): SafelightError {
  return refused("the file was changed while it was imported")
}
