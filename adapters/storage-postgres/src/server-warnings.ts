/**
 * Warnings to the operator at the start: settings and standbys with which the server may lose acknowledged
 * writes. The storage works with them, so nothing is refused.
 */
import type { Log } from "@safelight/core"
import type { PostgresConnection } from "./connection.ts"

export interface ServerState {
  readonly fsync: string
  readonly full_page_writes: string
  /** That stream now. */
  readonly standbys: number
  /** Of them, those that commits wait for, one or a quorum. */
  readonly synchronous: number
  /** Of them, those of which this role may not know. */
  readonly untold: number
}

const READ_STATE = `
  select current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    count(*) as standbys,
    count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
    count(*) filter (where sync_state is null) as untold
  from pg_stat_replication where state is null or state in ('streaming', 'catchup')`

export async function warnOfServer({ run }: PostgresConnection, log: Log): Promise<void> {
  const [row = []] = await run({ text: READ_STATE, values: [] })
  const [fsync, pages, standbys, synchronous, untold] = row
  const state = {
    fsync: String(fsync),
    full_page_writes: String(pages),
    standbys: Number(standbys),
    synchronous: Number(synchronous),
    untold: Number(untold),
  }
  for (const warning of toServerWarnings(state)) log.warn({ warning }, "server settings")
}

export function toServerWarnings(state: ServerState): readonly string[] {
  const { fsync, full_page_writes, standbys, synchronous, untold } = state
  const warnings: string[] = []
  if (fsync !== "on") {
    warnings.push("PostgreSQL runs with fsync off: a crash loses or damages what it acknowledged")
  }
  if (full_page_writes !== "on") {
    warnings.push("PostgreSQL runs with full_page_writes off: a crash may damage its tables")
  }
  if (standbys > 0 && untold === standbys) {
    warnings.push(
      "PostgreSQL has standbys, and this role may not see whether one is synchronous: grant it pg_read_all_stats",
    )
  } else if (standbys > 0 && synchronous === 0) {
    warnings.push(
      "PostgreSQL has standbys and none is synchronous: a failover loses accepted tasks and may buy results again; set synchronous_standby_names",
    )
  }
  return warnings
}
