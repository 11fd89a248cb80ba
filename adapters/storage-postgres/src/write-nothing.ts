/**
 * The proof that a connection can write: a row that is inserted where every task's is, and undone. A
 * server that is read-only refuses it, and so does one without room, where the row needs new pages.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { undo } from "./commit-batch.ts"
import type { PostgresConnection } from "./connection.ts"

/** More than free pages of a table are likely to hold; it can't be compressed. */
const LARGE_BYTES = 262_144

/** `isLarge`: whether the row has to need room that the table does not have yet. */
export async function writeNothing(
  connection: PostgresConnection,
  isLarge: boolean,
): Promise<void> {
  const body = isLarge ? randomBytes(LARGE_BYTES).toString("base64") : ""
  const task = randomUUID().replaceAll("-", "")
  const row = `('\\x${task}', 'readiness', '', '${body}')`
  try {
    await connection.execute(
      `begin; insert into inputs (task, name, salt, body) values ${row}; rollback`,
    )
  } catch (error) {
    await undo(connection)
    throw error
  }
}
