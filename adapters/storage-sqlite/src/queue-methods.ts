/**
 * Claims and due moments. Claims go through the writer, one behind the other, so two callers never
 * get the same task; what is only looked for is read.
 */
import type { Log, QueueStorage } from "@safelight/core"
import {
  EMPTY_QUEUE,
  fromQueueMeasureRecord,
  fromQueuePeekRecord,
  QUEUE_FRONT,
  toClaimed,
  toModelValues,
  toReadableHead,
  type ClaimRecord,
  type QueueMeasureRecord,
  type QueuePeekRecord,
  type SqlValue,
  type StartedTurnRecord,
  type SqlValues,
  type Statement,
  type StoreStatements,
} from "@safelight/store"
import type { ClaimMethods } from "./claim-methods.ts"
import { createEncoder } from "./encode-change.ts"
import type { LongReads } from "./long-reads.ts"
import type { Reader } from "./reader.ts"
import { toRows } from "./step-rows.ts"
import type { Writer } from "./writer.ts"

export type QueueMethods = Omit<QueueStorage, keyof ClaimMethods | "onQueued">

interface HeadRecord {
  readonly snapshot: string
  readonly hash: string
}

export interface QueueMethodOptions {
  readonly writer: Writer
  readonly reader: Reader
  readonly longReads: LongReads
  readonly statements: StoreStatements
  readonly log: Log
}

export function createQueueMethods(options: QueueMethodOptions): QueueMethods {
  const { reader, longReads, writer, statements } = options
  const { plain } = createEncoder(writer.toNumber)
  const { append, queue, read } = statements
  const findDue = async (statement: Statement, values: SqlValues) =>
    reader
      .all<HeadRecord>(statement, values)
      .flatMap(({ snapshot, hash }) => toReadableHead(snapshot, hash, options.log))
  return {
    async claim(request) {
      const { models, now, limit, claim, exceptAccounts = [], exceptStarts = false } = request
      if (models.length === 0 || limit <= 0) return []
      const statement = queue.claim({
        modelCount: models.length,
        exceptsAccounts: !exceptStarts && exceptAccounts.length > 0,
        exceptsStarts: exceptStarts,
      })
      const except_accounts = JSON.stringify(exceptAccounts)
      const asked = { ...toModelValues(models), ...QUEUE_FRONT, now, limit }
      const values = { ...asked, except_accounts, claim }
      const outcome = await writer.write(plain([{ statement, values }]))
      return toClaimed(toRows(outcome, 0).map(toClaimRecord), claim, options.log)
    },
    async release({ claim, tasks, dueAt, keepsTurns = false }) {
      const statement = keepsTurns ? queue.releaseInTurn : queue.release
      const values = { claim, due_at: dueAt, tasks: JSON.stringify(tasks) }
      await writer.write(plain([{ statement, values }]))
    },
    findOverdue: (request) => findDue(read.findOverdue, { ...request }),
    findRetained: (request) => findDue(read.findRetained, { ...request }),
    async retain({ task, dueAt }) {
      const step =
        dueAt === null
          ? { statement: append.dropRetention, values: { task } }
          : { statement: append.retain, values: { task, due_at: dueAt } }
      await writer.write(plain([step]))
    },
    async peekQueue({ models, now, most }) {
      if (models.length === 0) return EMPTY_QUEUE
      const values = { ...toModelValues(models), ...QUEUE_FRONT, limit: most, now }
      const [record] = reader.all<QueuePeekRecord>(queue.peek(models.length), values)
      return record === undefined ? EMPTY_QUEUE : fromQueuePeekRecord(record, most)
    },
    async findStartedTurn({ models }) {
      if (models.length === 0) return null
      const statement = queue.startedTurn(models.length)
      return reader.all<StartedTurnRecord>(statement, toModelValues(models))[0]?.turn ?? null
    },
    async measureQueue() {
      const records = await longReads.all<QueueMeasureRecord>(queue.measure, {})
      return records.map(fromQueueMeasureRecord)
    },
  }
}

/** Rows as the writing thread gives them, by the names of their columns. */
function toClaimRecord([task, due_at, turn, snapshot, hash]: readonly SqlValue[]): ClaimRecord {
  return { task, due_at, turn, snapshot, hash } as ClaimRecord
}
