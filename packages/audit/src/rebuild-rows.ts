/**
 * Rebuilding: the rows of tasks are projected anew from their events, while services run. A row is
 * replaced only if the newest event is still the one that it was folded from, so that no append is lost.
 * The log itself never changes, and a row that fits it is not written.
 */
import {
  fold,
  isSafelightError,
  openEvent,
  POSITIVE,
  takeIntegers,
  toTaskRow,
  type ScannedStream,
  type Storage,
  type TaskRow,
} from "@safelight/core"
import { excerpt } from "./excerpt.ts"
import { createKeptFindings } from "./kept-findings.ts"
import { listDiffering } from "./list-differing.ts"
import { PAGE_STREAMS, readPages } from "./read-pages.ts"

export interface RebuildOptions {
  readonly storage: Pick<Storage, "replaceTaskRow" | "scan">
  /** Streams in memory at once; 200 by default. */
  readonly pageStreams?: number
}

/** How far it is; after each page. */
export interface RebuildProgress {
  /** Tasks looked at. */
  readonly tasks: number
  /** Rows that were written anew. */
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
  const { storage } = options
  let [tasks, rebuilt] = [0, 0]

  async function rebuild(stream: ScannedStream): Promise<void> {
    tasks += 1
    const row = toRow(stream)
    if (typeof row === "string") {
      left.add({ task: stream.id, reason: row })
    } else if (stream.row === undefined || listDiffering(row, stream.row).length > 0) {
      await storage.replaceTaskRow(row)
      rebuilt += 1
    }
  }

  for await (const { streams } of readPages(storage, pageStreams)) {
    for (const stream of streams) await rebuild(stream)
    onProgress?.({ tasks, rebuilt })
  }
  const { findings, findingCount } = left.toReport()
  return { tasks, rebuilt, left: findings, leftCount: findingCount }
}

/** The row that the events make; or why it can't take the place of the one that is there. */
function toRow({ events, id, row }: ScannedStream): TaskRow | string {
  const newest = events.at(-1)
  if (newest === undefined) return "it has no events"
  if (row?.version !== newest.version || row.hash !== newest.hash) {
    return "its row is not of its newest event"
  }
  try {
    return toTaskRow(fold(id, events.map(openEvent)), newest.hash)
  } catch (error) {
    if (!isSafelightError(error) && !(error instanceof RangeError)) throw error
    return excerpt(error.message)
  }
}
