/**
 * The archive: finished tasks whose events lie in segments, which are files beside the artifacts, and no longer in the
 * database. What is left of such a task is its row, which says where its events are, and what the bill and reports are
 * summed from. Every read of a task gives what it gave before; the storage reads the segment for it. Errors are those of
 * `TaskStorage`.
 */
import type { StoredEvent } from "../task/stored-event.ts"
import type { BundleReader, TreeArchive } from "./tree-archive.ts"

/** The task whose artifacts the archive's files are: no task has this id. */
export const ARCHIVE_TASK = "archive"

export interface ArchiveStorage extends TreeArchive {
  /** From now on what is archived is read by `reader`; before that, reads of it reject. */
  useArchive(reader: ArchiveReader): void
  /**
   * Tasks that ended before `finishedBefore` (ms) and of which nothing is due: they are in no queue, retention visits
   * them no more, and their inputs are erased. By id, past `after` and below `below`; archived ones are not among them. It
   * looks at `limit` tasks at most: a page may be empty, and not be the last.
   */
  listArchivable(request: ArchivableRequest): Promise<ArchivablePage>
  /**
   * Begins a segment at the moment `at` (ms), and resolves to its number. Undefined, and nothing is changed, while one
   * that was begun within `withinMs` of that moment is not kept yet: another process is writing it. Any others that are
   * not kept are given up, and no number is given twice.
   */
  beginSegment(request: {
    readonly at: number
    readonly withinMs: number
  }): Promise<number | undefined>
  /**
   * The segment is whole, and stands where its locator says. Rejects with `version-conflict` if it was not begun, or was
   * given up.
   */
  keepSegment(segment: ArchiveSegment): Promise<void>
  /** Those that are kept, by number. */
  listSegments(): Promise<readonly ArchiveSegment[]>
  /**
   * Removes the events of tasks that a part of a kept segment has, all or nothing; durable once resolved.
   * None if the segment was dropped meanwhile. A task that is archived, or changed since it was read, is left as it is. No
   * event may follow: nothing can be appended to an archived task. Resolves to how many were moved.
   */
  archiveTasks(request: ArchiveTasksRequest): Promise<number>
  /** The tasks of a part back into the database: all that are archived there. Twice is the same as once. */
  restoreTasks(part: ArchivePart): Promise<number>
  /** Forgets a segment. False, and nothing is changed, if any task is archived in it. Its bytes are the caller's. */
  dropSegment(id: number): Promise<boolean>
}

export interface ArchivableRequest {
  readonly finishedBefore: number
  readonly after: string
  readonly below: string
  readonly limit: number
}

export interface ArchivablePage {
  readonly tasks: readonly string[]
  /** After which the next page begins; null at the end. */
  readonly next: string | null
}

export interface ArchiveSegment {
  /** From 1. */
  readonly id: number
  /** When it was begun, ms since the Unix epoch. */
  readonly at: number
  /** Of the artifact storage. */
  readonly locator: string
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
  /** Tasks that are archived in it: none yet when it is kept. */
  readonly taskCount: number
  /** Events that were written to it. */
  readonly eventCount: number
}

/** A range of bytes of a segment, which can be read by itself. */
export interface ArchivePart {
  readonly segment: number
  /** Of the first byte, from 0. */
  readonly offset: number
  readonly bytes: number
}

export interface ArchiveTasksRequest {
  readonly part: ArchivePart
  /** Each with the hash of its newest event. */
  readonly tasks: readonly { readonly task: string; readonly hash: string }[]
}

/** Reads what was archived. */
export type ArchiveReader = SegmentReader & BundleReader

export interface SegmentReader {
  /**
   * Every task of a part. Rejects with `storage-unavailable` if it can't be read for now, and with `storage-corrupt` if
   * it is gone, or not what a segment holds.
   */
  read(request: ArchiveReadRequest): Promise<readonly ArchivedStream[]>
}

export interface ArchiveReadRequest extends Omit<ArchivePart, "segment"> {
  readonly segment: ArchiveSegment
}

export interface ArchivedStream {
  readonly task: string
  /** All of them, oldest first. */
  readonly events: readonly StoredEvent[]
}
