/**
 * Everything that a service asks of its database, behind one port: what carrying out tasks needs, and
 * beside it accounts, keys, links, rates, moves and audits.
 */
import type { ArtifactRow, ChargeRow, OutcomeRow, TaskRow } from "../task/projection.ts"
import type { StoredEvent } from "../task/stored-event.ts"
import type { AccountStorage } from "./account-storage.ts"
import type { ChannelStorage } from "./channel-storage.ts"
import type { DeploymentStorage } from "./deployment-storage.ts"
import type { KeyStorage } from "./key-storage.ts"
import type { LinkStorage } from "./link-storage.ts"
import type { TransferStorage } from "./transfer-storage.ts"
import type { RateStorage } from "./rate-storage.ts"
import type { TaskStorage } from "./task-storage.ts"

export interface Storage
  extends
    TaskStorage,
    AccountStorage,
    ChannelStorage,
    DeploymentStorage,
    KeyStorage,
    LinkStorage,
    TransferStorage,
    RateStorage {
  /** Streams by task id, for audits; each page is consistent in itself. */
  scan(request: ScanRequest): Promise<ScanPage>
  /**
   * Puts `row` in place of the one that another projection made of the same events; nothing else
   * changes, and nothing at all where the newest event is no longer that of the row. Fails as `append`
   * does; twice is the same as once.
   */
  replaceTaskRow(row: TaskRow): Promise<void>
  /** Rejects with `storage-unavailable` where the database does not answer. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface ScanRequest {
  /** Task id to go on after; the empty text to begin. */
  readonly after: string
  readonly limit: number
}

/** Everything the database holds of one task, orphaned rows included. */
export interface ScannedStream {
  readonly id: string
  readonly events: readonly StoredEvent[]
  readonly row: TaskRow | undefined
  readonly artifacts: readonly ArtifactRow[]
  readonly charge: ChargeRow | undefined
  /** By attempt. */
  readonly outcomes: readonly OutcomeRow[]
}

export interface ScanPage {
  readonly streams: readonly ScannedStream[]
  /** Where to go on; null at the end. */
  readonly next: string | null
}
