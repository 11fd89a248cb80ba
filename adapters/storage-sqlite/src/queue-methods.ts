/**
 * The queue. Takings go through the writer, one behind the other, so two callers never
 * get the same task; what is only looked for is read.
 */
import type { Log, QueueStorage } from "@safelight/core"
import {
  EMPTY_QUEUE,
  fromQueueMeasureRecord,
  fromQueuePeekRecord,
  fromRunningLimitRecords,
  QUEUE_FRONT,
  toTaken,
  toModelValues,
  toReadableHead,
  toTakeShape,
  type TakenRecord,
  type QueueMeasureRecord,
  type QueuePeekRecord,
  type RunningLimitRecord,
  type SqlValue,
  type StartedTagRecord,
  type SqlValues,
  type Statement,
  type StoreStatements,
} from "@safelight/store"
import type { LeaseMethods } from "./lease-methods.ts"
import { createEncoder } from "./encode-change.ts"
import type { LongReads } from "./long-reads.ts"
import type { Reader } from "./reader.ts"
import { toRows } from "./step-rows.ts"
import type { Writer } from "./writer.ts"

export type QueueMethods = Omit<QueueStorage, keyof LeaseMethods | "onQueued">

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
    async take(request) {
      const { lease, models, now, limit } = request
      if (models.length === 0 || limit <= 0) return []
      const { shape, lists } = toTakeShape(request)
      const asked = { ...toModelValues(models), ...QUEUE_FRONT, now, limit, lease }
      const values = {
        ...asked,
        except_accounts: JSON.stringify(lists.except),
        permits: lists.permits,
      }
      const outcome = await writer.write(plain([{ statement: queue.take(shape), values }]))
      return toTaken(toRows(outcome, 0).map(toTakenRecord), lease, options.log)
    },
    async release({ lease, tasks, dueAt, startsAnew = false }) {
      const statement = startsAnew ? queue.releaseAnew : queue.release
      const values = { lease, due_at: dueAt, tasks: JSON.stringify(tasks) }
      await writer.write(plain([{ statement, values }]))
    },
    async findRunningLimits(accounts) {
      const values = { accounts: JSON.stringify(accounts) }
      const records = reader.all<RunningLimitRecord>(queue.runningLimits, values)
      return fromRunningLimitRecords(accounts, records)
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
    async findStartedTag({ models }) {
      if (models.length === 0) return null
      const statement = queue.startedTag(models.length)
      return reader.all<StartedTagRecord>(statement, toModelValues(models))[0]?.start_tag ?? null
    },
    async measureQueue() {
      const records = await longReads.all<QueueMeasureRecord>(queue.measure, {})
      return records.map(fromQueueMeasureRecord)
    },
  }
}

/** Rows as the writing thread gives them, by the names of their columns. */
function toTakenRecord(row: readonly SqlValue[]): TakenRecord {
  const [task, due_at, start_tag, running_limit, snapshot, hash] = row
  return { task, due_at, start_tag, running_limit, snapshot, hash } as TakenRecord
}
