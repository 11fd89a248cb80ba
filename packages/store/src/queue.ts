/**
 * Takes tasks from the queue, and reads it. Rows that another caller is taking are skipped, so callers
 * never wait for each other and never get the same task. A row whose snapshot can't be read is logged and
 * left out: one damaged row must not stop the queue.
 */
import {
  fromSnapshot,
  type Log,
  type PeekRequest,
  type QueuePeek,
  type QueueStorage,
  type StreamHead,
  type Taken,
  type Turn,
} from "@safelight/core"
import { QUEUE_CHANGES } from "./appends.ts"
import { countOf, rowsOf, toStep, type Database } from "./sql/driver.ts"
import type { LeaseMethods } from "./leases.ts"
import {
  QUEUE_FRONT,
  QUEUE_STATEMENTS,
  toModelValues,
  toTakeShape,
  type QueueFront,
} from "./queue-statements.ts"
import type { Compiler } from "./sql/statement.ts"
import { createTakeCursor, NO_CURSOR, type TakeCursor } from "./take-cursor.ts"

type QueueMethods = Omit<
  QueueStorage,
  keyof LeaseMethods | "onQueued" | "wakeHolder" | "onHolderWoken"
>

const ALONE: Turn = { index: 0, count: 1 }

const EMPTY_QUEUE: QueuePeek = { dueAt: null, startTag: null, takeable: 0 }

interface QueueOptions {
  readonly log: Log
  /** Called after tasks that were held became free. */
  readonly onFreed: () => void
}

export function createQueueMethods(
  driver: Database,
  compiler: Compiler,
  { log, onFreed }: QueueOptions,
): QueueMethods {
  const { read, commit, readLong } = driver
  const statements = QUEUE_STATEMENTS(compiler)
  const { retain, dropRetention } = QUEUE_CHANGES(compiler)
  const toHeads = (rows: readonly HeadRow[]) => rows.flatMap((row) => toReadableHead(row, log))
  return {
    ...createTaking(driver, compiler, log),
    async release({ lease, tasks, dueAt, startsAnew = false }) {
      const statement = startsAnew ? statements.releaseAnew : statements.release
      const step = toStep(statement, { lease, dueAt, tasks })
      if (countOf(await driver.queue.commit({ steps: [step] }), 0) > 0) onFreed()
    },
    async findRunningLimits(accounts) {
      const rows = await driver.queue.read(statements.runningLimits, { accounts })
      const limits = new Map(rows.map(({ id, runningTasks }) => [id, runningTasks]))
      return new Map(accounts.map((account) => [account, limits.get(account) ?? null]))
    },
    findOverdue: async (request) => toHeads(await read(statements.findOverdue, request)),
    findRetained: async (request) => toHeads(await read(statements.findRetained, request)),
    async retain({ task, dueAt }) {
      const step =
        dueAt === null ? toStep(dropRetention, { task }) : toStep(retain, { task, dueAt })
      await commit({ steps: [step] })
    },
    measureQueue: () => readLong(statements.measure, {}),
  }
}

function createTaking(
  { queue, keepsDeadRows }: Database,
  compiler: Compiler,
  log: Log,
): Pick<QueueMethods, "take" | "peekQueue" | "findStartedTag"> {
  const statements = QUEUE_STATEMENTS(compiler)
  const cursorOf = keepsDeadRows ? createCursors() : () => NO_CURSOR

  async function peek({ models, now, most }: PeekRequest, from: QueueFront): Promise<QueuePeek> {
    const values = { ...toModelValues(models), ...from, limit: most, now }
    const [found = EMPTY_QUEUE] = await queue.read(statements.peek(models.length), values)
    return { ...found, takeable: Math.min(found.takeable, most) }
  }

  return {
    async take(request) {
      const { lease, models, now, limit } = request
      if (models.length === 0 || limit <= 0) return []
      const cursor = cursorOf(models)
      const from = cursor.from()
      const { shape, lists } = toTakeShape(request)
      const statement = statements.take(shape)
      const { count: turnCount, index: turnIndex } = request.turn ?? ALONE
      const turn = { turnCount, turnIndex }
      const values = { ...toModelValues(models), ...from, ...lists, ...turn, now, limit, lease }
      const beganAt = performance.now()
      const outcome = await queue.commit({ steps: [toStep(statement, values)] })
      const rows = rowsOf(statement, outcome, 0)
      cursor.note(from, rows, performance.now() - beganAt)
      if (rows.length < limit) cursor.rewind()
      return toTaken(rows, lease, log)
    },
    async peekQueue(request) {
      const { models } = request
      if (models.length === 0) return EMPTY_QUEUE
      const from = cursorOf(models).from()
      const found = await peek(request, from)
      const mayBeBefore = found.startTag === null && from !== QUEUE_FRONT
      return mayBeBefore ? peek(request, QUEUE_FRONT) : found
    },
    async findStartedTag({ models }) {
      if (models.length === 0) return null
      const statement = statements.startedTag(models.length)
      return (await queue.read(statement, toModelValues(models)))[0]?.startTag ?? null
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

interface HeadRow {
  readonly snapshot: string
  readonly hash: string
}

function toReadableHead({ snapshot, hash }: HeadRow, log: Log): StreamHead[] {
  try {
    return [{ task: fromSnapshot(snapshot), hash }]
  } catch (error) {
    log.error({ error, hash }, "task unreadable")
    return []
  }
}

interface TakenRow {
  readonly task: string
  readonly dueAt: number
  readonly startTag: number | null
  readonly runningLimit: number | null
  readonly snapshot: string | null
  readonly hash: string | null
}

function toTaken(rows: readonly TakenRow[], lease: string, log: Log): readonly Taken[] {
  return rows.toSorted(compareTaken).flatMap(({ task, snapshot, hash, ...row }) => {
    if (snapshot !== null && hash !== null) {
      const { startTag, runningLimit } = row
      const heads = toReadableHead({ snapshot, hash }, log)
      return heads.map((head) => ({ ...head, lease, startTag, runningLimit }))
    }
    log.error({ task }, "queued task unknown")
    return []
  })
}

/** Due tasks by their moments, then new tasks by their start tags. */
function compareTaken(one: TakenRow, other: TakenRow): number {
  const byKind = Number(one.startTag !== null) - Number(other.startTag !== null)
  const byPosition =
    one.startTag === null || other.startTag === null
      ? one.dueAt - other.dueAt
      : one.startTag - other.startTag
  return byKind || byPosition || (one.task < other.task ? -1 : 1)
}
