/**
 * Moves finished tasks from the database into segments of the archive. A segment is whole and durable before the first
 * task leaves the database, and each part of it is read back and proved just before its tasks do: so whatever is killed
 * where, every task is in the database or in a segment that can be read. What a segment holds of a task that did not
 * leave, since the process was killed or the task changed, is never read.
 */
import {
  ARCHIVE_TASK,
  SafelightError,
  type ArchiveSegment,
  type ArtifactStorage,
  type Digest,
  type EventType,
  type Storage,
  type StoredEvent,
} from "@safelight/core"
import { checkStream } from "./check-stream.ts"
import type { RecordOf } from "./export-format.ts"
import { toSignedRecord, type ExportedLeaf } from "./export-streams.ts"
import { createArchiveReader, MOST_PART_BYTES } from "./segment-reader.ts"
import { createSegmentWriter, type WrittenPart } from "./segment-writer.ts"

export interface ArchiveOptions {
  readonly storage: ArchiveSource
  readonly artifacts: Pick<ArtifactStorage, "open" | "put">
  readonly digest: Digest
  /** Milliseconds. */
  readonly now: number
  /** Milliseconds: tasks that ended before are moved. */
  readonly finishedBefore: number
  /** A signed checkpoint that has their events. */
  readonly checkpoint: string
  /** Of a task's events, in order, each with its proof, as far as the checkpoint has them. */
  readonly readLeaves: (task: string) => Promise<readonly ExportedLeaf[]>
  /** Of one segment; 50,000 by default. */
  readonly segmentTasks?: number
  /** After each part that was moved. */
  readonly onProgress?: (progress: Pick<ArchiveReport, "segments" | "tasks">) => void
}

export type ArchiveSource = Pick<
  Storage,
  | "archiveTasks"
  | "beginSegment"
  | "keepSegment"
  | "listArchivable"
  | "listDefinitions"
  | "readEvents"
>

export interface ArchiveReport {
  /** `busy`: another process is writing a segment, and nothing more was done. */
  readonly outcome: "busy" | "done"
  readonly segments: number
  /** Tasks that left the database. */
  readonly tasks: number
  readonly events: number
  /** Of the segments. */
  readonly bytes: number
  /** Tasks that stay since the checkpoint does not have all of their events, or they are too large. */
  readonly left: number
}

const SEGMENT_TASKS = 50_000

/** After which a segment that is being written counts as given up. */
const WRITE_MS = 3_600_000

const PAGE_TASKS = 500

const LAST: ReadonlySet<string> = new Set(["expired", "failed"] satisfies EventType[])

/**
 * Rejects as both storages do, with `storage-corrupt` at the first task that is not as it was written, and where a
 * segment that was just written is not read back as it was. Tasks that were moved until then stay so.
 */
export async function archiveTasks(options: ArchiveOptions): Promise<ArchiveReport> {
  const { segmentTasks = SEGMENT_TASKS } = options
  const done = { segments: 0, tasks: 0, events: 0, bytes: 0, left: 0 }
  const ready = readArchivable(options, () => (done.left += 1))
  const { onProgress = () => {} } = options
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one segment after the other
      const first = await ready.next()
      if (first.done === true) return { outcome: "done", ...done }
      const streams = continueWith(first.value, ready, segmentTasks)
      // oxlint-disable-next-line no-await-in-loop -- see above
      const written = await writeSegment(options, streams)
      if (written === undefined) return { outcome: "busy", ...done }
      const { parts, segment } = written
      done.segments += 1
      done.bytes += segment.bytes
      // oxlint-disable-next-line no-await-in-loop -- see above
      await moveTasks(options, segment, parts, (moved) => {
        done.tasks += moved.tasks
        done.events += moved.events
        onProgress({ segments: done.segments, tasks: done.tasks })
      })
    }
  } finally {
    await ready.return(undefined)
  }
}

