/**
 * Read models: the rows that a task's events make. The live path, replay and import all derive
 * rows here and nowhere else, so they can be compared byte for byte.
 */
import type { AccountTotals } from "../accounts/account.ts"
import { toCanonicalJson } from "../canonical-json.ts"
import { billedInputMs } from "../money/charge.ts"
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
  /** Held back until the task is finished, integer micro-units. */
  readonly reservationMicros: number
  /** The whole `Task` as canonical JSON. */
  readonly snapshot: string
  readonly status: TaskStatus
  readonly version: number
}

export interface ArtifactRow {
  readonly bytes: number
  readonly durationMs: number | null
  /** Whether the artifact is listed without its expiry, as some older results are. */
  readonly expiryHidden: boolean
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

/** A line of the bill: one for each finished task that used something; it never changes. */
export interface ChargeRow {
  readonly account: string
  /** When the task finished: the period it is billed in. */
  readonly at: number
  /** Input video as billed, 0 for images (specification §8). */
  readonly billedInputMs: number
  readonly chargeMicros: number
  readonly images: number
  readonly model: string
  readonly outputVideoMs: number
  readonly priceVersion: string
  readonly task: string
}

/** What an append changes in the derived tables. */
export interface Changes {
  readonly task: TaskRow
  /** Rows to add; an artifact's row never changes. */
  readonly artifacts: readonly ArtifactRow[]
  /** A row to add. */
  readonly charge?: ChargeRow
  /** What is added to the account's totals. */
  readonly totals?: AccountTotals
}

/** The derived rows after `events` led to `task`, whose newest event has `hash`. */
export function project(task: Task, hash: string, events: readonly TaskEvent[]): Changes {
  const hasSucceeded = events.some(({ type }) => type === "succeeded")
  const hasFinished = hasSucceeded || events.some(({ type }) => type === "failed")
  const isNew = events[0]?.type === "submitted"
  const charge = hasFinished ? toChargeRow(task) : undefined
  return {
    task: toTaskRow(task, hash),
    artifacts: hasSucceeded ? toArtifactRows(task) : [],
    ...(charge && { charge }),
    ...((isNew || hasFinished) && { totals: toTotalsChange(task, isNew, hasFinished) }),
  }
}

/** The task's line of the bill; undefined where it is not finished, or used nothing. */
export function toChargeRow(task: Task): ChargeRow | undefined {
  const { usage } = task
  if (usage === null) return undefined
  return {
    account: task.account,
    at: task.finishedAt,
    billedInputMs: billedInputMs(usage.inputVideosMs),
    chargeMicros: task.chargeMicros,
    images: usage.images,
    model: task.model,
    outputVideoMs: usage.outputVideoMs,
    priceVersion: task.priceVersion,
    task: task.id,
  }
}

function toTotalsChange(task: Task, isNew: boolean, hasFinished: boolean): AccountTotals {
  const places = Number(isNew) - Number(hasFinished)
  return {
    chargedMicros: hasFinished ? task.chargeMicros : 0,
    reservedMicros: places * task.reservationMicros,
    unfinishedTasks: places,
  }
}

export function toTaskRow(task: Task, hash: string): TaskRow {
  return {
    account: task.account,
    createdAt: task.createdAt,
    finishedAt: task.finishedAt,
    hash,
    id: task.id,
    model: task.model,
    reservationMicros: task.reservationMicros,
    snapshot: toCanonicalJson(task),
    status: toStatus(task),
    version: task.version,
  }
}

export function toArtifactRows(task: Task): ArtifactRow[] {
  return task.artifacts.map((entry, position) => ({
    bytes: entry.bytes,
    durationMs: entry.durationMs,
    expiryHidden: entry.expiryHidden ?? false,
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
