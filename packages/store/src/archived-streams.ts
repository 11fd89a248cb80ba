/**
 * Archived tasks, read where their rows say that their events are. The row has the hash of the newest event, so a segment
 * that was exchanged is found by every read.
 */
import {
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
} from "@safelight/core"
import { ARCHIVE_STATEMENTS } from "./archive-statements.ts"
import { findArchivePart } from "./archived-snapshot.ts"
import type { Connections } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"

/** A task's row, as far as its head is made of it. */
export interface HeadRow {
  readonly task: string
  readonly hash: string
  readonly snapshot: string
}

export interface ArchivedStreams {
  useArchive(reader: ArchiveReader): void
  /** Of a row's task; undefined if it is not archived. */
  findStream(row: HeadRow): Promise<ArchivedStream | undefined>
  /** The same of a task by its id, also if there is none. */
  findTaskStream(task: string): Promise<ArchivedStream | undefined>
  /** The task of a row, archived or not. */
  openTask(row: HeadRow): Promise<Task>
  /** Everything that a part has. */
  readPart(part: ArchivePart): Promise<readonly ArchivedStream[]>
}

export function createArchivedStreams(
  { read }: Pick<Connections, "read">,
  compiler: Compiler,
): ArchivedStreams {
  const { findRow, listSegments } = ARCHIVE_STATEMENTS(compiler)
  let reader: ArchiveReader | undefined
  /** Segments never change: one that is not known is looked up. */
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

  async function readPart({ bytes, offset, segment: id }: ArchivePart) {
    if (reader === undefined) {
      const message = `segment ${id} of the archive can't be read: nothing was given to read it with (useArchive)`
      throw new SafelightError({ code: "storage-unavailable", message })
    }
    return reader.read({ segment: await findSegment(id), offset, bytes })
  }

  async function findStream({ hash, snapshot, task }: HeadRow) {
    const part = findArchivePart(snapshot)
    if (part === undefined) return undefined
    const stream = (await readPart(part)).find((each) => each.task === task)
    if (stream?.events.at(-1)?.hash === hash) return stream
    throw corrupt(
      `segment ${part.segment} of the archive does not hold task ${task} as it was archived`,
    )
  }

  return {
    useArchive(given) {
      reader = given
    },
    findStream,
    async findTaskStream(task) {
      const [row] = await read(findRow, { task })
      return row && findStream(row)
    },
    async openTask(row) {
      const stream = await findStream(row)
      return stream === undefined ? fromSnapshot(row.snapshot) : toArchivedHead(stream).task
    },
    readPart,
  }
}

/** Both are there once a segment is kept. */
export function toSegment({
  locator,
  sha256,
  ...segment
}: Omit<ArchiveSegment, "locator" | "sha256"> & {
  readonly locator: string | null
  readonly sha256: string | null
}): ArchiveSegment {
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

/** What would stand in the task's row. */
export function toArchivedRow(stream: ArchivedStream): ReturnType<typeof toTaskRow> {
  const { hash, task } = toArchivedHead(stream)
  return toTaskRow(task, hash)
}

function corrupt(message: string): SafelightError {
  return new SafelightError({ code: "storage-corrupt", message })
}
