/**
 * What moving house asks of a database, beside what every caller does (design §9): which transfers it
 * knows of, and what belongs to tasks and accounts without standing in the log. Restoring never
 * takes anything back: a key keeps the task it stands for, an epoch never falls.
 */
import type { SideRecords, IdempotencyUse } from "./side-records.ts"
import type { LinkScope } from "./link-storage.ts"

export interface TransferStorage {
  /** Every transfer that is recorded, by id; none for most databases. */
  listTransfers(): Promise<readonly Transfer[]>
  /** Records a transfer in place of what stood under its id; durable once resolved. */
  setTransfer(transfer: Transfer): Promise<void>
  /** Forgets a transfer; resolves also where there is none. */
  dropTransfer(id: string): Promise<void>
  /** What belongs to a task beside its events, as of one moment; empty for an unknown task. */
  readSideRecords(task: string): Promise<SideRecords>
  /** Has a key stand for a task. False, and nothing is changed, where it stands for another. */
  restoreIdempotency(request: IdempotencyRestore): Promise<boolean>
  /** Raises an epoch to at least `epoch`; changes nothing for an unknown account. */
  restoreLinkEpoch(request: LinkEpochRestore): Promise<void>
}

export type TransferState =
  /** Sealed: the data goes on elsewhere, and nothing here may change. */
  | "sealed"
  /** An import was begun and is not complete. */
  | "importing"
  /** An import is complete. */
  | "imported"

export interface Transfer {
  /** `SEAL_ID`, or of an import the digest of what is imported. */
  readonly id: string
  readonly state: TransferState
  /** When it began, ms. */
  readonly at: number
}

export interface IdempotencyRestore {
  readonly account: string
  readonly task: string
  readonly use: IdempotencyUse
}

export interface LinkEpochRestore {
  readonly scope: LinkScope
  readonly epoch: number
}
