/**
 * Pages of streams for audits. Ids come from every table that knows tasks, so a row whose task or
 * events are gone is shown all the same; a page is one read transaction and holds `limit` tasks.
 */
import type { ScanPage, ScanRequest } from "@safelight/core"
import {
  toScanPage,
  type ArtifactsTable,
  type ChargesTable,
  type EventsTable,
  type StoreStatements,
  type TasksTable,
} from "@safelight/store"
import type { Reader } from "./reader.ts"

export function scan(
  reader: Reader,
  { read }: StoreStatements,
  { after, limit }: ScanRequest,
): ScanPage {
  return reader.inTransaction(() => {
    const ids = reader
      .all<{ readonly id: string }>(read.scanIds, { after, limit })
      .map(({ id }) => id)
    const last = ids.at(-1)
    if (last === undefined) return { streams: [], next: null }
    const range = { after, last }
    return toScanPage(ids, limit, {
      tasks: reader.all<TasksTable>(read.scanTasks, range),
      events: reader.all<EventsTable>(read.scanEvents, range),
      artifacts: reader.all<ArtifactsTable>(read.scanArtifacts, range),
      charges: reader.all<ChargesTable>(read.scanCharges, range),
    })
  })
}
