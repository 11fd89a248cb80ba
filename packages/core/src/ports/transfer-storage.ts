/**
 * What a transfer to another database asks of both (design §9): the record of transfers, and the side
 * records of tasks. Restoring takes nothing back: an idempotency key keeps its task, an epoch never
 * falls. Errors are those of `TaskStorage`.
 */
import type { SideRecords, IdempotencyUse } from "./side-records.ts"
import type { LinkScope } from "./link-storage.ts"

export interface TransferStorage {
  /** Every transfer that is recorded, by id; none for most databases. */
  listTransfers(): Promise<readonly Transfer[]>
  /** Records a transfer, in place of an earlier one of its id; durable once resolved. */
  setTransfer(transfer: Transfer): Promise<void>
  /** Forgets a transfer; resolves also if there is none. */
  dropTransfer(id: string): Promise<void>
  /** The side records of a task, of one moment; empty for an unknown task. */
  readSideRecords(task: string): Promise<SideRecords>
  /**
   * Lets an idempotency key stand for a task; durable once resolved. False, and nothing is changed, if
   * the key stands for another task. Twice is the same as once.
   */
  restoreIdempotency(request: IdempotencyRestore): Promise<boolean>
  /**
   * Raises an epoch to at least `epoch`; durable once resolved. Changes nothing for an unknown account.
   * Twice is the same as once.
   */
  restoreLinkEpoch(request: LinkEpochRestore): Promise<void>
}

export type TransferState =
  /** The data is continued elsewhere, and nothing here may change. */
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
