/**
 * Archived tasks, read where their rows say that their events are. The row has the hash of the newest event, so a segment
 * that was exchanged is found by every read.
 */
import {
  createSemaphore,
  fold,
  fromSnapshot,
  openEvent,
  SafelightError,
  toTaskRow,
  type ArchivedStream,
  type ArchivePart,
  type ArchiveReader,
  type ArchiveSegment,
  type StreamHead,
  type Task,
  type TaskRow,
} from "@safelight/core"
import { ARCHIVE_STATEMENTS } from "./archive-statements.ts"
import { findArchivePart } from "./archived-snapshot.ts"
import type { Connections } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import type { ArchiveSegmentRow } from "./sql/tables.ts"

/** A task's row, as far as its head is made of it. */
export interface HeadRow {
  readonly task: string
  readonly hash: string
  readonly snapshot: string
}

export interface ArchivedRows<Row> {
  readonly read: () => Promise<readonly Row[]>
  readonly fromStream: (stream: ArchivedStream) => readonly Row[]
}

/** Parts that are read at once: a page of a list may need one for each of its tasks. */
const READS_AT_ONCE = 8

export interface ArchivedStreams {
  useArchive(reader: ArchiveReader): void
  /** Of a row's task; undefined if it is not archived. */
  findStream(row: HeadRow): Promise<ArchivedStream | undefined>
  /** What `read` gives of a task, or what its archived stream has in place of nothing. */
  readRows<Row>(task: string, rows: ArchivedRows<Row>): Promise<readonly Row[]>
  /** The task of a row, archived or not. */
  openTask(row: HeadRow): Promise<Task>
  /** Everything that a part has. */
  readPart(part: ArchivePart): Promise<readonly ArchivedStream[]>
  /** Asks the reader for anything else. Rejects as it does, and if there is none. */
  ask<Answer>(question: (reader: ArchiveReader) => Promise<Answer>): Promise<Answer>
}

export function createArchivedStreams(
  { read }: Pick<Connections, "read">,
  compiler: Compiler,
): ArchivedStreams {
  const { findRow } = ARCHIVE_STATEMENTS(compiler)
  const { ask, readPart, useArchive } = createPartReads({ read }, compiler)

  async function openStream(part: ArchivePart, { hash, task }: HeadRow): Promise<ArchivedStream> {
    const stream = (await readPart(part)).find((each) => each.task === task)
    if (stream?.events.at(-1)?.hash === hash) return stream
    throw corrupt(
      `segment ${part.segment} of the archive does not hold task ${task} as it was archived`,
    )
  }

  async function findStream(row: HeadRow): Promise<ArchivedStream | undefined> {
    const part = findArchivePart(row.snapshot)
    if (part === undefined) return undefined
    try {
      return await openStream(part, row)
    } catch (error) {
      const [now] = await read(findRow, { task: row.task })
      if (now?.snapshot === row.snapshot) throw error
      const message = `task ${row.task} was moved while it was read`
      throw new SafelightError({
        code: "storage-unavailable",
        message,
        retryable: true,
        cause: error,
      })
    }
  }

  return {
    useArchive,
    findStream,
    async readRows(task, { fromStream, read: readAgain }) {
      const rows = await readAgain()
      if (rows.length > 0) return rows
      const [row] = await read(findRow, { task })
      if (row === undefined) return rows
      const stream = await findStream(row)
      // It may have been restored between the two reads.
      return stream === undefined ? readAgain() : fromStream(stream)
    },
    async openTask(row) {
      const stream = await findStream(row)
      return stream === undefined ? fromSnapshot(row.snapshot) : toArchivedHead(stream).task
    },
    readPart,
    ask,
  }
}

function createPartReads(
  { read }: Pick<Connections, "read">,
  compiler: Compiler,
): Pick<ArchivedStreams, "ask" | "readPart" | "useArchive"> {
  const { listSegments } = ARCHIVE_STATEMENTS(compiler)
  const reads = createSemaphore({ permits: READS_AT_ONCE, name: "reads of the archive" })
  let reader: ArchiveReader | undefined
  /** Where a segment is never changes: one that is not known is looked up. */
  let segments: ReadonlyMap<number, ArchiveSegment> = new Map()

  async function findSegment(id: number): Promise<ArchiveSegment> {
    if (!segments.has(id)) {
      const rows = await read(listSegments, {})
      segments = new Map(rows.map((row) => [row.id, toSegment(row)]))
    }
    const segment = segments.get(id)
    if (segment === undefined) throw corrupt(`there is no segment ${id} of the archive`)
    return segment
  }

  async function ask<Answer>(
    question: (reader: ArchiveReader) => Promise<Answer>,
  ): Promise<Answer> {
    const known = reader
    if (known !== undefined) return reads.run(() => question(known))
    const message = "the archive can't be read: nothing was given to read it with (useArchive)"
    throw new SafelightError({ code: "storage-unavailable", message })
  }

  return {
    useArchive(given) {
      reader = given
    },
    ask,
    async readPart({ bytes, offset, segment: id }) {
      const request = { segment: await findSegment(id), offset, bytes }
      return ask((known) => known.read(request))
    },
  }
}

/** Both are there once a segment is kept. */
export function toSegment({ locator, sha256, ...segment }: ArchiveSegmentRow): ArchiveSegment {
  return { ...segment, locator: locator ?? "", sha256: sha256 ?? "" }
}

/** The task as its events leave it. Throws as `openEvent` does, and `storage-corrupt` if they lead nowhere. */
export function toArchivedHead({ events, task }: ArchivedStream): StreamHead {
  const hash = events.at(-1)?.hash ?? ""
  try {
    return { task: fold(task, events.map(openEvent)), hash }
  } catch (error) {
    if (error instanceof RangeError) throw corrupt(`archived task ${task}: ${error.message}`)
    throw error
  }
}

/** What would stand in the database of it. */
export function toArchivedRow(stream: ArchivedStream): TaskRow {
  const { hash, task } = toArchivedHead(stream)
  return toTaskRow(task, hash)
}

function corrupt(message: string): SafelightError {
  return new SafelightError({ code: "storage-corrupt", message })
}
