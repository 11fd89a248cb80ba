/**
 * A database that many nodes share, for a simulation: what it holds is real (SQLite in memory, the store's own
 * statements), what a call takes is virtual time. It counts what it is asked for, by kind: calls, rows that they
 * gave or changed, and calls that found nothing. Left out are contention, the processor's time, and what a connection
 * makes others wait for: any number of calls are under way at once, but for the lanes that commit, of which each
 * node has as many as over PostgreSQL.
 */
import { DatabaseSync } from "node:sqlite"
import { createSemaphore } from "@safelight/core"
import { SQLITE_DIALECT } from "@safelight/storage-sqlite"
import {
  answerQuestion,
  bind,
  carryOut,
  createWriter,
  toRows,
  type Change,
  type ChangeOutcome,
  type Connections,
  type Driver,
  type Notifications,
  type Statement,
  type StepResult,
} from "@safelight/store"
import { connect, createLane, migrateSchema } from "../../../adapters/store/small-driver.ts"
import { isOfAppend, toKind } from "./statement-kinds.ts"
import type { VirtualTime } from "./virtual-time.ts"

/** Of one kind. */
export interface Count {
  calls: number
  /** Rows that reads gave; pieces of work that commits held; processes that got a notification. */
  rows: number
  /** Calls that gave no row, and looks at a queue that has nothing to take. */
  vain: number
  /** Calls that changed something. */
  writes: number
}

export type Counts = ReadonlyMap<string, Readonly<Count>>

export interface DatabaseModel {
  /** A driver for one node. */
  readonly connect: () => Driver
  /** Since the last call of it. */
  readonly takeCounts: () => Counts
}

/** From the sending of a statement to its answer, in a network without hurry; a commit waits for a disk too. */
const READ_MS = 1
const COMMIT_MS = 3

/** As many as over PostgreSQL. */
const LANES = 2

export const NOTIFY = "notify "

export async function createDatabaseModel(time: VirtualTime): Promise<DatabaseModel> {
  const database = new DatabaseSync(":memory:")
  await migrateSchema(database)
  const { runStep } = connect(database)
  const lane = createLane(database)
  /** The model has one connection. */
  const alone = createSemaphore({ permits: 1, name: "transactions" })
  const listeners = new Set<(payload: string) => void>()
  let counts = new Map<string, Count>()

  function count(kind: string, rows: number, isWriting = false): void {
    const known = counts.get(kind) ?? { calls: 0, rows: 0, vain: 0, writes: 0 }
    known.calls += 1
    known.rows += rows
    known.vain += rows === 0 ? 1 : 0
    known.writes += isWriting && rows > 0 ? 1 : 0
    counts.set(kind, known)
  }

  async function read<Row, Values>(
    statement: Statement<Row, Values>,
    values: NoInfer<Values>,
  ): Promise<readonly Row[]> {
    const bound = bind(statement, values)
    await time.wait(READ_MS)
    const rows = toRows(statement, toList(await runStep({ statement, values: bound })))
    const kind = toKind(statement)
    count(kind, kind === "peek" ? countTakeable(rows) : rows.length)
    return rows
  }

  async function commitOther(change: Change): Promise<ChangeOutcome> {
    await time.wait(COMMIT_MS)
    const outcome = await alone.run(() => carryOut({ runStep }, change))
    const steps = typeof outcome === "object" ? outcome : []
    for (const [index, { statement }] of change.steps.entries()) {
      const result = steps[index] ?? Number(outcome === true)
      count(toKind(statement), typeof result === "number" ? result : result.length, true)
    }
    return outcome
  }

  function createCommit(): Connections["commit"] {
    const own = {
      async commit(batch: readonly Change[], ...how: [Parameters<typeof lane.commit>[1]]) {
        await time.wait(COMMIT_MS)
        count("append", batch.length)
        return alone.run(() => lane.commit(batch, ...how))
      },
    }
    const writer = createWriter({ lanes: Array.from({ length: LANES }, () => ({ ...own })) })
    return (work) =>
      isOfAppend(work) ? writer.write({ work, bytes: 0, isAsked: false }) : commitOther(work)
  }

  const notifications: Notifications = {
    async notify(payload) {
      await time.wait(COMMIT_MS)
      const topic = payload.split("\n", 2)[1] ?? "queued"
      count(`${NOTIFY}${topic}`, listeners.size)
      for (const listener of listeners) listener(payload)
    },
    async listen(onPayload) {
      listeners.add(onPayload)
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      function end(): void {
        listeners.delete(onPayload)
        resolve()
      }
      return { ended, end }
    },
  }

  return {
    connect() {
      const connections: Connections = { read, commit: createCommit() }
      return {
        ...connections,
        queue: connections,
        dialect: SQLITE_DIALECT,
        keepsDeadRows: false,
        notifications,
        async answer(question) {
          await time.wait(READ_MS)
          const answer = await answerQuestion({ runStep }, question)
          for (const [index, { step }] of question.entries()) {
            count(toKind(step.statement), answer[index]?.length ?? 0)
          }
          return answer
        },
        async readClock() {
          await time.wait(READ_MS)
          count("clock", 1)
          return time.now()
        },
        readOrigin: async () => ({ whole: {}, certain: {} }),
        async check() {},
        async close() {},
      }
    },
    takeCounts() {
      const taken = counts
      counts = new Map()
      return taken
    },
  }
}

function toList(result: StepResult): readonly (readonly unknown[])[] {
  return typeof result === "object" ? result : []
}

function countTakeable(rows: readonly unknown[]): number {
  const [first] = rows as readonly { readonly takeable: number }[]
  return first?.takeable ?? 0
}
