/**
 * Moves finished tasks from the database into segments of the archive. A segment is whole and durable before the first
 * task leaves the database, and each part of it is read back and proved just before its tasks do: so whatever is killed
 * where, every task is in the database or in a segment that can be read. What a segment holds of a task that did not
 * leave, since the process was killed or the task changed, is never read.
 */
import { setImmediate } from "node:timers/promises"
import {
  ARCHIVE_TASK,
  type ArchivablePage,
  SafelightError,
  type ArchiveSegment,
  type ArtifactStorage,
  type Digest,
  type EventType,
  type Storage,
  type StoredEvent,
} from "@safelight/core"
import { checkStream } from "./check-stream.ts"
import { toSignedRecord, type ExportedLeaf } from "./export-streams.ts"
import { createSegmentReader, MOST_PART_BYTES } from "./segment-reader.ts"
import { createSegmentWriter, type WrittenPart, type WrittenTask } from "./segment-writer.ts"

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
  /** Of the segments. */
  readonly bytes: number
  /**
   * Tasks that stay: the checkpoint does not have all of their events, they are larger than a part may be, or their chain
   * is not whole, which an audit tells.
   */
  readonly left: number
}

const SEGMENT_TASKS = 50_000

/** Within which a segment must be written: then it counts as given up. */
const WRITE_MS = 3_600_000

const PAGE_TASKS = 500

const LAST: ReadonlySet<string> = new Set(["expired", "failed"] satisfies EventType[])

/**
 * Rejects as both storages do, and with `storage-corrupt` where a segment that was just written is not read back as it
 * was. Tasks that were moved until then stay so.
 */
export async function archiveTasks(options: ArchiveOptions): Promise<ArchiveReport> {
  const { segmentTasks = SEGMENT_TASKS } = options
  const done = { segments: 0, tasks: 0, bytes: 0, left: 0 }
  const ready = readArchivable(options, () => (done.left += 1))
  const { onProgress = () => {} } = options
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one segment after the other
      const first = await ready.next()
      if (first.done === true) return { outcome: "done", ...done }
      const tasks = continueWith(first.value, ready, segmentTasks)
      // oxlint-disable-next-line no-await-in-loop -- see above
      const written = await writeSegment(options, tasks)
      if (written === undefined) return { outcome: "busy", ...done }
      const { parts, segment } = written
      done.segments += 1
      done.bytes += segment.bytes
      // oxlint-disable-next-line no-await-in-loop -- see above
      await moveTasks(options, segment, parts, (moved) => {
        done.tasks += moved
        onProgress({ segments: done.segments, tasks: done.tasks })
      })
    }
  } finally {
    await ready.return(undefined)
  }
}

/** Tasks that may leave the database, in the order of their ids. */
async function* readArchivable(
  options: ArchiveOptions,
  onLeft: () => void,
): AsyncGenerator<WrittenTask, undefined> {
  const { finishedBefore, storage } = options
  // A task's id begins with the moment at which it was made, which is before its end.
  const below = toLeastId(finishedBefore)
  for (let after: string | null = ""; after !== null;) {
    const request = { finishedBefore, after, below, limit: PAGE_TASKS }
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const page: ArchivablePage = await storage.listArchivable(request)
    for (const task of page.tasks) {
      // oxlint-disable-next-line no-await-in-loop -- the next is read once this one is written
      const read = await readTask(task, options)
      if (typeof read === "object") yield read
      else if (read === "left") onLeft()
    }
    after = page.next
    // SQLite answers at once, and others must come in between.
    // oxlint-disable-next-line no-await-in-loop -- see above
    await setImmediate()
  }
  return undefined
}

/** `unfinished`: it lacks its place with retention, which is for an audit to tell. */
async function readTask(
  id: string,
  { digest, readLeaves, storage }: ArchiveOptions,
): Promise<WrittenTask | "left" | "unfinished"> {
  const [events, leaves] = await Promise.all([storage.readEvents(id), readLeaves(id)])
  // No event may follow these.
  if (!LAST.has(events.at(-1)?.type ?? "")) return "unfinished"
  const checked = checkStream({ id, events }, digest)
  const isProved = leaves.length === events.length && isSmall(events)
  if (checked.kind === "faulty" || !isProved) return "left"
  const { hash, task } = checked
  return { record: toSignedRecord(id, events, leaves, true), hash, task }
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
  tasks: AsyncIterable<WrittenTask>,
): Promise<WrittenSegment | undefined> {
  const id = await storage.beginSegment({ at, withinMs: WRITE_MS })
  if (id === undefined) return undefined
  const writer = createSegmentWriter({ storage, digest, now: at, checkpoint, tasks })
  const name = { task: ARCHIVE_TASK, key: toSegmentKey(id) }
  const stored = await artifacts.put({ ...name, body: writer.body })
  const { events: eventCount } = writer.counts
  const segment = { id, at, ...stored, taskCount: 0, eventCount }
  await storage.keepSegment(segment)
  return { segment, parts: writer.parts }
}

async function moveTasks(
  { artifacts, digest, storage }: ArchiveOptions,
  segment: ArchiveSegment,
  parts: readonly WrittenPart[],
  onMoved: (tasks: number) => void,
): Promise<void> {
  const reader = createSegmentReader({ artifacts, digest })
  for (const { bytes, offset, tasks } of parts) {
    // oxlint-disable-next-line no-await-in-loop -- others commit between two parts
    const streams = await reader.read({ segment, offset, bytes })
    const hashes = new Map(streams.map(({ events, task }) => [task, events.at(-1)?.hash]))
    const lost = tasks.find(({ hash, task }) => hashes.get(task) !== hash)
    if (lost !== undefined) throw unlike(segment, lost.task)
    const part = { segment: segment.id, offset, bytes }
    // oxlint-disable-next-line no-await-in-loop -- see above
    onMoved(await storage.archiveTasks({ part, tasks }))
  }
}

function unlike({ id }: ArchiveSegment, task: string): SafelightError {
  const message = `segment ${id} of the archive was not read back as it was written, first at task ${task}: its tasks stay in the database`
  return new SafelightError({ code: "storage-corrupt", message })
}
