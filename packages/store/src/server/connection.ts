/** A connection to a server, as a driver opens it: many questions may be under way on it at once. */
import type { Step, StepResult } from "../sql/driver.ts"

export interface Connection {
  /** The rows of a step that returns some, or how many it changed. Rejects with a `DatabaseError`. */
  readonly runStep: (step: Step) => Promise<StepResult>
  /** A statement without parameters, or several. */
  readonly execute: (sql: string) => Promise<void>
  /** Whether it still may be used. */
  readonly isOpen: () => boolean
  /** Ends it at once; what was asked of it rejects. */
  readonly destroy: () => void
}

/** Rejects with a `DatabaseError` of fault `unopened`. */
export type OpenConnection<Own extends Connection = Connection> = () => Promise<Own>
