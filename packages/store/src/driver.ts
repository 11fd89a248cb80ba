/**
 * What a database has to offer: a few ways to run statements. Every method of the port stands in this
 * package over these; a driver decides nothing that two databases would decide alike.
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

/** Binds the values here, so that a statement that lacks one fails at its caller. */
export function toStep<Values>(
  statement: Statement<unknown, Values>,
  values: NoInfer<Values>,
): Step {
  return { statement, values: bind(statement, values) }
}

/** Steps that are carried out in their order in one commit, all or nothing. */
export interface Change {
  /** They only read: where one of them returns a row, the change ends with it, and nothing is changed. */
  readonly checks?: readonly Step[]
  readonly steps: readonly Step[]
  /** Whether the first step has to change a row; the others don't run where it doesn't. */
  readonly isGuarded?: boolean
  /** A table that nobody else changes meanwhile, where a database has several writers. */
  readonly alone?: TableName
}

/** What a step gave: how many rows it changed, or the rows that it returned. */
export type StepResult = number | RawRows

/**
 * Whether a guarded change was made, or what each step gave: of any other change, and of a guarded
 * one, or one with checks, up to the check that ended it.
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

/** What a database has to offer. A member that may be absent is a capability, or has a slower way. */
export interface Driver extends Connections {
  readonly dialect: StoreDialect
  /** The same for takings and heartbeats, which nothing else may hold up. */
  readonly queue: Connections
  /**
   * Answers a question that takes long: the rows of its parts, all of one state of the database. It is
   * called once at a time, and shares no connection with `read`.
   */
  readonly answer: (question: Question) => Promise<readonly RawRows[]>
  /** Writes the log in batches. Absent: an append is a change like others, and `commit` makes the batches. */
  readonly writeLog?: WriteLog
  /** Where there are several processes. */
  readonly notifications?: Notifications
  /**
   * A number that is another one with every commit. Absent where it takes as long to read as a row; with
   * it, what was read once needs no reading again while the number stays.
   */
  readonly readState?: () => number
  /** The database's own wall clock, ms of the Unix epoch; absent where it is this machine's. */
  readonly readClock?: () => Promise<number>
  /**
   * Whether rows that were changed stay in an index for a while: then a queue is not read from its
   * front each time.
   */
  readonly keepsDeadRows: boolean
  readonly readOrigin: () => Promise<Origins>
  /** Resolves where changes are committed right now; rejects with a `SafelightError`. */
  readonly check: () => Promise<void>
  /** Resolves once what was handed in is settled and every connection has ended. Called once. */
  readonly close: () => Promise<void>
}

/** A driver as the methods see it. */
export type Database = Driver & Pick<LongReads, "readLong" | "snapshot">

/** The first part is run as it stands, the others with what it found; without a row they aren't run. */
export type Question = readonly QuestionPart[]

export interface QuestionPart {
  readonly step: Step
  /** Where the first value of the first part's last row goes among the values. */
  readonly lastAt: readonly number[]
}

/** Short texts from process to process; one may get lost. Both reject with a `DatabaseError`. */
export interface Notifications {
  readonly notify: (payload: string) => Promise<void>
  /** Resolves once payloads are received, those sent here too. */
  readonly listen: (onPayload: (payload: string) => void) => Promise<Listening>
}

export interface Listening {
  /** Resolves once nothing is received any more, whatever the reason. */
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
  /** All that can be told, to be recorded. */
  readonly whole: DatabaseOrigin
  /** What may be compared with a record. */
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
