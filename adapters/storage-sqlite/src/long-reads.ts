/**
 * Reads of many rows: sums, counts and pages of an audit. They have a thread of their own, one at a
 * time, so that one account's bill never holds up the requests of all the others. While one waits,
 * the same question is not put a second time; one under way is not shared, since it may not see what
 * was stored since. Between two reads nobody reads, so that SQLite can begin its log anew: read
 * after read without a gap would let it grow for ever.
 */
import { SafelightError } from "@safelight/core"
import { closed, type RawRows } from "@safelight/store"
import { DEFAULTS } from "./defaults.ts"
import type { LongRead } from "./reading-thread-body.ts"
import type { ReadingThread } from "./reading-thread.ts"

export interface LongReads {
  /**
   * The rows of each statement, all of one state of the database. Rejects with a `SafelightError`,
   * `overloaded` where too many wait, or too many of the `account` that asks.
   */
  ask(read: LongRead, account?: string): Promise<readonly RawRows[]>
  close(): Promise<void>
}

interface Question {
  readonly read: LongRead
  readonly account: string | undefined
  readonly answer: PromiseWithResolvers<readonly RawRows[]>
}

export interface LongReadsOptions {
  readonly thread: ReadingThread
  /** Has SQLite begin its log anew where it has grown too long; called while nothing is read here. */
  readonly shortenLog: () => Promise<void>
}

export function createLongReads({ thread, shortenLog }: LongReadsOptions): LongReads {
  /** Not asked yet, by what is asked, in the order of arrival. */
  const waiting = new Map<string, Question>()
  let isAsking = false
  let isClosed = false

  async function askWaiting(): Promise<void> {
    isAsking = true
    for (const [key, { read, answer }] of waiting) {
      // oxlint-disable-next-line no-await-in-loop -- one at a time
      await shortenLog()
      waiting.delete(key)
      // oxlint-disable-next-line no-await-in-loop -- one at a time
      await thread.ask(read).then(answer.resolve, answer.reject)
    }
    isAsking = false
  }

  return {
    async ask(read, account) {
      if (isClosed) throw closed()
      const key = JSON.stringify(read)
      const known = waiting.get(key)
      if (known !== undefined) return known.answer.promise
      if (isFull(waiting, account)) throw overloaded()
      const question = { read, account, answer: Promise.withResolvers<readonly RawRows[]>() }
      waiting.set(key, question)
      if (!isAsking) void askWaiting()
      return question.answer.promise
    },
    async close() {
      isClosed = true
      for (const { answer } of waiting.values()) answer.reject(closed())
      waiting.clear()
      await thread.end()
    },
  }
}

/** No account may take all places, and no number of accounts more than there are. */
function isFull(waiting: ReadonlyMap<string, Question>, account: string | undefined): boolean {
  if (waiting.size >= DEFAULTS.maxLongReads) return true
  if (account === undefined) return false
  const own = Array.from(waiting.values()).filter((question) => question.account === account)
  return own.length >= DEFAULTS.maxLongReadsOfAccount
}

function overloaded(): SafelightError {
  const message = "too many sums wait to be added up; ask again later"
  return new SafelightError({
    code: "overloaded",
    message,
    retryable: true,
    retryAfterMs: 1_000,
    isUndone: true,
  })
}
