/**
 * What a database has to offer: a few ways to run statements. Every method of the port stands in this
 * package over these; a driver decides nothing that two databases would decide alike.
 */
import type { SqlValue, StoreDialect } from "./dialect.ts"
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

export interface Driver extends Connections {
  readonly dialect: StoreDialect
  /** The same for takings and heartbeats, which nothing else may hold up. */
  readonly queue: Connections
  /**
   * What takes long however it is asked. It shares no connection with `read`; the same question is
   * answered once for all who ask before it is begun. Rejects with `overloaded` where too many questions
   * wait, or too many of this account.
   */
  readonly readLong: <Row, Values>(
    statement: Statement<Row, Values>,
    values: NoInfer<Values>,
    account?: string,
  ) => Promise<readonly Row[]>
  /** Rows of several statements, of one state of the database; it takes as long as `readLong`. */
  readonly snapshot: (request: SnapshotRequest) => Promise<readonly RawRows[]>
  /**
   * A number that is another one with every commit. Absent where it takes as long to read as a row; with
   * it, what was read once needs no reading again while the number stays.
   */
  readonly readState?: () => number
  /**
   * Whether rows that were changed stay in an index for a while: then a queue is not read from its
   * front each time.
   */
  readonly keepsDeadRows: boolean
  readonly readOrigin: () => Promise<Origins>
}

/** `first` gives ids; the others are run with the last of them as `last`, and not at all without one. */
export interface SnapshotRequest {
  readonly first: Statement<
    { readonly id: string },
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
