/**
 * Reads an export record by record, in constant memory. Order, counts and digest are checked on the
 * way, so that the file is known to be whole only after its last record: a caller that must not act on
 * half a file reads it twice.
 */
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { isSafelightError } from "@safelight/core"
import {
  countRecord,
  exportRecord,
  NO_COUNTS,
  refused,
  type BodyRecord,
  type ExportCounts,
  type ExportRecord,
  type RecordOf,
} from "./export-format.ts"
import { parseRecord } from "./parse-record.ts"
import { splitLines } from "./split-lines.ts"

export interface ReadRecord {
  readonly record: ExportRecord
  /** Of its line. */
  readonly bytes: number
}

/** Rejects with `export-refused`, naming the line, and with the body's own error. */
export async function* readExport(body: AsyncIterable<Uint8Array>): AsyncGenerator<ReadRecord> {
  const hash = createHash("sha256")
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let counts = NO_COUNTS
  let last: ExportRecord | undefined
  let number = 0
  for await (const line of splitLines(body)) {
    number += 1
    const record = atLine(number, () => {
      const parsed = parseRecord(toText(line, decoder))
      checkPlace(last, parsed)
      if (parsed.kind === "trailer") checkTrailer(parsed, counts, hash.digest("hex"))
      return parsed
    })
    if (record.kind !== "trailer") hash.update(line)
    if (isBody(record)) counts = countRecord(counts, record)
    last = record
    yield { record, bytes: line.length }
  }
  if (last?.kind !== "trailer") throw refused("the file is cut: its last line is missing")
}

function isBody(record: ExportRecord): record is BodyRecord {
  return record.kind !== "header" && record.kind !== "trailer"
}

/** Only whole lines of UTF-8 were ever written. */
function toText(line: Uint8Array, decoder: TextDecoder): string {
  if (line.at(-1) !== 10) throw refused("the file is cut in it")
  try {
    return decoder.decode(line)
  } catch {
    throw refused("it is not UTF-8")
  }
}

function atLine<Result>(number: number, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!isSafelightError(error)) throw error
    throw refused(`line ${number} of the export: ${error.message}`, error)
  }
}

const ORDER: readonly ExportRecord["kind"][] = exportRecord.options.map(
  ({ entries }) => entries.kind.literal,
)

function checkPlace(last: ExportRecord | undefined, record: ExportRecord): void {
  if (last === undefined || record.kind === "header") {
    if (last === undefined && record.kind === "header") return
    throw refused("an export has one header, on its first line")
  }
  if (last.kind === "trailer") throw refused("an export ends with its trailer")
  const isSecond = record.kind === "checkpoint" && last.kind === "checkpoint"
  if (isSecond || ORDER.indexOf(record.kind) < ORDER.indexOf(last.kind)) {
    throw refused(`a ${record.kind} stands behind a ${last.kind}`)
  }
  if (!isAscending(last, record)) throw refused("ids are not in order, or stand there twice")
}

function isAscending(before: ExportRecord, record: ExportRecord): boolean {
  const [one, other] = [toId(before), toId(record)]
  if (before.kind !== record.kind || one === undefined || other === undefined) return true
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
}

function toId(record: ExportRecord): string | undefined {
  if (record.kind === "account") return record.account.id
  return record.kind === "stream" ? record.task : undefined
}

function checkTrailer(trailer: RecordOf<"trailer">, counts: ExportCounts, sha256: string): void {
  const { kind: _kind, sha256: expected, ...counted } = trailer
  if (expected !== sha256) throw refused("the file is not what its digest says: it was altered")
  if (!isDeepStrictEqual(counted, counts)) throw refused("the counts are not those of the file")
}
