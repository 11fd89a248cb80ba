/** The rows of tasks in the storage in memory, by the task's id unless said otherwise. */
import {
  fromSnapshot,
  type ChargeRow,
  type Input,
  type Labels,
  type OutcomeRow,
  type StoredEvent,
  type StreamHead,
  type TaskRow,
} from "@safelight/core"
import type { StoredUse } from "./memory-transfers.ts"

export interface MemoryTables {
  readonly events: Map<string, readonly StoredEvent[]>
  readonly rows: Map<string, TaskRow>
  readonly charges: Map<string, ChargeRow>
  readonly outcomes: Map<string, readonly OutcomeRow[]>
  /** By `task/name`. */
  readonly inputs: Map<string, Input>
  readonly labels: Map<string, Labels>
  /** In the order in which the keys were used. */
  uses: readonly StoredUse[]
}

export function createMemoryTables(): MemoryTables {
  return {
    events: new Map(),
    rows: new Map(),
    charges: new Map(),
    outcomes: new Map(),
    inputs: new Map(),
    labels: new Map(),
    uses: [],
  }
}

export function findHead({ rows }: MemoryTables, task: string): StreamHead | undefined {
  const row = rows.get(task)
  return row && { task: fromSnapshot(row.snapshot), hash: row.hash }
}
