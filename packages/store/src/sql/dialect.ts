/**
 * What differs between the databases, as one small object that a driver hands in. Everything
 * else in this package is the same for all of them; nothing asks for a dialect's name.
 */
import type { UnsequencedEvent } from "@safelight/core"
import type { Dialect, RawBuilder } from "kysely"
import type { Codec } from "./columns.ts"

/** What is bound. Bytes are a list as the dialect writes it down. */
export type SqlValue = string | number | null | Uint8Array

/** Tables, by their names in SQL. */
export interface EventNotes {
  readonly from: string
  /** Its column `events` holds a note, its key numbers itself. */
  readonly to: string
  /** Nothing is noted while this table is empty. */
  readonly whileAny: string
}

/** Which rows of an append-only table may be deleted. */
export interface Deletable {
  readonly table: string
  /** A condition in SQL; `old` is the row. */
  readonly where: string
}

/** Tables, by their names in SQL. */
export interface DeletedAtInserts {
  readonly into: string
  readonly from: string
  /** Its column. */
  readonly key: string
  /** The key that an inserted row has deleted, in SQL. */
  readonly value: (row: string) => string
}

export interface StoreDialect {
  /** Kysely's dialect without its driver: statements are compiled here and run elsewhere. */
  readonly kysely: Omit<Dialect, "createDriver">
  /** What the database program is called, as operators are shown it. */
  readonly name: string
  /** The program's version, as text. */
  readonly version: RawBuilder<string>
  /** The type of names: text that sorts by its bytes. */
  readonly nameType: string
  /** The type of a `compact` column, which has an order too: `scan` pages by it. */
  readonly compactType: string
  /** What is kept of a compact column's text; absent where that is the text itself. */
  readonly compact?: Codec
  /** An integer that holds every safe integer of JavaScript. */
  readonly integerType: "bigint" | "integer"
  /** An integer that holds a count: versions, attempts, positions. */
  readonly smallIntegerType: "integer"
  /** What follows the definition of a table that is read by its primary key. */
  readonly keyedTable: string
  /** What follows the definition of a table whose rows are large. */
  readonly wideTable: string
  /** Statements that make a table refuse UPDATE and DELETE. */
  readonly makeAppendOnly: (table: string) => readonly RawBuilder<unknown>[]
  /** Statements that let some rows of an append-only table be deleted. */
  readonly allowDeletes: (rows: Deletable) => readonly RawBuilder<unknown>[]
  /** The definition of a column that numbers rows as they are added, and is the primary key. */
  readonly numberedKey: string
  /** Statements that have every event which is added to one table noted in another, in the same commit. */
  readonly noteInserts: (notes: EventNotes) => readonly RawBuilder<unknown>[]
  /** Statements that have inserts into one table delete rows of another, in the same commit. */
  readonly deleteAtInserts: (rows: DeletedAtInserts) => readonly RawBuilder<unknown>[]
  /** Statements that turn such notes, and those to come, into another form than JSON; absent if they stay so. */
  readonly packNotes?: (notes: EventNotes) => readonly RawBuilder<unknown>[]
  /** A statement after which a column's values are kept as they are; absent if they always are. */
  readonly keepUncompressed?: (table: string, column: string) => RawBuilder<unknown>
  /** The note of events, in the order of tasks and versions: JSON, a list of task, version, moment and hash for each. */
  readonly toNote: RawBuilder<string>
  /** How many events a note has. */
  readonly noteLength: RawBuilder<number>
  /** The events of a note that is packed, in its order; absent if notes are JSON. */
  readonly fromNote?: (note: string) => readonly UnsequencedEvent[]
  /** Whether a select may lock its rows and pass over those that others have locked. */
  readonly canSkipLocked: boolean
  /**
   * The JSON text of a member of a column that holds JSON: `"fal"` with its quotes. Null if it is missing.
   */
  readonly toMemberJson: (column: string, path: readonly string[]) => RawBuilder<string | null>
  /** A list of texts as it is bound, as one parameter; `isCompact`: of a compact column's. */
  readonly toList: (texts: readonly string[], isCompact: boolean) => SqlValue
  /** The members of a list that is bound so, for use behind `in`. */
  readonly toMembers: (list: unknown, isCompact: boolean) => RawBuilder<string>
  /** A JSON object of counts that is bound as one text, as a table of `key` and `count`. */
  readonly toCounts: (json: unknown) => RawBuilder<unknown>
}
