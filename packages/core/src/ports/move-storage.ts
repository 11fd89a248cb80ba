/**
 * What moving house asks of a database, beside what every caller does (design §9): which moves it
 * knows of, and what belongs to tasks and accounts without standing in the log. Restoring never
 * takes anything back: a key keeps the task it stands for, an epoch never falls.
 */
import type { Belongings, IdempotencyUse } from "./belongings.ts"
import type { LinkScope } from "./link-storage.ts"

export interface MoveStorage {
  /** Every move that is recorded, by id; none for most databases. */
  listMoves(): Promise<readonly Move[]>
  /** Records a move in place of what stood under its id; durable once resolved. */
  setMove(move: Move): Promise<void>
  /** Forgets a move; resolves also where there is none. */
  dropMove(id: string): Promise<void>
  /** What belongs to a task beside its events, as of one moment; empty for an unknown task. */
  readBelongings(task: string): Promise<Belongings>
  /** Has a key stand for a task. False, and nothing is changed, where it stands for another. */
  restoreIdempotency(request: IdempotencyRestore): Promise<boolean>
  /** Raises an epoch to at least `epoch`; changes nothing for an unknown account. */
  restoreLinkEpoch(request: LinkEpochRestore): Promise<void>
}

export type MoveState =
  /** Sealed: the data goes on elsewhere, and nothing here may change. */
  | "left"
  /** An import was begun and is not complete. */
  | "arriving"
  /** An import is complete. */
  | "arrived"

export interface Move {
  /** `SEAL_ID`, or of an import the digest of what is imported. */
  readonly id: string
  readonly state: MoveState
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
