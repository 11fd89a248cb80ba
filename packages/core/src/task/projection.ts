/**
 * Read models: the rows that a task's events make. The live path, replay and import all derive
 * rows here and nowhere else, so they can be compared byte for byte.
 */
import { toCanonicalJson } from "../canonical-json.ts"
import { SafelightError } from "../safelight-error.ts"
import type { TaskEvent } from "./events.ts"
import { toStatus, type Task, type TaskStatus } from "./task.ts"

/** The fold at `version`: what GET reads. */
export interface TaskRow {
  readonly account: string
  readonly createdAt: number
  /** 0 while unfinished. */
  readonly finishedAt: number
  /** The hash of the newest event. */
  readonly hash: string
  readonly id: string
  readonly model: string
  /** The whole `Task` as canonical JSON. */
  readonly snapshot: string
  readonly status: TaskStatus
  readonly version: number
}

export interface ArtifactRow {
  readonly bytes: number
  readonly durationMs: number | null
  /** Milliseconds; gone when `now >= expiresAt`, whether or not a sweep ran. */
  readonly expiresAt: number
  readonly key: string
  readonly mimeType: string
  /** Where `ArtifactStorage` keeps the bytes. */
  readonly place: string
  /** The order of artifacts within a task, from 0. */
  readonly position: number
  readonly sha256: string
  readonly task: string
  readonly type: "image" | "video"
}

/** What an append changes in the derived tables. */
export interface Changes {
  readonly task: TaskRow
  /** Rows to add; an artifact's row never changes. */
  readonly artifacts: readonly ArtifactRow[]
}

/** The derived rows after `events` led to `task`, whose newest event has `hash`. */
export function project(task: Task, hash: string, events: readonly TaskEvent[]): Changes {
  const hasSucceeded = events.some(({ type }) => type === "succeeded")
  return { task: toTaskRow(task, hash), artifacts: hasSucceeded ? toArtifactRows(task) : [] }
}

export function toTaskRow(task: Task, hash: string): TaskRow {
  return {
    account: task.account,
    createdAt: task.createdAt,
    finishedAt: task.finishedAt,
    hash,
    id: task.id,
    model: task.model,
    snapshot: toCanonicalJson(task),
    status: toStatus(task),
    version: task.version,
  }
}

export function toArtifactRows(task: Task): ArtifactRow[] {
  return task.artifacts.map((entry, position) => ({
    bytes: entry.bytes,
    durationMs: entry.durationMs,
    expiresAt: entry.expiresAt,
    key: entry.key,
    mimeType: entry.mimeType,
    place: entry.place,
    position,
    sha256: entry.sha256,
    task: task.id,
    type: entry.type,
  }))
}

/** The task that a row's snapshot holds. Throws `storage-corrupt` where it is not JSON. */
export function fromSnapshot(snapshot: string): Task {
  try {
    return JSON.parse(snapshot) as Task
  } catch (cause) {
    const message = "a task's snapshot is not JSON; `safelight audit replay` names it"
    throw new SafelightError({ code: "storage-corrupt", message, cause })
  }
}
