/** Undoing what a transaction did that failed. A connection that can't undo is not used again. */
import type { Connection } from "./connection.ts"

export async function undo(connection: Connection): Promise<void> {
  try {
    await connection.execute("rollback")
  } catch {
    connection.destroy()
  }
}
