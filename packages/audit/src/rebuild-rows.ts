/**
 * Rebuilding: the rows of tasks are projected again from their events, and their places in the queue and with
 * retention are put right, while services run; sums of attempts are made again. A row is replaced only if the newest event is still the one that
 * it was folded from, so that no append is lost. The log itself never changes, and what fits it is not written.
 */
import { isDeepStrictEqual } from "node:util"
import {
  fold,
  isSafelightError,
  openEvent,
  POSITIVE,
  takeIntegers,
  toTaskRow,
  type ScannedStream,
  type Storage,
  type Task,
  type TaskPlace,
  type TaskRow,
} from "@safelight/core"
import { excerpt } from "./excerpt.ts"
import { expectPlace } from "./expect-place.ts"
import { listDifferingFields } from "./compare-task-row.ts"
import { createKeptFindings } from "./kept-findings.ts"
import { PAGE_STREAMS, readPages } from "./read-pages.ts"

export interface RebuildOptions {
  readonly storage: Pick<Storage, "forgetSums" | "replaceTaskRow" | "scan">
  /** Milliseconds since the Unix epoch: when a task that lacks its place is looked at. */
  readonly now: number
  /** Streams of a page, of which two are in memory at once; 200 by default. */
  readonly pageStreams?: number
}

/** How far it is; after each page. */
export interface RebuildProgress {
  /** Tasks looked at. */
  readonly tasks: number
  /** Rows that were written again. */
  readonly rebuilt: number
}

export interface RebuildReport extends RebuildProgress {
  /** Tasks whose row can't be made or is not there, as an audit explains; the first hundred of them. */
  readonly left: readonly { readonly task: string; readonly reason: string }[]
  readonly leftCount: number
}

const DEFAULTS = { pageStreams: PAGE_STREAMS }

/**
 * Rejects with `invalid-configuration` if `pageStreams` is not a positive integer, and as the storage does;
 * rows that were rebuilt stay so, and another run looks at all of them again.
 */
export async function rebuildRows(
  options: RebuildOptions,
  onProgress?: (progress: RebuildProgress) => void,
): Promise<RebuildReport> {
  const bounds = { pageStreams: POSITIVE }
  const { pageStreams } = takeIntegers({ bounds, defaults: DEFAULTS, options })
  const left = createKeptFindings<RebuildReport["left"][number]>()
  const { now, storage } = options
  let [tasks, rebuilt] = [0, 0]
  await storage.forgetSums()

  async function rebuild(stream: ScannedStream): Promise<void> {
    tasks += 1
    const made = toRow(stream)
    if (typeof made === "string") {
      left.add({ task: stream.id, reason: made })
      return
    }
    const { row, task } = made
    const place = toPlace(stream, task, now)
    const isRowRight = stream.row !== undefined && listDifferingFields(row, stream.row).length === 0
    if (isRowRight && place === undefined) return
    await storage.replaceTaskRow(row, place)
    rebuilt += 1
  }

  for await (const { streams } of readPages(storage, pageStreams)) {
    for (const stream of streams) await rebuild(stream)
    onProgress?.({ tasks, rebuilt })
  }
  const { findings, findingCount } = left.toReport()
  return { tasks, rebuilt, left: findings, leftCount: findingCount }
}

/** Where the task belongs; undefined if it is there. */
function toPlace(stream: ScannedStream, task: Task, now: number): TaskPlace | undefined {
  const { ready, retainedAt } = stream
  const expected = expectPlace(task, stream)
  const isReadyRight = isDeepStrictEqual(ready && { ...ready }, expected.ready)
  const lacksRetention = expected.retention === "must" && retainedAt === undefined
  const hasTooMuch = expected.retention === "none" && retainedAt !== undefined
  if (isReadyRight && !lacksRetention && !hasTooMuch) return undefined
  const keptAt = hasTooMuch ? null : (retainedAt ?? null)
  return {
    ready: expected.ready === undefined ? null : toDue(task, now),
    retainAt: lacksRetention ? now : keptAt,
  }
}

function toDue({ deferral, endBy }: Task, now: number): NonNullable<TaskPlace["ready"]> {
  return { dueAt: deferral?.retryAt ?? now, endBy }
}

interface Made {
  readonly row: TaskRow
  readonly task: Task
}

/** The row that the events make; or why it can't take the place of the one that is there. */
function toRow({ events, id, row }: ScannedStream): Made | string {
  const newest = events.at(-1)
  if (newest === undefined) return "it has no events"
  if (row?.version !== newest.version || row.hash !== newest.hash) {
    return "its row is not of its newest event"
  }
  try {
    const task = fold(id, events.map(openEvent))
    return { row: toTaskRow(task, newest.hash), task }
  } catch (error) {
    if (!isSafelightError(error) && !(error instanceof RangeError)) throw error
    return excerpt(error.message)
  }
}
