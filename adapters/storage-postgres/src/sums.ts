/**
 * What takes long however it is asked: sums over an account's charges, the length of the queue, pages
 * of an audit. They go one at a time over a connection of their own, so that nothing short waits behind
 * them. The same question is answered once for all who ask before it is begun; who asks later may know
 * of a newer commit, and is answered by the next.
 */
import { SafelightError } from "@safelight/core"
import {
  toRows,
  toStep,
  type Driver,
  type RawRows,
  type SnapshotRequest,
  type Step,
} from "@safelight/store"
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { hasNul } from "./named-query.ts"
import { createTransactions } from "./transactions.ts"

export interface Sums {
  /** As a driver's. */
  readonly read: Driver["readLong"]
  readonly snapshot: Driver["snapshot"]
  readonly close: () => void
}

const READ = "begin read only"
const ONE_SNAPSHOT = "begin isolation level repeatable read read only"

export function createSums(open: () => Promise<Connection>): Sums {
  const { transact, close } = createTransactions(open, { most: 1, isReading: true })
  /** What is asked and not begun, by statement and values. */
  const waiting = new Map<string, Promise<RawRows>>()
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
    ask: (begin: () => void) => Promise<RawRows>,
    begin: () => void,
  ): Promise<RawRows> {
    count(account, 1)
    try {
      return await ask(begin)
    } finally {
      begin()
      count(account, -1)
    }
  }

  async function readOnce(step: Step, account: string | undefined): Promise<RawRows> {
    // PostgreSQL holds no U+0000, so no row is found by it.
    if (step.values.some(hasNul)) return []
    const question = JSON.stringify([step.statement.sql, step.values])
    const same = waiting.get(question)
    if (same !== undefined) return same
    const isTooMuch =
      askedByAll >= DEFAULTS.mostSums ||
      (account !== undefined && (asked.get(account) ?? 0) >= DEFAULTS.mostSumsOfAccount)
    if (isTooMuch) throw overloaded()
    const answered = answer(
      account,
      (begin) =>
        transact(READ, ({ runStep }) => {
          begin()
          return rowsOf(runStep, step)
        }),
      () => {
        if (waiting.get(question) === answered) waiting.delete(question)
      },
    )
    waiting.set(question, answered)
    return answered
  }

  return {
    read: async (statement, values, account) =>
      toRows(statement, await readOnce(toStep(statement, values), account)),
    snapshot: (request) => transact(ONE_SNAPSHOT, ({ runStep }) => readSnapshot(runStep, request)),
    close,
  }
}

async function readSnapshot(
  runStep: Connection["runStep"],
  { first, others, after, limit }: SnapshotRequest,
): Promise<readonly RawRows[]> {
  const ids = await rowsOf(runStep, toStep(first, { after, limit }))
  const last = ids.at(-1)?.[0]
  if (typeof last !== "string") return [ids]
  const steps = others.map((statement) => toStep(statement, { after, last }))
  return [ids, ...(await Promise.all(steps.map((step) => rowsOf(runStep, step))))]
}

async function rowsOf(runStep: Connection["runStep"], step: Step): Promise<RawRows> {
  const rows = await runStep(step)
  return typeof rows === "object" ? rows : []
}

function overloaded(): SafelightError {
  const message = "too many sums wait for the database"
  return new SafelightError({ code: "overloaded", message, retryable: true, retryAfterMs: 1_000 })
}
