/**
 * Taking tasks from the queue, and what is looked for in it. Rows that another caller is just taking
 * are passed over, so callers never wait for each other and never get the same task.
 */
import type { Log, PeekRequest, QueuePeek, QueueStorage } from "@safelight/core"
import {
  EMPTY_QUEUE,
  fromQueueMeasureRecord,
  fromQueuePeekRecord,
  QUEUE_FRONT,
  toClaimed,
  toModelValues,
  toReadableHead,
  type ClaimRecord,
  type QueueFront,
  type QueueMeasureRecord,
  type QueuePeekRecord,
  type StartedTurnRecord,
  type SqlValues,
  type Statement,
  type StoreStatements,
} from "@safelight/store"
import { toArrayLiteral } from "./array-literal.ts"
import { createClaimCursor, type ClaimCursor } from "./claim-cursor.ts"
import type { ClaimMethods } from "./claim-methods.ts"
import type { Sessions } from "./sessions.ts"
import type { Sums } from "./sums.ts"

export type QueueMethods = Omit<
  QueueStorage,
  keyof ClaimMethods | "onQueued" | "wakeHolder" | "onHolderWoken"
>

interface HeadRecord {
  readonly snapshot: string
  readonly hash: string
}

export interface QueueParts {
  /** For look-ups and short changes. */
  readonly sessions: Sessions
  /** For claims, which nothing else must hold up. */
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
    async claim(request) {
      const { models, now, limit, claim, exceptAccounts = [], exceptStarts = false } = request
      if (models.length === 0 || limit <= 0) return []
      const cursor = cursorOf(models)
      const from = cursor.from()
      const statement = queue.claim({
        modelCount: models.length,
        exceptsAccounts: !exceptStarts && exceptAccounts.length > 0,
        exceptsStarts: exceptStarts,
      })
      const except_accounts = toArrayLiteral(exceptAccounts)
      const values = { ...toModelValues(models), ...from, except_accounts, now, limit, claim }
      const beganAt = performance.now()
      const records = await claiming.write<ClaimRecord>(statement, values)
      cursor.note(from, records, performance.now() - beganAt)
      if (records.length < limit) cursor.rewind()
      return toClaimed(records, claim, log)
    },
    async release({ claim, tasks, dueAt, keepsTurns = false }) {
      const statement = keepsTurns ? queue.releaseInTurn : queue.release
      const values = { claim, due_at: dueAt, tasks: toArrayLiteral(tasks) }
      if ((await claiming.change(statement, values)) > 0) onReleased()
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
      const mayBeBefore = found.turn === null && from !== QUEUE_FRONT
      return mayBeBefore ? peek(request, QUEUE_FRONT) : found
    },
    ...createMeasures(claiming, sums, queue),
  }
}

function createMeasures(
  claiming: Sessions,
  sums: Sums,
  queue: StoreStatements["queue"],
): Pick<QueueMethods, "findStartedTurn" | "measureQueue"> {
  return {
    async findStartedTurn({ models }) {
      if (models.length === 0) return null
      const statement = queue.startedTurn(models.length)
      const [record] = await claiming.read<StartedTurnRecord>(statement, toModelValues(models))
      return record?.turn ?? null
    },
    async measureQueue() {
      const records = await sums.read<QueueMeasureRecord>(queue.measure, {})
      return records.map(fromQueueMeasureRecord)
    },
  }
}

/** A cursor for each set of models that is asked for. */
function createCursors(): (models: readonly string[]) => ClaimCursor {
  const cursors = new Map<string, ClaimCursor>()
  return (models) => {
    const name = models.join("\n")
    const cursor = cursors.get(name) ?? createClaimCursor()
    cursors.set(name, cursor)
    return cursor
  }
}
