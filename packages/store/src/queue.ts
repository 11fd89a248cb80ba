/**
 * Taking tasks from the queue, and what is looked for in it. Rows that another caller is just taking
 * are passed over, so callers never wait for each other and never get the same task. A row whose
 * snapshot can't be read is logged and left out: one damaged row must not stop the queue for the others.
 */
import {
  fromSnapshot,
  type Claimed,
  type Log,
  type PeekRequest,
  type QueuePeek,
  type QueueStorage,
  type StreamHead,
} from "@safelight/core"
import { PLACE_STATEMENTS } from "./appends.ts"
import { createClaimCursor, NO_CURSOR, type ClaimCursor } from "./claim-cursor.ts"
import type { ClaimMethods } from "./claims.ts"
import { countOf, rowsOf, toStep, type Driver } from "./driver.ts"
import {
  QUEUE_FRONT,
  QUEUE_STATEMENTS,
  toModelValues,
  type QueueFront,
} from "./queue-statements.ts"
import type { Compiler } from "./statement.ts"

type QueueMethods = Omit<
  QueueStorage,
  keyof ClaimMethods | "onQueued" | "wakeHolder" | "onHolderWoken"
>

const EMPTY_QUEUE: QueuePeek = { dueAt: null, turn: null, claimable: 0 }

interface QueueOptions {
  readonly log: Log
  /** Tasks are anybody's again. */
  readonly onFreed: () => void
}

export function createQueueMethods(
  driver: Driver,
  compiler: Compiler,
  { log, onFreed }: QueueOptions,
): QueueMethods {
  const { read, commit, readLong } = driver
  const statements = QUEUE_STATEMENTS(compiler)
  const { retain, dropRetention } = PLACE_STATEMENTS(compiler)
  const { claim, ...looks } = createTaking(driver, compiler, log)
  const toHeads = (rows: readonly HeadRow[]) => rows.flatMap((row) => toReadableHead(row, log))
  return {
    claim,
    ...looks,
    async release({ claim: holder, tasks, dueAt, keepsTurns = false }) {
      const statement = keepsTurns ? statements.releaseInTurn : statements.release
      const step = toStep(statement, { claim: holder, dueAt, tasks })
      if (countOf(await driver.queue.commit({ steps: [step] }), 0) > 0) onFreed()
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
  { queue, keepsDeadRows }: Driver,
  compiler: Compiler,
  log: Log,
): Pick<QueueMethods, "claim" | "peekQueue" | "findStartedTurn"> {
  const statements = QUEUE_STATEMENTS(compiler)
  const cursorOf = keepsDeadRows ? createCursors() : () => NO_CURSOR

  async function peek({ models, now, most }: PeekRequest, from: QueueFront): Promise<QueuePeek> {
    const values = { ...toModelValues(models), ...from, limit: most, now }
    const [found = EMPTY_QUEUE] = await queue.read(statements.peek(models.length), values)
    return { ...found, claimable: Math.min(found.claimable, most) }
  }

  return {
    async claim({ models, now, limit, claim, exceptAccounts = [], exceptStarts = false }) {
      if (models.length === 0 || limit <= 0) return []
      const cursor = cursorOf(models)
      const from = cursor.from()
      const statement = statements.claim({
        modelCount: models.length,
        exceptsAccounts: !exceptStarts && exceptAccounts.length > 0,
        exceptsStarts: exceptStarts,
      })
      const values = { ...toModelValues(models), ...from, exceptAccounts, now, limit, claim }
      const beganAt = performance.now()
      const outcome = await queue.commit({ steps: [toStep(statement, values)] })
      const rows = rowsOf(statement, outcome, 0)
      cursor.note(from, rows, performance.now() - beganAt)
      if (rows.length < limit) cursor.rewind()
      return toClaimed(rows, claim, log)
    },
    async peekQueue(request) {
      const { models } = request
      if (models.length === 0) return EMPTY_QUEUE
      const from = cursorOf(models).from()
      const found = await peek(request, from)
      const mayBeBefore = found.turn === null && from !== QUEUE_FRONT
      return mayBeBefore ? peek(request, QUEUE_FRONT) : found
    },
    async findStartedTurn({ models }) {
      if (models.length === 0) return null
      const statement = statements.startedTurn(models.length)
      return (await queue.read(statement, toModelValues(models)))[0]?.turn ?? null
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

interface ClaimRow {
  readonly task: string
  readonly dueAt: number
  readonly turn: number | null
  readonly snapshot: string | null
  readonly hash: string | null
}

function toClaimed(rows: readonly ClaimRow[], claim: string, log: Log): readonly Claimed[] {
  return rows.toSorted(compareClaimed).flatMap(({ task, turn, snapshot, hash }) => {
    if (snapshot !== null && hash !== null) {
      return toReadableHead({ snapshot, hash }, log).map((head) => ({ ...head, claim, turn }))
    }
    log.error({ task }, "queued task unknown")
    return []
  })
}

/** Steps by their moments, then starts by their turns. */
function compareClaimed(one: ClaimRow, other: ClaimRow): number {
  const byKind = Number(one.turn !== null) - Number(other.turn !== null)
  const byPlace =
    one.turn === null || other.turn === null ? one.dueAt - other.dueAt : one.turn - other.turn
  return byKind || byPlace || (one.task < other.task ? -1 : 1)
}
