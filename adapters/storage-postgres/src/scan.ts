/**
 * Pages of streams for audits. Ids come from every table that knows tasks, so a row whose task or
 * events are gone is shown all the same; a page is one snapshot of the database.
 */
import type { ScanPage, ScanRequest } from "@safelight/core"
import {
  toScanPage,
  type ArtifactsTable,
  type ChargesTable,
  type EventsTable,
  type OutcomesTable,
  type StoreStatements,
  type TasksTable,
} from "@safelight/store"
import type { Sums } from "./sums.ts"

export const ONE_SNAPSHOT = "begin isolation level repeatable read read only"

export function scan(
  sums: Pick<Sums, "transact">,
  { read }: StoreStatements,
  { after, limit }: ScanRequest,
): Promise<ScanPage> {
  return sums.transact(ONE_SNAPSHOT, async ({ find }) => {
    const found = await find<{ readonly id: string }>(read.scanIds, { after, limit })
    const ids = found.map(({ id }) => id)
    const last = ids.at(-1)
    if (last === undefined) return { streams: [], next: null }
    const range = { after, last }
    const [tasks, events, artifacts, charges, outcomes] = await Promise.all([
      find<TasksTable>(read.scanTasks, range),
      find<EventsTable>(read.scanEvents, range),
      find<ArtifactsTable>(read.scanArtifacts, range),
      find<ChargesTable>(read.scanCharges, range),
      find<OutcomesTable>(read.scanOutcomes, range),
    ])
    return toScanPage(ids, limit, { tasks, events, artifacts, charges, outcomes })
  })
}
