/**
 * What takes long however it is asked: sums over an account's charges, the length of the queue, pages
 * of an audit. They go one at a time over a connection of their own, so that nothing short waits behind
 * them. The same question is answered once for all who ask before it is begun; who asks later may know
 * of a newer commit, and is answered by the next.
 */
import { SafelightError } from "@safelight/core"
import type { SqlValues, Statement } from "@safelight/store"
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { hasNul } from "./named-query.ts"
import { createTransactions, type Transactions } from "./transactions.ts"

export interface Sums extends Transactions {
  /**
   * Every row; `account` is the one that asks, if any. Rejects with a `SafelightError`: `overloaded`
   * where too many questions wait, or too many of this account.
   */
  readonly read: <Row>(
    statement: Statement,
    values: SqlValues,
    account?: string,
  ) => Promise<readonly Row[]>
}

const READ = "begin read only"

export function createSums(open: () => Promise<Connection>): Sums {
  const { transact, close } = createTransactions(open, { most: 1, isReading: true })
  /** What is asked and not begun, by statement and values. */
  const waiting = new Map<string, Promise<readonly unknown[]>>()
  /** Of each account, and of all: what is not answered. */
  const asked = new Map<string | undefined, number>()
  let askedByAll = 0

  function count(account: string | undefined, change: 1 | -1): void {
    askedByAll += change
    const left = (asked.get(account) ?? 0) + change
    if (left > 0) asked.set(account, left)
    else asked.delete(account)
  }

  /** `begin` is called once the question is sent: from then on it does not see every commit. */
  async function answer(
    account: string | undefined,
    ask: (begin: () => void) => Promise<readonly unknown[]>,
    begin: () => void,
  ): Promise<readonly unknown[]> {
    count(account, 1)
    try {
      return await ask(begin)
    } finally {
      begin()
      count(account, -1)
    }
  }

  async function read(
    statement: Statement,
    values: SqlValues,
    account?: string,
  ): Promise<readonly unknown[]> {
    // PostgreSQL holds no U+0000, so no row is found by it.
    if (Object.values(values).some(hasNul)) return []
    const question = JSON.stringify([statement.sql, values])
    const same = waiting.get(question)
    if (same !== undefined) return same
    const isTooMuch =
      askedByAll >= DEFAULTS.mostSums ||
      (account !== undefined && (asked.get(account) ?? 0) >= DEFAULTS.mostSumsOfAccount)
    if (isTooMuch) throw overloaded()
    const answered = answer(
      account,
      (begin) =>
        transact(READ, ({ find }) => {
          begin()
          return find(statement, values)
        }),
      () => {
        if (waiting.get(question) === answered) waiting.delete(question)
      },
    )
    waiting.set(question, answered)
    return answered
  }

  return { read: read as Sums["read"], transact, close }
}

function overloaded(): SafelightError {
  const message = "too many sums wait for the database"
  return new SafelightError({ code: "overloaded", message, retryable: true, retryAfterMs: 1_000 })
}
