/**
 * The first reading of an export: proves the file, every chain in it and every commitment, and that all
 * of it can be imported into a database. Nothing is written, so that a refused export leaves no trace.
 */
import {
  isAccountName,
  isTerminal,
  toArtifactFolder,
  type Digest,
  type StoredEvent,
  type Task,
} from "@safelight/core"
import { checkMoments } from "./check-moments.ts"
import { checkStream, type CheckedStream } from "./check-stream.ts"
import { createFit, type ExportTarget } from "./check-target.ts"
import { createSums } from "./check-sums.ts"
import { refused, type ExportRecord, type RecordOf } from "./export-format.ts"
import {
  addKeys,
  type BroughtApiKey,
  type BroughtKeys,
  type BroughtLinkKey,
} from "./brought-keys.ts"
import { hashRequest } from "./hash-request.ts"
import { findDefinitionFault } from "./named-definitions.ts"
import { readExport } from "./read-export.ts"

export interface CheckOptions {
  /** Opens the file at its beginning; called once. */
  readonly open: () => AsyncIterable<Uint8Array>
  readonly digest: Digest
  /** Milliseconds. No moment of the file may be more than a minute later. */
  readonly now: number
  /** The database for the import; absent: the file alone is judged. */
  readonly target?: ExportTarget
  /** Whether keys that the target does not know are allowed though it holds something. */
  readonly withKeys?: boolean
  readonly onProgress?: (progress: { readonly streams: number }) => void
}

/** What an export says of itself, proved. */
export interface ExportManifest
  extends Omit<RecordOf<"header">, "kind" | "format">, Omit<RecordOf<"trailer">, "kind"> {
  /** Tasks that are not finished. */
  readonly unfinished: number
  /** The keys that it brings. */
  readonly brought: BroughtKeys
}

/**
 * Rejects with `export-refused`, in words that name the line, the task or the account, and as the file and
 * the target do.
 */
export async function checkExport(options: CheckOptions): Promise<ExportManifest> {
  const { open, digest, now, target, onProgress } = options
  let header: RecordOf<"header"> | undefined
  let trailer: RecordOf<"trailer"> | undefined
  const fit = await createFit(target, options)
  const sums = createSums(target)
  const brought = { apiKeys: [] as BroughtApiKey[], linkKeys: [] as BroughtLinkKey[] }
  let [streams, unfinished] = [0, 0]
  for await (const { record } of readExport(open())) {
    checkMoments(record, now)
    if (record.kind === "header") header = record
    if (record.kind === "trailer") trailer = record
    addKeys(brought, record)
    const fault = findRecordFault(record, digest)
    if (fault !== undefined) throw refused(fault)
    if (record.kind === "stream") {
      const { task } = checkRecord(record, digest)
      await sums.add(task)
      unfinished += Number(!isTerminal(task))
      streams += 1
      onProgress?.({ streams })
    }
    await fit.check(record)
  }
  if (header === undefined || trailer === undefined) throw refused("the file is empty")
  if (unfinished > 0 && !header.isSealed) throw unsealed(unfinished)
  fit.checkKeys(trailer.sha256)
  const { kind: _header, format: _format, ...made } = header
  const { kind: _trailer, ...counted } = trailer
  return { ...made, ...counted, unfinished, brought }
}

/** A stream of the file, proved. Throws `export-refused`. */
export function checkRecord(
  record: RecordOf<"stream">,
  digest: Digest,
): Extract<CheckedStream, { kind: "whole" }> {
  const checked = checkStream({ id: record.task, events: toEvents(record) }, digest)
  if (checked.kind === "faulty") throw refused(checked.words)
  checkCommitment(record, checked.task, digest)
  checkAccount(checked.task)
  checkLocators(checked.task, digest)
  return checked
}

function checkAccount({ account, id }: Task): void {
  if (isAccountName(account)) return
  throw refused(`the account of task ${id} is not 1 to 200 printable characters`)
}

/** Otherwise the bytes of another task would be served as this one's, and removed with it. */
function checkLocators({ id, artifacts }: Task, digest: Digest): void {
  const folder = toArtifactFolder(id, (text) => digest([text]))
  const stray = artifacts.find(({ locator }) => !locator.startsWith(`${folder}/`))
  if (stray === undefined) return
  throw refused(`the locator of ${stray.key} of task ${id} is not in that task's folder`)
}

export function toEvents({ task, events }: RecordOf<"stream">): StoredEvent[] {
  return events.map((event) => ({ ...event, sealed: event.sealed ?? null, task }))
}

/** The request is the one that the log is committed to. */
function checkCommitment(
  { inputs, task: id }: RecordOf<"stream">,
  task: Task,
  digest: Digest,
): void {
  const found = hashRequest(inputs, digest)
  if (found === undefined || found === task.commitment) return
  throw refused(`the request of task ${id} is not the one that its log is committed to`)
}

/** What is wrong with a record by itself. */
function findRecordFault(record: ExportRecord, digest: Digest): string | undefined {
  if (record.kind === "checkpoint") return FOR_AUDITORS
  return record.kind === "definition" ? findDefinitionFault(record.definition, digest) : undefined
}

/** It has no accounts, keys and prompts, and tasks only as far as they were signed. */
const FOR_AUDITORS =
  "the file is for auditors: `safelight audit check` reads it, and nothing imports it"

function unsealed(unfinished: number): Error {
  return refused(
    `${unfinished} tasks are not finished, and where they come from they may go on: ` +
      "make the export with --move, which seals it",
  )
}
