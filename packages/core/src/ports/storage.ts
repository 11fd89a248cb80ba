/**
 * Everything that a service asks of its database, behind one port: what carrying out tasks needs, and
 * accounts, keys, links, rates, transfers and audits. `TaskStorage` says which errors every method may
 * reject with.
 */
import type { ChargeRow, OutcomeRow, TaskRow } from "../task/projection.ts"
import type { StoredEvent } from "../task/stored-event.ts"
import type { AccountStorage } from "./account-storage.ts"
import type { ArchiveStorage } from "./archive-storage.ts"
import type { ChannelStorage } from "./channel-storage.ts"
import type { DeploymentStorage } from "./deployment-storage.ts"
import type { InsightStorage } from "./insight-storage.ts"
import type { KeyStorage } from "./key-storage.ts"
import type { LinkStorage } from "./link-storage.ts"
import type { OperatorChangeStorage } from "./operator-change-storage.ts"
import type { TransferStorage } from "./transfer-storage.ts"
import type { TreeStorage } from "./tree-storage.ts"
import type { RateStorage } from "./rate-storage.ts"
import type { TaskStorage } from "./task-storage.ts"
import type { WebhookStorage } from "./webhook-storage.ts"

export interface Storage
  extends
    TaskStorage,
    AccountStorage,
    ArchiveStorage,
    ChannelStorage,
    DeploymentStorage,
    InsightStorage,
    KeyStorage,
    LinkStorage,
    OperatorChangeStorage,
    TransferStorage,
    RateStorage,
    TreeStorage,
    WebhookStorage {
  /** Streams by task id, for audits; each page is consistent in itself. */
  scan(request: ScanRequest): Promise<ScanPage>
  /**
   * Puts `row` in place of the one that another projection made of the same events, and with `place` the task
   * where it belongs; durable once resolved. Nothing else changes, and nothing at all if the newest event is no
   * longer that of the row. Twice is the same as once.
   */
  replaceTaskRow(row: TaskRow, place?: TaskPlace): Promise<void>
  /** Resolves if the database answers. */
  check(): Promise<void>
  /** Resolves once all that was asked for is done or has failed; every later call rejects. */
  close(): Promise<void>
}

export interface ScanRequest {
  /** The task id after which to continue; the empty text to begin. */
  readonly after: string
  readonly limit: number
}

/** Everything the database holds of one task, orphaned rows included. */
export interface ScannedStream {
  readonly id: string
  readonly events: readonly StoredEvent[]
  readonly row: TaskRow | undefined
  readonly charge: ChargeRow | undefined
  /** By attempt. */
  readonly outcomes: readonly OutcomeRow[]
  /** Its place in the queue; undefined if it has none. */
  readonly ready: ReadyFacts | undefined
  /** When retention looks at it; undefined: never. */
  readonly retainedAt: number | undefined
  /** Whether anything is left of what a person or a provider wrote. */
  readonly hasInputs: boolean
}

/** What the events of a task say of its place in the queue. */
export interface ReadyFacts {
  readonly account: string
  readonly endBy: number
  readonly model: string
}

/** Where a task belongs apart from its rows. */
export interface TaskPlace {
  /** A due task that nobody holds; null: not in the queue. */
  readonly ready: { readonly dueAt: number; readonly endBy: number } | null
  /** When retention looks at it; null: never. */
  readonly retainAt: number | null
}

export interface ScanPage {
  readonly streams: readonly ScannedStream[]
  /** Where the next page begins; null at the end. */
  readonly next: string | null
}
