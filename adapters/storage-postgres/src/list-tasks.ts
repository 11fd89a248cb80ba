/**
 * A page of an account's tasks. Where a filter has to read rows to judge them, the page ends at the
 * latest with the last of `DEFAULTS.listedTasks`: that one, the floor, is found along the index.
 */
import type { ListPage, ListRequest } from "@safelight/core"
import {
  toListPage,
  toListValues,
  type ListedRecord,
  type PositionRecord,
  type StoreStatements,
} from "@safelight/store"
import { DEFAULTS } from "./defaults.ts"
import type { Sessions } from "./sessions.ts"

export async function listTasks(
  sessions: Sessions,
  { list }: StoreStatements,
  request: ListRequest,
): Promise<ListPage> {
  const { limit } = request
  const filters = {
    hasStatus: request.status !== undefined,
    hasModel: request.model !== undefined,
  }
  const values = toListValues(request)
  const skipped = DEFAULTS.listedTasks - 1
  const isFiltered = filters.hasStatus || filters.hasModel
  const [floor] = isFiltered
    ? await sessions.read<PositionRecord>(list.findListFloor, { ...values, skipped })
    : []
  const records = await sessions.read<ListedRecord>(list.findTasks(filters), {
    ...values,
    ...(floor && { from_created_at: floor.created_at, from_id: floor.id }),
    // One more than asked for says whether the list goes on.
    limit: limit + 1,
  })
  return toListPage(records, limit, floor)
}
