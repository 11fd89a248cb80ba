/**
 * What a database must offer: a few ways to run statements. Every method of the port is written over these;
 * a driver decides nothing that two databases would decide alike.
 */
import type { SqlValue, StoreDialect } from "./dialect.ts"
import type { WriteLog } from "./log-change.ts"
import type { LongReads } from "./long-reads.ts"
import { bind, toRows, type RawRows, type Statement } from "./statement.ts"
import type { DatabaseOrigin, TableName } from "./tables.ts"

/** A statement with the values that it runs with. */
export interface Step {
  readonly statement: Statement
  readonly values: readonly SqlValue[]
}

/** Binds the values, so that a missing one fails at the caller. */
export function toStep<Values>(
  statement: Statement<unknown, Values>,
  values: NoInfer<Values>,
): Step {
  return { statement, values: bind(statement, values) }
}

/** Steps that are carried out in order in one commit, all or nothing. */
export interface Change {
  /** Reads that come first: if one of them returns a row, the change ends there and changes nothing. */
  readonly checks?: readonly Step[]
  readonly steps: readonly Step[]
  /** Whether the first step must change a row; if it changes none, the others don't run. */
  readonly isGuarded?: boolean
  /** A table that no other writer changes meanwhile; without effect if a database has one writer. */
  readonly alone?: TableName
}

/** What a step gave: how many rows it changed, or the rows that it returned. */
export type StepResult = number | RawRows

/**
 * Of a guarded change: whether it was made. Of any other change, and of one that a check ended: what each
 * step gave, up to that check.
 */
export type ChangeOutcome = boolean | readonly StepResult[]

/** The two things that most methods do. They reject with a `SafelightError`. */
export interface Connections {
  /** Every row. Sees every commit that was acknowledged before it was called. */
  readonly read: <Row, Values>(
    statement: Statement<Row, Values>,
    values: NoInfer<Values>,
  ) => Promise<readonly Row[]>
  /** Durable once resolved. */
  readonly commit: (change: Change) => Promise<ChangeOutcome>
}

/** A database. A member that may be absent is a capability, or has a slower substitute. */
export interface Driver extends Connections {
  readonly dialect: StoreDialect
  /** The same for takings and heartbeats, which no other statement may delay. */
  readonly queue: Connections
  /**
   * Answers a long question: the rows of its parts, all of one state of the database. One call is under
   * way at a time, and it shares no connection with `read`.
   */
  readonly answer: (question: Question) => Promise<readonly RawRows[]>
  /**
   * Reads where a replica may answer them; they see what those above do. Absent if there is none: then these answer
   * all.
   */
  readonly replica?: Pick<Driver, "answer" | "read">
  /** Writes the log in batches. If absent, an append is a change like others, which `commit` batches. */
  readonly writeLog?: WriteLog
  /** Where there are several processes. */
  readonly notifications?: Notifications
  /**
   * A number that changes with every commit: as long as it stays, nothing that was read needs to be read
   * again. Absent if it takes as long to read as a row.
   */
  readonly readState?: () => number
  /** The database's own wall clock, ms since the Unix epoch; absent if it is this machine's. */
  readonly readClock?: () => Promise<number>
  /**
   * Whether old versions of rows stay in indexes for a while: then the queue is not always read from its
   * front.
   */
  readonly keepsDeadRows: boolean
  readonly readOrigin: () => Promise<Origins>
  /** Resolves if changes are committed right now; rejects with a `SafelightError`. */
  readonly check: () => Promise<void>
  /** Resolves once every pending call is settled and every connection is closed. Called once. */
  readonly close: () => Promise<void>
}

/** A driver as the methods see it. */
export type Database = Driver & Pick<LongReads, "readLong" | "snapshot">

/** The first part runs as it is, the others with what it found; if it finds no row, they don't run. */
export type Question = readonly QuestionPart[]

export interface QuestionPart {
  readonly step: Step
  /** The positions among the values that take the first value of the first part's last row. */
  readonly lastAt: readonly number[]
}

/** Short texts from process to process; one may get lost. Both reject with a `DatabaseError`. */
export interface Notifications {
  readonly notify: (payload: string) => Promise<void>
  /** Resolves once payloads are received, including those sent by this process. Absent if none can be. */
  readonly listen?: (onPayload: (payload: string) => void) => Promise<Listening>
}

export interface Listening {
  /** Resolves once no more payloads are received, for whatever reason. */
  readonly ended: Promise<void>
  readonly end: () => void
}

/** `first` gives ids; the others are run with the last of them as `last`, and not at all without one. */
export interface SnapshotRequest {
  readonly first: Statement<
    { readonly task: string },
    { readonly after: string; readonly limit: number }
  >
  readonly others: readonly Statement<unknown, { readonly after: string; readonly last: string }>[]
  readonly after: string
  readonly limit: number
}

export interface Origins {
  /** All that is known, to be recorded. */
  readonly whole: DatabaseOrigin
  /** The parts that may be compared with a record. */
  readonly certain: DatabaseOrigin
}

/** The rows that one step of a change returned. */
export function rowsOf<Row>(
  statement: Statement<Row>,
  outcome: ChangeOutcome,
  index: number,
): readonly Row[] {
  const result = typeof outcome === "object" ? outcome[index] : undefined
  if (typeof result !== "object") throw new RangeError("the step is one that returns no rows")
  return toRows(statement, result)
}

/** How many rows one step of a change changed. */
export function countOf(outcome: ChangeOutcome, index: number): number {
  const result = typeof outcome === "object" ? outcome[index] : undefined
  if (typeof result !== "number") throw new RangeError("the step is one that returns rows")
  return result
}
