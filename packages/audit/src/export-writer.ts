/** The lines of an export; what its trailer says of them is gathered on the way. */
import { createHash } from "node:crypto"
import { SafelightError } from "@safelight/core"
import {
  countRecord,
  FORMAT,
  MAX_LINE_BYTES,
  NO_COUNTS,
  VERSION,
  type BodyRecord,
  type ExportCounts,
  type ExportRecord,
  type RecordOf,
} from "./export-format.ts"

/** Each gives one line with its break. They throw `storage-corrupt` for a record that does not fit into a line. */
export interface ExportWriter {
  begin(header: Omit<RecordOf<"header">, "format" | "kind" | "version">): string
  add(record: BodyRecord): string
  /** The trailer: nothing may follow it. */
  end(): string
  /** So far. */
  readonly counts: ExportCounts
}

export function createExportWriter(): ExportWriter {
  const hash = createHash("sha256")
  let counts = NO_COUNTS

  function write(record: ExportRecord): string {
    const line = toLine(record)
    hash.update(line)
    return line
  }

  return {
    begin: (header) => write({ kind: "header", format: FORMAT, version: VERSION, ...header }),
    add(record) {
      counts = countRecord(counts, record)
      return write(record)
    },
    end: () => toLine({ kind: "trailer", ...counts, sha256: hash.digest("hex") }),
    get counts() {
      return counts
    },
  }
}

function toLine(record: ExportRecord): string {
  const line = `${JSON.stringify(record)}\n`
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line
  const message = `a task with its side records is larger than a line of ${MAX_LINE_BYTES} bytes`
  throw new SafelightError({ code: "storage-corrupt", message })
}
