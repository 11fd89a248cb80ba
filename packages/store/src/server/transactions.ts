/**
 * Transactions of several statements, each on a connection of its own while it lasts. One that fails
 * ends its session: that undoes it also where the server does not answer any more.
 */
import { setTimeout } from "node:timers/promises"
import { createSemaphore } from "@safelight/core"
import { closed, isPassing, isUnreached, toFault, toSafelightError } from "../sql/database-error.ts"
import { SERVER_PATIENCE } from "../writing/patience.ts"
import { isConfirmed, type Connection, type OpenConnection } from "./connection.ts"

export type Session = Pick<Connection, "runStep" | "execute">

export interface Transactions {
  /**
   * Runs `work` in one transaction, which is undone if it rejects. `begin` says which kind. A transaction
   * that fails for a passing reason is tried again, a few times. Rejects with a `SafelightError`.
   */
  readonly transact: <Result>(
    begin: string,
    work: (session: Session) => Promise<Result>,
  ) => Promise<Result>
  readonly close: () => void
}

/** A transaction that loses against others this often rejects. */
const MOST_TRIES = 5

export interface TransactionsOptions {
  /** How many run at once; others wait, in the order of arrival. */
  readonly most: number
  /** Whether they change nothing: one whose connection is lost may then be tried once more. */
  readonly isReading?: boolean
  /** How often one is tried that fails for a passing reason, or whose connection is lost. */
  readonly mostTries?: number
}

export function createTransactions(
  open: OpenConnection,
  { most, isReading = false, mostTries = MOST_TRIES }: TransactionsOptions,
): Transactions {
  const idle: Connection[] = []
  const inUse = new Set<Connection>()
  const semaphore = createSemaphore({ permits: most, name: "transactions" })
  let isClosed = false

  async function run<Result>(
    begin: string,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const connection = (await takeConfirmed(idle)) ?? (await open())
    inUse.add(connection)
    try {
      if (isClosed) throw closed()
      await connection.execute(begin)
      const result = await work(connection)
      await connection.execute("commit")
      if (isClosed) connection.destroy()
      else idle.push(connection)
      return result
    } catch (error) {
      connection.destroy()
      throw error
    } finally {
      inUse.delete(connection)
    }
  }

  return {
    async transact(begin, work) {
      if (isClosed) throw closed()
      return semaphore.run(() => persist(() => run(begin, work), { isReading, mostTries }))
    },
    close() {
      isClosed = true
      for (const connection of [...idle, ...inUse]) connection.destroy()
    },
  }
}

async function persist<Result>(
  call: () => Promise<Result>,
  { isReading, mostTries }: Pick<Required<TransactionsOptions>, "isReading" | "mostTries">,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      // A read that was too slow is as slow again.
      const isTooSlow = isReading && toFault(error) === "held"
      const mayPass = isPassing(error) && tries < mostTries && !isTooSlow
      const isRepeatable = isUnreached(error) && isReading && tries === 1 && mostTries > 1
      if (!mayPass && !isRepeatable) throw toSafelightError(error)
      await setTimeout(SERVER_PATIENCE.retryMs * tries)
    }
  }
}

async function takeConfirmed(idle: Connection[]): Promise<Connection | undefined> {
  for (let found = idle.pop(); found !== undefined; found = idle.pop()) {
    // oxlint-disable-next-line no-await-in-loop -- the next one is needed if this one has ended
    if (await isConfirmed(found)) return found
  }
  return undefined
}
