/** A batch judged change by change, in the transaction that commits what stands. */
import { toBatchRows } from "./batch-rows.ts"
import { toBatchStatement } from "./batch-statement.ts"
import type { Change } from "./change.ts"
import type { Connection } from "./connection.ts"
import { judge, type Judgement } from "./judge.ts"
import { undo } from "./undo.ts"

/**
 * The lock is the one that the batch's own statement takes later: whoever sets an account's first
 * bound either waits for all of this, or is waited for before anything is judged.
 */
const BEGIN = "begin; lock table account_totals in row exclusive mode"

/** One transaction: judged, written, committed. Rejects where the survivors can't stand. */
export async function commitJudged(
  connection: Connection,
  changes: readonly Change[],
  asksHeld: boolean,
): Promise<Judgement> {
  try {
    const begun = connection.execute(BEGIN)
    const [, judgement] = await Promise.all([begun, judge(changes, connection.run, asksHeld)])
    await writeSurvivors(connection, judgement)
    return judgement
  } catch (error) {
    await undo(connection)
    throw error
  }
}

async function writeSurvivors(connection: Connection, { survivors }: Judgement): Promise<void> {
  if (survivors.length === 0) {
    await connection.execute("commit")
    return
  }
  const statement = toBatchStatement(toBatchRows(survivors, false))
  // The commit behind a statement that failed undoes the transaction.
  await Promise.all([connection.run(statement), connection.execute("commit")])
}
