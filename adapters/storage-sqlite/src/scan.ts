/**
 * Pages of streams for audits. Ids come from every table that knows tasks, so a row whose task or
 * events are gone is shown all the same; a page is one read transaction and holds `limit` tasks.
 */
import type { ScannedStream, ScanPage, ScanRequest } from "@safelight/core"
import {
  fromArtifactRecord,
  fromChargeRecord,
  fromEventRecord,
  fromTaskRecord,
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
    const tasks = reader.all<TasksTable>(read.scanTasks, range)
    const rows = new Map(tasks.map((record) => [record.id, fromTaskRecord(record)]))
    const events = groupByTask(reader.all<EventsTable>(read.scanEvents, range))
    const artifacts = groupByTask(reader.all<ArtifactsTable>(read.scanArtifacts, range))
    const billed = reader.all<ChargesTable>(read.scanCharges, range)
    const charges = new Map(billed.map((record) => [record.task, fromChargeRecord(record)]))
    const streams = ids.map((id): ScannedStream => ({
      id,
      events: (events.get(id) ?? []).map(fromEventRecord),
      row: rows.get(id),
      artifacts: (artifacts.get(id) ?? []).map(fromArtifactRecord),
      charge: charges.get(id),
    }))
    return { streams, next: ids.length < limit ? null : last }
  })
}

function groupByTask<Row extends { readonly task: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  return Map.groupBy(rows, ({ task }) => task)
}
