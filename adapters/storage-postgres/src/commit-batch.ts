/**
 * One try of a batch of appends: at once, as one statement that stands or falls as a whole, or judged
 * change by change in the transaction that commits what survives.
 */
import {
  ADMITTED,
  judge,
  type How,
  type Judgement,
  type LogChange,
  type LogOutcome,
} from "@safelight/store"
import { toBatchRows } from "./batch-rows.ts"
import { toBatchStatement } from "./batch-statement.ts"
import type { PostgresConnection } from "./connection.ts"
import { findFacts } from "./facts.ts"
import { createFullAccounts } from "./full-accounts.ts"

type CommitBatch = (
  connection: PostgresConnection,
  batch: readonly LogChange[],
  how: How,
) => Promise<Judgement["outcomes"]>

/** For all lanes: which accounts were full lately is known to each of them. */
export function createBatchCommit(): CommitBatch {
  const full = createFullAccounts()
  return async (connection, batch, how) => {
    if (!how.judgesEach && !full.areIn(batch)) {
      await connection.run(toBatchStatement(toBatchRows(batch, true)))
      return batch.map((): LogOutcome => ADMITTED)
    }
    const outcomes = await commitJudged(connection, batch, how)
    full.note(batch, outcomes)
    return outcomes
  }
}

/**
 * The lock is the one that the batch's own statement takes later: a transaction that sets an account's first
 * limit either waits for this one, or this one waits for it before anything is judged.
 */
const BEGIN = "begin; lock table account_totals in row exclusive mode"

/** Rejects where the survivors can't stand. */
async function commitJudged(
  connection: PostgresConnection,
  batch: readonly LogChange[],
  how: How,
): Promise<Judgement["outcomes"]> {
  try {
    const begun = connection.execute(BEGIN)
    const [, facts] = await Promise.all([begun, findFacts(batch, connection, how.lockTimeouts > 0)])
    const { outcomes, survivors } = judge(batch, facts, how)
    if (survivors.length > 0) {
      // The commit behind a statement that failed undoes the transaction.
      const written = connection.run(toBatchStatement(toBatchRows(survivors, false)))
      await Promise.all([written, connection.execute("commit")])
    } else await connection.execute("commit")
    return outcomes
  } catch (error) {
    await undo(connection)
    throw error
  }
}

/** A connection whose rollback fails is not used again. */
export async function undo(connection: PostgresConnection): Promise<void> {
  try {
    await connection.execute("rollback")
  } catch {
    connection.destroy()
  }
}
