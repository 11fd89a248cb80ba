/** A page of streams out of the rows of one range of ids; rows whose task is gone are shown all the same. */
import type { ScannedStream, ScanPage } from "@safelight/core"
import type {
  ArtifactsTable,
  ChargesTable,
  EventsTable,
  OutcomesTable,
  TasksTable,
} from "./database.ts"
import {
  fromArtifactRecord,
  fromChargeRecord,
  fromEventRecord,
  fromOutcomeRecord,
  fromTaskRecord,
} from "./records.ts"

/** The rows of a range, events, artifacts and outcomes in their order. */
export interface ScannedRecords {
  readonly tasks: readonly TasksTable[]
  readonly events: readonly EventsTable[]
  readonly artifacts: readonly ArtifactsTable[]
  readonly charges: readonly ChargesTable[]
  readonly outcomes: readonly OutcomesTable[]
}

export function toScanPage(
  ids: readonly string[],
  limit: number,
  records: ScannedRecords,
): ScanPage {
  const rows = new Map(records.tasks.map((record) => [record.id, fromTaskRecord(record)]))
  const events = Map.groupBy(records.events, ({ task }) => task)
  const artifacts = Map.groupBy(records.artifacts, ({ task }) => task)
  const charges = new Map(records.charges.map((record) => [record.task, fromChargeRecord(record)]))
  const outcomes = Map.groupBy(records.outcomes, ({ task }) => task)
  const streams = ids.map((id): ScannedStream => ({
    id,
    events: (events.get(id) ?? []).map(fromEventRecord),
    row: rows.get(id),
    artifacts: (artifacts.get(id) ?? []).map(fromArtifactRecord),
    charge: charges.get(id),
    outcomes: (outcomes.get(id) ?? []).map(fromOutcomeRecord),
  }))
  return { streams, next: ids.length < limit ? null : (ids.at(-1) ?? null) }
}
