/**
 * The first reading of an export: proves the file, every chain in it and every commitment, and that a
 * database can take all of it in. Nothing is written, so an export that is refused leaves no trace.
 */
import { isDeepStrictEqual } from "node:util"
import {
  isTerminal,
  NO_LIMITS,
  type Account,
  type Digest,
  type Storage,
  type StoredEvent,
  type Task,
} from "@safelight/core"
import { checkStream, type CheckedStream } from "./check-stream.ts"
import {
  refused,
  type ExportRecord,
  type HeaderRecord,
  type KeyRecord,
  type StreamRecord,
  type TrailerRecord,
} from "./export-format.ts"
import { readExport } from "./read-export.ts"

export type ExportTarget = Pick<Storage, "findAccount" | "findKey" | "readEvents" | "scan">

export interface CheckOptions {
  /** Opens the file at its beginning; called once. */
  readonly open: () => AsyncIterable<Uint8Array>
  readonly digest: Digest
  /** Where it is to be taken in; absent: the file alone is judged. */
  readonly target?: ExportTarget
  readonly onProgress?: (progress: { readonly streams: number }) => void
}

/** What an export says of itself, proved. */
export interface ExportManifest
  extends Omit<HeaderRecord, "kind" | "format">, Omit<TrailerRecord, "kind"> {
  readonly unfinished: number
}

/** Rejects with `export-refused`, in words that name the line, the task or the account. */
export async function checkExport(options: CheckOptions): Promise<ExportManifest> {
  const { open, digest, target, onProgress } = options
  let header: HeaderRecord | undefined
  let trailer: TrailerRecord | undefined
  const fit = target && (await createFit(target))
  let [streams, unfinished] = [0, 0]
  for await (const { record } of readExport(open())) {
    if (record.kind === "header") header = record
    if (record.kind === "trailer") trailer = record
    if (record.kind === "stream") {
      const { task } = checkRecord(record, digest)
      unfinished += Number(!isTerminal(task))
      streams += 1
      onProgress?.({ streams })
    }
    await fit?.(record)
  }
  if (header === undefined || trailer === undefined) throw refused("the file is empty")
  if (unfinished > 0 && !header.isSealed) throw unsealed(unfinished)
  const { kind: _header, format: _format, ...made } = header
  const { kind: _trailer, ...counted } = trailer
  return { ...made, ...counted, unfinished }
}

/** A stream of the file, proved. Throws `export-refused`. */
export function checkRecord(
  record: StreamRecord,
  digest: Digest,
): Extract<CheckedStream, { kind: "whole" }> {
  const checked = checkStream({ id: record.task, events: toEvents(record) }, digest)
  if (checked.kind === "faulty") throw refused(checked.words)
  checkCommitment(record, checked.task, digest)
  return checked
}

export function toEvents({ task, events }: StreamRecord): StoredEvent[] {
  return events.map((event) => ({ ...event, task }))
}

/** What was asked for is what the log is committed to. */
function checkCommitment({ inputs, task: id }: StreamRecord, task: Task, digest: Digest): void {
  const request = inputs.find(({ name }) => name === "request")
  if (request === undefined) return
  const isHexadecimal = /^(?:[0-9a-f]{2})+$/.test(request.salt)
  if (isHexadecimal && digest([{ hex: request.salt }, request.body]) === task.commitment) return
  throw refused(`the request of task ${id} is not the one that its log is committed to`)
}

type Fit = (record: ExportRecord) => Promise<void>

/** Rejects on a record that contradicts what is there. */
async function createFit(target: ExportTarget): Promise<Fit> {
  // Mostly there is no task yet, and then none has to be looked for.
  const hasTasks = (await target.scan({ after: "", limit: 1 })).streams.length > 0
  return async (record) => {
    if (record.kind === "account") await checkAccount(record.account, target)
    if (record.kind === "key") await checkKey(record, target)
    if (record.kind === "stream" && hasTasks) await checkTask(record, target)
  }
}

async function checkAccount(account: Account, target: ExportTarget): Promise<void> {
  const { createdAt: _createdAt, id, ...settings } = account
  const known = await target.findAccount(id)
  if (known === undefined) return
  const { createdAt: _knownAt, id: _id, ...kept } = known
  if (isDeepStrictEqual(kept, settings) || isDeepStrictEqual(kept, NO_LIMITS)) return
  throw refused(`account "${id}" has other settings where it is to be imported`)
}

async function checkKey({ key }: KeyRecord, target: ExportTarget): Promise<void> {
  const known = await target.findKey(key.id)
  if (known === undefined) return
  if (known.secretSha256 === key.secretSha256 && known.account === key.account) return
  throw refused(`key ${key.id} is another one where it is to be imported`)
}

/** The same stream may be there, also where it went on. */
async function checkTask(record: StreamRecord, target: ExportTarget): Promise<void> {
  const known = await target.readEvents(record.task)
  const last = record.events.at(-1)
  if (known.length === 0 || known[record.events.length - 1]?.hash === last?.hash) return
  throw refused(`task ${record.task} has another log where it is to be imported`)
}

function unsealed(unfinished: number): Error {
  return refused(
    `${unfinished} tasks are not finished, and where they come from they may go on: ` +
      "make the export with --move, which seals it",
  )
}
