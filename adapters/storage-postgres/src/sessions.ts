/**
 * Everything that is asked of the database but commits of the log. What only reads is asked again on
 * another connection where the first was lost; a write is not, since it may have been carried out.
 */
import {
  toRows,
  toSqlName,
  toStep,
  type Change,
  type ChangeOutcome,
  type Connections,
  type StepResult,
} from "@safelight/store"
import type { Connection } from "./connection.ts"
import { hasNul, toQuery, type NamedQuery } from "./named-query.ts"
import { createSharedConnections } from "./shared-connections.ts"
import { createTransactions, type Session } from "./transactions.ts"

export interface Sessions extends Connections {
  /** Rows of a query of its own; asked twice where need be. Rejects with a `SafelightError`. */
  readonly readRows: (query: NamedQuery) => Promise<readonly (readonly unknown[])[]>
  readonly close: () => void
}

export interface SessionsOptions {
  /** How many connections callers share, and how many more hold transactions. */
  readonly shared: number
  readonly transactions: number
}

export function createSessions(
  open: () => Promise<Connection>,
  options: SessionsOptions,
): Sessions {
  const { ask, ...shared } = createSharedConnections(open, options.shared)
  const transactions = createTransactions(open, { most: options.transactions })
  return {
    async read(statement, values) {
      const step = toStep(statement, values)
      // PostgreSQL holds no U+0000, so no row is found by it.
      if (step.values.some(hasNul)) return []
      return toRows(statement, await ask(({ run }) => run(toQuery(step)), 2))
    },
    async commit(change) {
      const { alone, checks = [], steps, isGuarded = false } = change
      const [only] = steps
      if (only !== undefined && steps.length + checks.length === 1 && alone === undefined) {
        const result = await ask(({ runStep }) => runStep(only), 1)
        return isGuarded ? result !== 0 : [result]
      }
      return transactions.transact("begin", (session) => carryOut(session, change))
    },
    readRows: (query) => ask(({ run }) => run(query), 2),
    close() {
      shared.close()
      transactions.close()
    },
  }
}

async function carryOut(session: Session, change: Change): Promise<ChangeOutcome> {
  const { alone, checks = [], steps, isGuarded = false } = change
  // Nobody else changes the table until the end; reading goes on.
  if (alone !== undefined)
    await session.execute(`lock table ${toSqlName(alone)} in share row exclusive mode`)
  const results: StepResult[] = []
  for (const step of [...checks, ...steps]) {
    // oxlint-disable-next-line no-await-in-loop -- whether another follows shows behind it
    const result = await session.runStep(step)
    if (isGuarded && results.length === checks.length && result === 0) return false
    results.push(result)
    const isCheck = results.length <= checks.length
    if (isCheck && typeof result === "object" && result.length > 0) return results
  }
  return isGuarded || results
}
