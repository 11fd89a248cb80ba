/**
 * Every statement to a server but commits of the log. A read whose connection is lost is repeated on
 * another one; a write is not, since the server may have carried it out.
 */
import {
  toStep,
  type Change,
  type ChangeOutcome,
  type Connections,
  type Step,
  type StepResult,
} from "../sql/driver.ts"
import { toRows, type RawRows } from "../sql/statement.ts"
import { toSqlName } from "../sql/tables.ts"
import type { Connection, OpenConnection } from "./connection.ts"
import { createSharedConnections } from "./shared-connections.ts"
import { createTransactions } from "./transactions.ts"

export interface Sessions extends Connections {
  readonly close: () => void
}

export interface SessionsOptions {
  readonly open: OpenConnection
  /** How many connections callers share, and how many more hold transactions. */
  readonly shared: number
  readonly transactions: number
  /** The statement that keeps others from changing a table, but not from reading it, until the transaction ends. */
  readonly toLock: (table: string) => string
}

export function createSessions(options: SessionsOptions): Sessions {
  const { open, toLock } = options
  const { ask, ...shared } = createSharedConnections(open, options.shared)
  const transactions = createTransactions(open, { most: options.transactions })
  return {
    async read(statement, values) {
      const step = toStep(statement, values)
      return toRows(statement, await ask((connection) => readStep(connection, step), 2))
    },
    async commit(change) {
      const { alone, checks = [], steps, isGuarded = false } = change
      const [only] = steps
      if (only !== undefined && steps.length + checks.length === 1 && alone === undefined) {
        const result = await ask(({ runStep }) => runStep(only), 1)
        return isGuarded ? result !== 0 : [result]
      }
      return transactions.transact("begin", async (session) => {
        if (alone !== undefined) await session.execute(toLock(toSqlName(alone)))
        return carryOut(session, change)
      })
    },
    close() {
      shared.close()
      transactions.close()
    },
  }
}

/** The rows of a step that reads. */
export async function readStep(
  { runStep }: Pick<Connection, "runStep">,
  step: Step,
): Promise<RawRows> {
  const rows = await runStep(step)
  return typeof rows === "object" ? rows : []
}

/** Carries a change out within a transaction of its own. */
export async function carryOut(
  { runStep }: Pick<Connection, "runStep">,
  { checks = [], steps, isGuarded = false }: Change,
): Promise<ChangeOutcome> {
  const results: StepResult[] = []
  for (const step of [...checks, ...steps]) {
    // oxlint-disable-next-line no-await-in-loop -- whether another follows shows behind it
    const result = await runStep(step)
    if (isGuarded && results.length === checks.length && result === 0) return false
    results.push(result)
    const isCheck = results.length <= checks.length
    if (isCheck && typeof result === "object" && result.length > 0) return results
  }
  return isGuarded || results
}
