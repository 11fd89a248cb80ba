/**
 * The reads that a replica may answer, if the driver has one: those behind lists, usage, exports and audits. Everything
 * else is read at the primary.
 */
import type { Storage } from "@safelight/core"
import { createAccountMethods } from "./accounts.ts"
import { createAllTasksMethod } from "./all-tasks.ts"
import type { ArchivedStreams } from "./archived-streams.ts"
import { createChannelMethods } from "./channels.ts"
import { createInsightMethods } from "./insight.ts"
import { createListMethod } from "./lists.ts"
import { createOperatorChangeMethods } from "./operator-changes.ts"
import { createScanMethod } from "./scans.ts"
import type { Database, Driver } from "./sql/driver.ts"
import { createLongReads } from "./sql/long-reads.ts"
import type { Compiler } from "./sql/statement.ts"

const REPLICA_READS = [
  "groupOutcomes",
  "listAllTasks",
  "listChannelHours",
  "listCharges",
  "listOperatorChanges",
  "listTasks",
  "readTotals",
  "scan",
  "scanTotals",
  "sumCharges",
  "sumOutcomes",
] as const satisfies readonly (keyof Storage)[]

type ReplicaRead = (typeof REPLICA_READS)[number]

export interface ReplicaReads {
  readonly reads: Pick<Storage, ReplicaRead>
  /** Long reads that wait reject. */
  readonly close: () => void
}

export function createReplicaReads(
  driver: Driver,
  replica: NonNullable<Driver["replica"]>,
  compiler: Compiler,
  archived: ArchivedStreams,
): ReplicaReads {
  const { close, ...longReads } = createLongReads(replica.answer)
  const database: Database = { ...driver, ...replica, ...longReads }
  const methods: Pick<Storage, ReplicaRead> = {
    ...createAccountMethods(database, compiler),
    ...createAllTasksMethod(database, compiler, archived),
    ...createChannelMethods(database, compiler),
    ...createInsightMethods(database, compiler),
    ...createListMethod(database, compiler, archived),
    ...createOperatorChangeMethods(database, compiler),
    ...createScanMethod(database, compiler, archived),
  }
  const reads = Object.fromEntries(REPLICA_READS.map((name) => [name, methods[name]]))
  return { reads: reads as typeof methods, close }
}
