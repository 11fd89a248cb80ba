/** A page of a list out of its rows: as many as asked for, and where to go on. */
import { fromSnapshot, type ListPage, type TaskPosition } from "@safelight/core"
import type { TasksTable } from "./database.ts"

export type PositionRecord = Pick<TasksTable, "created_at" | "id">
export type ListedRecord = PositionRecord & Pick<TasksTable, "snapshot">

/**
 * `records` are up to one more than `limit`, which says whether the list goes on; `floor` is where the
 * search ended, where it was bounded.
 */
export function toListPage(
  records: readonly ListedRecord[],
  limit: number,
  floor: PositionRecord | undefined,
): ListPage {
  const shown = records.slice(0, limit)
  const last = records.length > limit ? shown.at(-1) : floor
  return {
    tasks: shown.map(({ snapshot }) => fromSnapshot(snapshot)),
    next: last === undefined ? null : toPosition(last),
  }
}

function toPosition({ created_at: createdAt, id }: PositionRecord): TaskPosition {
  return { createdAt, id }
}
