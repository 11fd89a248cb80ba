/** Where an export for auditors begins: at the newest checkpoint, or with what an earlier try has left. */
import { isDeepStrictEqual } from "node:util"
import type { ExportRecord, ExportSelection } from "@safelight/audit"
import type { KeptCheckpoint, Storage } from "@safelight/core"
import type { LeftExport } from "../data/left-export.ts"
import { refused } from "../errors/command-error.ts"
import { requireCheckpoint } from "../proofs/newest-checkpoint.ts"

export interface Start {
  readonly checkpoint: KeptCheckpoint
  /** Undefined if nothing was left that counts. */
  readonly written: AsyncIterable<WrittenStream> | undefined
  /** How many streams of `written` were read so far. */
  readonly resumedTasks: () => number
}

type WrittenStream = Extract<ExportRecord, { readonly kind: "stream" }>

/**
 * Under the checkpoint of what is left, or without that under the newest. Rejects with a `CommandError` if there is none,
 * or what is left is of another export.
 */
export async function findStart(
  storage: Storage,
  left: LeftExport | undefined,
  selection: ExportSelection,
): Promise<Start> {
  const begun = left && (await readBeginning(storage, left, selection))
  const checkpoint = begun ?? (await requireCheckpoint(storage))
  let count = 0
  async function* readStreams({ records }: LeftExport): AsyncGenerator<WrittenStream> {
    for await (const record of records) {
      if (record.kind !== "stream") return
      count += 1
      yield record
    }
  }
  const written = begun && left && readStreams(left)
  return { checkpoint, written, resumedTasks: () => count }
}

/** Undefined if it was cut off before its checkpoint. Rejects with a `CommandError` if it is of another export. */
async function readBeginning(
  storage: Storage,
  { path, records }: LeftExport,
  selection: ExportSelection,
): Promise<KeptCheckpoint | undefined> {
  const header = (await records.next()).value
  const record = (await records.next()).value
  if (header?.kind !== "header" || record?.kind !== "checkpoint") return undefined
  if (!isDeepStrictEqual({ ...header.selection }, { ...selection })) {
    throw refused(`${path} is of other tasks: give the options of then, or remove it`)
  }
  const kept = await findKept(storage, record.note)
  if (kept?.note === record.note) return kept
  throw refused(`${path} is under a checkpoint that this database does not have: remove it`)
}

/** The one of its size, if the note is a checkpoint. */
async function findKept(storage: Storage, note: string): Promise<KeptCheckpoint | undefined> {
  const { isRefusal, parseCheckpoint, parseNote } = await import("@safelight/proof")
  const parsed = parseNote(note)
  const checkpoint = isRefusal(parsed) ? parsed : parseCheckpoint(parsed.text)
  return isRefusal(checkpoint) ? undefined : storage.findCheckpoint({ mostSize: checkpoint.size })
}
