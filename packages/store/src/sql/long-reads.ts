/**
 * Reads that always take long: sums over an account's charges, the length of the queue, pages of an audit.
 * They run one at a time over a connection of their own, so that no short read waits behind them. Equal
 * questions that wait are asked once. An answer that is under way is not shared, since a caller that asks now
 * may know of a newer commit.
 */
import { closed, overloaded } from "./database-error.ts"
import { toStep, type Question, type SnapshotRequest, type Step } from "./driver.ts"
import { toRows, type RawRows, type Statement } from "./statement.ts"

export interface LongReads {
  /** Every row. Rejects with `overloaded` where too many questions wait, or too many of this account. */
  readonly readLong: <Row, Values>(
    statement: Statement<Row, Values>,
    values: NoInfer<Values>,
    account?: string,
  ) => Promise<readonly Row[]>
  /** Rows of several statements, of one state of the database. */
  readonly snapshot: (request: SnapshotRequest) => Promise<readonly RawRows[]>
  /** Questions that wait reject. */
  readonly close: () => void
}

/** Questions that wait; each takes some 2 µs for a charge. */
export const MOST_WAITING = 64
/** Of one account: a caller that asks for many periods leaves room for others. */
export const MOST_OF_ACCOUNT = 16

interface Waiting {
  readonly question: Question
  readonly account: string | undefined
  readonly answer: PromiseWithResolvers<readonly RawRows[]>
}

export function createLongReads(
  answer: (question: Question) => Promise<readonly RawRows[]>,
): LongReads {
  /** By what is asked, in the order of arrival. */
  const waiting = new Map<string, Waiting>()
  let isAsking = false
  let isClosed = false

  async function askWaiting(): Promise<void> {
    isAsking = true
    for (const [key, next] of waiting) {
      waiting.delete(key)
      // oxlint-disable-next-line no-await-in-loop -- one at a time
      await answer(next.question).then(next.answer.resolve, next.answer.reject)
    }
    isAsking = false
  }

  async function ask(question: Question, account?: string): Promise<readonly RawRows[]> {
    if (isClosed) throw closed()
    const key = JSON.stringify(question.map(({ step, lastAt }) => [toSql(step), lastAt]))
    const same = waiting.get(key)
    if (same !== undefined) return same.answer.promise
    if (isFull(waiting, account)) throw overloaded("too many sums wait to be added up")
    const next = { question, account, answer: Promise.withResolvers<readonly RawRows[]>() }
    waiting.set(key, next)
    if (!isAsking) void askWaiting()
    return next.answer.promise
  }

  return {
    async readLong(statement, values, account) {
      const [rows = []] = await ask([{ step: toStep(statement, values), lastAt: [] }], account)
      return toRows(statement, rows)
    },
    snapshot({ first, others, after, limit }) {
      const rest = others.map((statement) => ({
        step: toStep(statement, { after, last: "" }),
        lastAt: statement.parameters.flatMap(({ name }, at) => (name === "last" ? at : [])),
      }))
      return ask([{ step: toStep(first, { after, limit }), lastAt: [] }, ...rest])
    },
    close() {
      isClosed = true
      for (const next of waiting.values()) next.answer.reject(closed())
      waiting.clear()
    },
  }
}

function toSql({ statement, values }: Step): unknown {
  return [statement.sql, values]
}

/** No account may take all the room, and no number of accounts more than there is. */
function isFull(waiting: ReadonlyMap<string, Waiting>, account: string | undefined): boolean {
  if (waiting.size >= MOST_WAITING) return true
  if (account === undefined) return false
  const own = Array.from(waiting.values()).filter((question) => question.account === account)
  return own.length >= MOST_OF_ACCOUNT
}