/** Tasks that may leave the database, in the order of their ids. */
async function* readArchivable(
  { finishedBefore, readLeaves, storage }: ArchiveOptions,
  onLeft: () => void,
): AsyncGenerator<RecordOf<"stream">, undefined> {
  // A task's id begins with the moment at which it was made, which is before its end.
  const below = toLeastId(finishedBefore)
  for (let after = ""; ;) {
    const request = { finishedBefore, after, below, limit: PAGE_TASKS }
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const page = await storage.listArchivable(request)
    for (const task of page) {
      // oxlint-disable-next-line no-await-in-loop -- the next is read once this one is written
      const [events, leaves] = await Promise.all([storage.readEvents(task), readLeaves(task)])
      // No event may follow these. Another task lacks its place with retention, which is for an audit to tell.
      if (!LAST.has(events.at(-1)?.type ?? "")) continue
      const record = toSignedRecord(task, events, leaves, true)
      if (leaves.length === events.length && isSmall(events)) yield record
      else onLeft()
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_TASKS) return undefined
    after = last
  }
}

/** Whether its line fits into a part, with its proofs. */
function isSmall(events: readonly StoredEvent[]): boolean {
  const characters = events.reduce(
    (sum, { data, sealed }) => sum + data.length + (sealed?.length ?? 0),
    0,
  )
  return characters < MOST_PART_BYTES / 16
}

/** No id of that moment or later is below it. */
function toLeastId(at: number): string {
  const time = at.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-0000-0000-000000000000`
}

async function* continueWith<Value>(
  first: Value,
  rest: AsyncIterator<Value>,
  limit: number,
): AsyncGenerator<Value> {
  yield first
  for (let count = 1; count < limit; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const next = await rest.next()
    if (next.done === true) return
    yield next.value
  }
}

/** Under which its file is stored. */
export function toSegmentKey(id: number): string {
  return `segment-${id}`
}

interface WrittenSegment {
  readonly segment: ArchiveSegment
  readonly parts: readonly WrittenPart[]
}

/** Undefined while another process writes one. */
async function writeSegment(
  { artifacts, checkpoint, digest, now: at, storage }: ArchiveOptions,
  streams: AsyncIterable<RecordOf<"stream">>,
): Promise<WrittenSegment | undefined> {
  const id = await storage.beginSegment({ at, since: at - WRITE_MS })
  if (id === undefined) return undefined
  const writer = createSegmentWriter({ storage, digest, now: at, checkpoint, streams })
  const name = { task: ARCHIVE_TASK, key: toSegmentKey(id) }
  const stored = await artifacts.put({ ...name, body: writer.body })
  const { events: eventCount, streams: taskCount } = writer.counts
  const segment = { id, at, ...stored, taskCount, eventCount }
  await storage.keepSegment(segment)
  return { segment, parts: writer.parts }
}

async function moveTasks(
  { artifacts, digest, storage }: ArchiveOptions,
  segment: ArchiveSegment,
  parts: readonly WrittenPart[],
  onMoved: (moved: { readonly tasks: number; readonly events: number }) => void,
): Promise<void> {
  const reader = createArchiveReader({ artifacts: async () => artifacts })
  for (const { bytes, offset, tasks } of parts) {
    // oxlint-disable-next-line no-await-in-loop -- others commit between two parts
    const streams = await reader.read({ segment, offset, bytes })
    const eventsOf = new Map(streams.map(({ events, task }) => [task, events]))
    let events = 0
    for (const { hash, task } of tasks) {
      const read = eventsOf.get(task) ?? []
      const checked = checkStream({ id: task, events: read }, digest)
      if (checked.kind === "faulty" || checked.hash !== hash) throw unlike(segment, task)
      events += read.length
    }
    const part = { segment: segment.id, offset, bytes }
    // oxlint-disable-next-line no-await-in-loop -- see above
    onMoved({ tasks: await storage.archiveTasks({ part, tasks }), events })
  }
}

function unlike({ id }: ArchiveSegment, task: string): SafelightError {
  const message = `segment ${id} of the archive was not read back as it was written, first at task ${task}: its tasks stay in the database`
  return new SafelightError({ code: "storage-corrupt", message })
}
