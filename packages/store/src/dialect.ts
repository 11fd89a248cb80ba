/**
 * What differs between the databases, as one small object that a driver hands in. Everything
 * else in this package is the same for all of them; nothing asks for a dialect's name.
 */
import type { ColumnDataType, Dialect, RawBuilder } from "kysely"

/** What is bound. Bytes are a list as the dialect writes it down. */
export type SqlValue = string | number | null | Uint8Array

export interface StoreDialect {
  /** Kysely's dialect without its driver: statements are compiled here and run elsewhere. */
  readonly kysely: Omit<Dialect, "createDriver">
  /** The type of ids: text that sorts by its bytes, since `scan` pages by it. */
  readonly idType: ColumnDataType | RawBuilder<unknown>
  /** An integer that holds every safe integer of JavaScript. */
  readonly integerType: ColumnDataType
  /** What follows the definition of a table that is read by its primary key. */
  readonly keyedTable: RawBuilder<unknown>
  /** What follows the definition of a table whose rows are large. */
  readonly wideTable: RawBuilder<unknown>
  /** Statements that make a table refuse UPDATE and DELETE. */
  readonly makeAppendOnly: (table: string) => readonly RawBuilder<unknown>[]
  /** Whether a select may lock its rows and pass over those that others have locked. */
  readonly canSkipLocked: boolean
  /**
   * The JSON text of a member of a column that holds JSON: `"fal"` with its quotes. Null if it is missing.
   */
  readonly toMemberJson: (column: string, path: readonly string[]) => RawBuilder<string | null>
  /** A list of texts as it is bound, as one parameter. */
  readonly toList: (texts: readonly string[]) => SqlValue
  /** The members of a list that is bound so, for use behind `in`. */
  readonly toMembers: (list: unknown) => RawBuilder<string>
  /** A JSON object of counts that is bound as one text, as a table of `key` and `count`. */
  readonly toCounts: (json: unknown) => RawBuilder<unknown>
}
