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
  type OutcomesTable,
  type StoreStatements,
  type TasksTable,
} from "@safelight/store"
import type { LongReads } from "./long-reads.ts"

export async function scan(
  longReads: LongReads,
  { read }: StoreStatements,
  { after, limit }: ScanRequest,
): Promise<ScanPage> {
  const rowsOf = [
    read.scanTasks,
    read.scanEvents,
    read.scanArtifacts,
    read.scanCharges,
    read.scanOutcomes,
  ]
  const found = await longReads.allOfOneState([read.scanIds, ...rowsOf], { after, limit })
  const [ids = [], tasks = [], events = [], artifacts = [], charges = [], outcomes = []] = found
  return toScanPage(
    ids.map((row) => (row as { readonly id: string }).id),
    limit,
    {
      tasks: tasks as readonly TasksTable[],
      events: events as readonly EventsTable[],
      artifacts: artifacts as readonly ArtifactsTable[],
      charges: charges as readonly ChargesTable[],
      outcomes: outcomes as readonly OutcomesTable[],
    },
  )
}
