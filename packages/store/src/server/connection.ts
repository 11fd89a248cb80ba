/** A connection to a server, as a driver opens it: many questions may be under way on it at once. */
import type { Step, StepResult } from "../sql/driver.ts"

export interface Connection {
  /** The rows of a step that returns some, or how many it changed. Rejects with a `DatabaseError`. */
  readonly runStep: (step: Step) => Promise<StepResult>
  /** A statement without parameters, or several. */
  readonly execute: (sql: string) => Promise<void>
  /**
   * Resolves once it is known that it still answers: at once if it did a moment ago. Rejects with a `DatabaseError` if
   * it does not; whatever would have been asked of it next was not. Absent if nothing stands between that may end it.
   */
  readonly confirm?: () => Promise<void>
  /** Whether it still may be used. */
  readonly isOpen: () => boolean
  /** Ends it at once; what was asked of it rejects. */
  readonly destroy: () => void
}

/** Rejects with a `DatabaseError` of fault `unopened`. */
export type OpenConnection<Own extends Connection = Connection> = () => Promise<Own>

/** Whether it is open and still answers; otherwise it is ended, and another one may do what was to be asked of it. */
export async function isConfirmed(connection: Connection): Promise<boolean> {
  if (!connection.isOpen()) return false
  try {
    await connection.confirm?.()
  } catch {
    connection.destroy()
  }
  return connection.isOpen()
}
