/**
 * The messages between the main thread and the writing thread. Cloning is a good part of a write's cost,
 * so a change is one flat array, and a statement's text crosses once: later it goes by its number,
 * which is its position in the order of definition.
 */
import type { ChangeOutcome, SqlValue } from "@safelight/store"
import type { Failure } from "./failure.ts"

/**
 * A change: its kind, then its steps, each a statement's number followed by the values of its
 * parameters. The kind is `PLAIN`, or of a guarded change the number of its checks: those come
 * first, read, and end the change where one returns a row; the step behind them is the guard and
 * must change a row, or the others don't run.
 */
export type EncodedChange = readonly SqlValue[]

export const PLAIN = -1

export interface StatementDefinition {
  readonly sql: string
  readonly parameterCount: number
}

export interface WriterSettings {
  readonly file: string
  readonly busyTimeoutMs: number
  readonly checkpointPages: number
  /** What the file of the log is cut to when it begins anew. */
  readonly maxLogBytes: number
  /** Bound on the file's pages; 0 for none. */
  readonly maxPages: number
}

export type WriterRequest =
  | {
      readonly kind: "commit"
      /** Statements that the thread does not know yet. */
      readonly definitions: readonly StatementDefinition[]
      readonly changes: readonly EncodedChange[]
    }
  | { readonly kind: "close" }

/** What became of each change, in order; empty where the whole batch failed. */
export interface WriterAnswer {
  readonly failure: Failure | null
  /** Whether a batch that failed surely left nothing that a later start could find. */
  readonly isUndone: boolean
  readonly outcomes: readonly (ChangeOutcome | Failure)[]
}
