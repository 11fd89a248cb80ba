/**
 * The list of an account's tasks over plain rows. It gives full pages, which the port does not
 * promise: a test that follows a list must not take a short page for its end.
 */
import {
  fromSnapshot,
  type ListPage,
  type ListRequest,
  type TaskPosition,
  type TaskRow,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

/** Follows `Storage.listTasks`, and looks at every row. */
export function listRows(rows: readonly TaskRow[], request: ListRequest): ListPage {
  const { createdAfter = 0, createdBefore = Infinity, after, status, model, limit } = request
  const listed = rows
    .filter((row) => row.account === request.account)
    .filter((row) => row.createdAt >= createdAfter && row.createdAt < createdBefore)
    .filter((row) => status === undefined || row.status === status)
    .filter((row) => model === undefined || row.model === model)
    .filter((row) => after === undefined || compareNewestFirst(row, after) > 0)
    .toSorted(compareNewestFirst)
  const shown = listed.slice(0, limit)
  const last = listed.length > limit ? shown.at(-1) : undefined
  return {
    tasks: shown.map(({ snapshot }) => fromSnapshot(snapshot)),
    next: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
  }
}

function compareNewestFirst(a: TaskPosition, b: TaskPosition): number {
  return b.createdAt - a.createdAt || compareIds(b.id, a.id)
}
