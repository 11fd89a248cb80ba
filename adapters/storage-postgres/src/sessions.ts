/**
 * Everything that is asked of the database but commits. What only reads is asked again on another
 * connection where the first was lost; a write is not, since it may have been carried out.
 */
import type { SqlValues, Statement } from "@safelight/store"
import type { Connection } from "./connection.ts"
import { hasNul, toQuery, type NamedQuery } from "./named-query.ts"
import { createSharedConnections } from "./shared-connections.ts"
import { createTransactions, type Transactions } from "./transactions.ts"

export interface Sessions extends Transactions {
  /** Every row; asked twice where need be. Rejects with a `SafelightError`, as the others do. */
  readonly read: <Row>(statement: Statement, values: SqlValues) => Promise<readonly Row[]>
  /** The same, once. */
  readonly write: <Row>(statement: Statement, values: SqlValues) => Promise<readonly Row[]>
  /** Resolves to how many rows it changed; once. */
  readonly change: (statement: Statement, values: SqlValues) => Promise<number>
  /** Rows as arrays; asked twice where need be. */
  readonly readRows: (query: NamedQuery) => Promise<readonly (readonly unknown[])[]>
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
  const shared = createSharedConnections(open, options.shared)
  const transactions = createTransactions(open, { most: options.transactions })
  const { ask } = shared
  return {
    async read(statement, values) {
      // PostgreSQL holds no U+0000, so no row is found by it.
      if (Object.values(values).some(hasNul)) return []
      return ask(({ find }) => find(toQuery(statement, values)), 2)
    },
    write: (statement, values) => ask(({ find }) => find(toQuery(statement, values)), 1),
    change: (statement, values) => ask(({ change }) => change(toQuery(statement, values)), 1),
    readRows: (query) => ask(({ run }) => run(query), 2),
    transact: transactions.transact,
    close() {
      shared.close()
      transactions.close()
    },
  }
}
