/**
 * Taking tasks from the queue, and what is looked for in it. Rows that another caller is just taking
 * are passed over, so callers never wait for each other and never get the same task.
 */
import type { Log, PeekRequest, QueuePeek, QueueStorage } from "@safelight/core"
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
  type QueueFront,
  type QueueMeasureRecord,
  type QueuePeekRecord,
  type RunningLimitRecord,
  type StartedTagRecord,
  type SqlValues,
  type Statement,
  type StoreStatements,
} from "@safelight/store"
import { toArrayLiteral } from "./array-literal.ts"
import { createTakeCursor, type TakeCursor } from "./take-cursor.ts"
import type { LeaseMethods } from "./lease-methods.ts"
import type { Sessions } from "./sessions.ts"
import type { Sums } from "./sums.ts"

export type QueueMethods = Omit<
  QueueStorage,
  keyof LeaseMethods | "onQueued" | "wakeHolder" | "onHolderWoken"
>

interface HeadRecord {
  readonly snapshot: string
  readonly hash: string
}

export interface QueueParts {
  /** For look-ups and short changes. */
  readonly sessions: Sessions
  /** For takings, which nothing else must hold up. */
  readonly claiming: Sessions
  readonly sums: Sums
  readonly log: Log
  /** Tasks are anybody's again. */
  readonly onReleased: () => void
}

export function createQueueMethods(
  { sessions, claiming, sums, log, onReleased }: QueueParts,
  { append, queue, read }: StoreStatements,
): QueueMethods {
  const findDue = async (statement: Statement, values: SqlValues) => {
    const records = await sessions.read<HeadRecord>(statement, values)
    return records.flatMap(({ snapshot, hash }) => toReadableHead(snapshot, hash, log))
  }
  const cursorOf = createCursors()

  async function peek({ models, now, most }: PeekRequest, from: QueueFront): Promise<QueuePeek> {
    const values = { ...toModelValues(models), ...from, limit: most, now }
    const [record] = await claiming.read<QueuePeekRecord>(queue.peek(models.length), values)
    return record === undefined ? EMPTY_QUEUE : fromQueuePeekRecord(record, most)
  }

  return {
    async take(request) {
      const { lease, models, now, limit } = request
      if (models.length === 0 || limit <= 0) return []
      const cursor = cursorOf(models)
      const from = cursor.from()
      const { shape, lists } = toTakeShape(request)
      const asked = { ...toModelValues(models), ...from, now, limit, lease }
      const except_accounts = toArrayLiteral(lists.except)
      const values = { ...asked, except_accounts, permits: lists.permits }
      const beganAt = performance.now()
      const records = await claiming.write<TakenRecord>(queue.take(shape), values)
      cursor.note(from, records, performance.now() - beganAt)
      if (records.length < limit) cursor.rewind()
      return toTaken(records, lease, log)
    },
    async release({ lease, tasks, dueAt, startsAnew = false }) {
      const statement = startsAnew ? queue.releaseAnew : queue.release
      const values = { lease, due_at: dueAt, tasks: toArrayLiteral(tasks) }
      if ((await claiming.change(statement, values)) > 0) onReleased()
    },
    async findRunningLimits(accounts) {
      const values = { accounts: toArrayLiteral(accounts) }
      const records = await claiming.read<RunningLimitRecord>(queue.runningLimits, values)
      return fromRunningLimitRecords(accounts, records)
    },
    findOverdue: (request) => findDue(read.findOverdue, { ...request }),
    findRetained: (request) => findDue(read.findRetained, { ...request }),
    async retain({ task, dueAt }) {
      if (dueAt === null) await sessions.change(append.dropRetention, { task })
      else await sessions.change(append.retain, { task, due_at: dueAt })
    },
    async peekQueue(request) {
      const { models } = request
      if (models.length === 0) return EMPTY_QUEUE
      const from = cursorOf(models).from()
      const found = await peek(request, from)
      const mayBeBefore = found.startTag === null && from !== QUEUE_FRONT
      return mayBeBefore ? peek(request, QUEUE_FRONT) : found
    },
    ...createMeasures(claiming, sums, queue),
  }
}

function createMeasures(
  claiming: Sessions,
  sums: Sums,
  queue: StoreStatements["queue"],
): Pick<QueueMethods, "findStartedTag" | "measureQueue"> {
  return {
    async findStartedTag({ models }) {
      if (models.length === 0) return null
      const statement = queue.startedTag(models.length)
      const [record] = await claiming.read<StartedTagRecord>(statement, toModelValues(models))
      return record?.start_tag ?? null
    },
    async measureQueue() {
      const records = await sums.read<QueueMeasureRecord>(queue.measure, {})
      return records.map(fromQueueMeasureRecord)
    },
  }
}

/** A cursor for each set of models that is asked for. */
function createCursors(): (models: readonly string[]) => TakeCursor {
  const cursors = new Map<string, TakeCursor>()
  return (models) => {
    const name = models.join("\n")
    const cursor = cursors.get(name) ?? createTakeCursor()
    cursors.set(name, cursor)
    return cursor
  }
}
