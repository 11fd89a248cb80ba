/**
 * The list of an account's tasks over plain rows. It gives full pages, which the port does not
 * promise: a test that follows a list must not take a short page for its end.
 */
import {
  fromSnapshot,
  toLabelTexts,
  type AllTasksPage,
  type AllTasksRequest,
  type Labels,
  type ListPage,
  type ListRequest,
  type TaskPosition,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"
import type { MemoryTables } from "./memory-tables.ts"

/** Follows `Storage.listTasks`, and looks at every row. */
export function listRows(
  { labels, rows }: Pick<MemoryTables, "labels" | "rows">,
  request: ListRequest,
): ListPage {
  const { createdAfter = 0, createdBefore = Infinity, after, status, model, limit } = request
  const listed = [...rows.values()]
    .filter((row) => row.account === request.account)
    .filter((row) => row.createdAt >= createdAfter && row.createdAt < createdBefore)
    .filter((row) => status === undefined || row.status === status)
    .filter((row) => model === undefined || row.model === model)
    .filter((row) => hasLabels(labels.get(row.id), request.labels))
    .filter((row) => after === undefined || compareNewestFirst(row, after) > 0)
    .toSorted(compareNewestFirst)
  const shown = listed.slice(0, limit)
  const last = listed.length > limit ? shown.at(-1) : undefined
  return {
    tasks: shown.map(({ snapshot }) => fromSnapshot(snapshot)),
    next: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
  }
}

/** Follows `InsightStorage.listAllTasks`, and looks at every row. */
export function listAllRows(
  { rows }: Pick<MemoryTables, "rows">,
  { after, limit, model, status }: AllTasksRequest,
): AllTasksPage {
  const listed = [...rows.values()]
    .filter((row) => status === undefined || row.status === status)
    .filter((row) => model === undefined || row.model === model)
    .filter(({ id }) => after === undefined || compareIds(id, after) < 0)
    .toSorted((a, b) => compareIds(b.id, a.id))
  const shown = listed.slice(0, limit)
  const next = listed.length > limit ? (shown.at(-1)?.id ?? null) : null
  return { tasks: shown.map(({ snapshot }) => fromSnapshot(snapshot)), next }
}

/** Whether all of `wanted` are among them. */
export function hasLabels(labels: Labels = {}, wanted: Labels = {}): boolean {
  const texts = toLabelTexts(labels)
  return toLabelTexts(wanted).every((label) => texts.includes(label))
}

function compareNewestFirst(a: TaskPosition, b: TaskPosition): number {
  return b.createdAt - a.createdAt || compareIds(b.id, a.id)
}
