/** A batch judged change by change, in the transaction that commits what stands. */
import { toBatchRows } from "./batch-rows.ts"
import { toBatchStatement } from "./batch-statement.ts"
import type { Change } from "./change.ts"
import type { Connection } from "./connection.ts"
import { judge, type Judgement } from "./judge.ts"

/** One transaction: judged, written, committed. Rejects where the survivors can't stand. */
export async function commitJudged(
  connection: Connection,
  changes: readonly Change[],
): Promise<Judgement> {
  let judgement: Judgement
  try {
    const begun = connection.execute("begin")
    const judged = judge(changes, connection.run)
    ;[, judgement] = await Promise.all([begun, judged])
  } catch (error) {
    await undo(connection)
    throw error
  }
  const { survivors } = judgement
  if (survivors.length === 0) {
    await connection.execute("commit")
    return judgement
  }
  // The commit behind a statement that failed undoes the transaction.
  await Promise.all([
    connection.run(toBatchStatement(toBatchRows(survivors, false))),
    connection.execute("commit"),
  ])
  return judgement
}

/** A connection that can't undo is not used again. */
async function undo(connection: Connection): Promise<void> {
  try {
    await connection.execute("rollback")
  } catch {
    connection.destroy()
  }
}
