/**
 * The statements of an append for databases that take them one by one: first the version check, which changes a row
 * only if the task is at the expected version, then everything else. An append that fails the check has changed
 * nothing and needs no undoing.
 */
import {
  REQUEST_INPUT,
  type AccountTotals,
  type Append,
  type ChargeRow,
  type Input,
  type OutcomeRow,
  type QueueChange,
  type StoredEvent,
} from "@safelight/core"
import { sql } from "kysely"
import { ADMISSION_STATEMENTS } from "./admission.ts"
import { toStep, type Step } from "./sql/driver.ts"
import { FEED_ADDITIONS, toFeedSteps } from "./feed-additions.ts"
import { LABEL_STATEMENTS, toLabelRows } from "./labels.ts"
import type { LogChange } from "./sql/log-change.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import {
  allOf,
  TABLES,
  toReadyRow,
  toStoredTaskRow,
  type ReadyRow,
  type StoreDatabase,
  type StoredTaskRow,
} from "./sql/tables.ts"

const TASKS = describeStatements(({ db, compile }) => ({
  /** The check of a new task: adds its row if there is none. */
  insertTask: compile((task: StoredTaskRow) =>
    db
      .insertInto("tasks")
      .values(allOf(TABLES.tasks, task))
      .onConflict((conflict) => conflict.column("task").doNothing()),
  ),
  /** The check of a task whose newest event has `expectedHash`: replaces its row. */
  updateTask: compile((task: StoredTaskRow & { readonly expectedHash: string }) => {
    // What never changes stays unnamed: SQLite rewrites an index of every column that is set.
    const { finishedAt, hash, snapshot, status, version } = task
    return db
      .updateTable("tasks")
      .set({ finishedAt, hash, snapshot, status, version })
      .where("task", "=", task.task)
      .where("hash", "=", task.expectedHash)
  }),
  /** Whether an append that failed the check is stored already. */
  findEventHash: compile(({ task, version }: { task: string; version: number }) =>
    db.selectFrom("events").select("hash").where("task", "=", task).where("version", "=", version),
  ),
  insertEvent: compile((event: StoredEvent) =>
    db.insertInto("events").values(allOf(TABLES.events, event)),
  ),
  insertCharge: compile((row: ChargeRow) =>
    db.insertInto("charges").values(allOf(TABLES.charges, row)),
  ),
  insertOutcome: compile((row: OutcomeRow) =>
    db.insertInto("outcomes").values(allOf(TABLES.outcomes, row)),
  ),
  /** Changes no row of an account whose totals are not kept. */
  addTotals: compile((totals: AccountTotals & { readonly account: string }) =>
    db
      .updateTable("accountTotals")
      .set((of) => ({
        chargedMicros: of("chargedMicros", "+", totals.chargedMicros),
        reservedMicros: of("reservedMicros", "+", totals.reservedMicros),
        unfinishedTasks: of("unfinishedTasks", "+", totals.unfinishedTasks),
      }))
      .where("account", "=", totals.account),
  ),
  /** Changes nothing if the name exists: an input never changes, it is only erased. */
  insertInput: compile((input: Input) =>
    db
      .insertInto("inputs")
      .values(allOf(TABLES.inputs, input))
      .onConflict((conflict) => conflict.columns(["task", "name"]).doNothing()),
  ),
}))

const LATE_INPUTS = describeStatements(({ db, compile }) => ({
  /** Only if the task's request still exists: an erasure is not undone by a later input. */
  insertLateInput: compile((input: Input) =>
    db
      .insertInto("inputs")
      .columns(["task", "name", "salt", "body"])
      .expression(
        db
          .selectFrom("inputs as request")
          .select((of) => [
            of.val(input.task).as("task"),
            of.val(input.name).as("name"),
            of.val(input.salt).as("salt"),
            of.val(input.body).as("body"),
          ])
          .where("request.task", "=", input.task)
          .where("request.name", "=", sql.lit(REQUEST_INPUT)),
      )
      .onConflict((conflict) => conflict.columns(["task", "name"]).doNothing()),
  ),
}))

export const QUEUE_CHANGES = describeStatements(({ db, compile }) => ({
  enqueue: compile((row: ReadyRow) =>
    db
      .insertInto("ready")
      .values(allOf(TABLES.ready, row))
      .onConflict((conflict) =>
        conflict.column("task").doUpdateSet((of) => ({
          account: of.ref("excluded.account"),
          model: of.ref("excluded.model"),
          endBy: of.ref("excluded.endBy"),
          dueAt: of.ref("excluded.dueAt"),
          lease: of.ref("excluded.lease"),
          startTag: of.ref("excluded.startTag"),
          poolNumber: of.ref("excluded.poolNumber"),
          poolSize: of.ref("excluded.poolSize"),
        })),
      ),
  ),
  reschedule: compile(({ task, dueAt, lease }: Pick<ReadyRow, "task" | "dueAt" | "lease">) =>
    db
      .updateTable("ready")
      .set((of) => ({ dueAt, lease, startTag: of.lit(null) }))
      .where("task", "=", task),
  ),
  dequeue: compile(({ task }: { task: string }) => db.deleteFrom("ready").where("task", "=", task)),
  retain: compile((row: StoreDatabase["retention"]) =>
    db
      .insertInto("retention")
      .values(allOf(TABLES.retention, row))
      .onConflict((conflict) =>
        conflict.column("task").doUpdateSet((of) => ({ dueAt: of.ref("excluded.dueAt") })),
      ),
  ),
  dropRetention: compile(({ task }: { task: string }) =>
    db.deleteFrom("retention").where("task", "=", task),
  ),
}))

export const APPEND_STATEMENTS = describeStatements((compiler) => ({
  ...FEED_ADDITIONS(compiler),
  ...LABEL_STATEMENTS(compiler),
  ...TASKS(compiler),
  ...LATE_INPUTS(compiler),
  ...QUEUE_CHANGES(compiler),
}))

/** Appends and admissions as steps. */
export interface AppendSteps {
  readonly toSteps: (append: Append) => Step[]
  /** The checks that may stop an admission: its key, if it has one, then the account's limits. */
  readonly toChecks: (change: LogChange) => Step[]
  readonly toUse: (change: LogChange) => Step[]
}

export function createAppendSteps(compiler: Compiler): AppendSteps {
  const statements = APPEND_STATEMENTS(compiler)
  const { findFullLimit, findIdempotency, insertIdempotency } = ADMISSION_STATEMENTS(compiler)

  function toQueueSteps(append: Append, queue: QueueChange): Step[] {
    const { task } = append
    if (queue.kind === "finish") {
      const { retainAt: dueAt } = queue
      const { dequeue, dropRetention, retain } = statements
      const retention =
        dueAt === null ? toStep(dropRetention, { task }) : toStep(retain, { task, dueAt })
      return [toStep(dequeue, { task }), retention]
    }
    const { dueAt, lease } = queue
    if (queue.kind === "reschedule") return [toStep(statements.reschedule, { task, dueAt, lease })]
    return [toStep(statements.enqueue, toReadyRow(append, queue))]
  }

  function toInputSteps({ expectedHash, inputs = [] }: Append): Step[] {
    const { insertInput, insertLateInput } = statements
    const statement = expectedHash === undefined ? insertInput : insertLateInput
    return inputs.map((input) => toStep(statement, input))
  }

  return {
    toSteps(append) {
      const { changes, expectedHash, events, queue } = append
      const { charge, outcomes, task, totals } = changes
      const steps = [
        expectedHash === undefined
          ? toStep(statements.insertTask, toStoredTaskRow(task))
          : toStep(statements.updateTask, { ...toStoredTaskRow(task), expectedHash }),
      ]
      for (const event of events) steps.push(toStep(statements.insertEvent, event))
      if (charge !== undefined) steps.push(toStep(statements.insertCharge, charge))
      for (const row of outcomes) steps.push(toStep(statements.insertOutcome, row))
      if (totals !== undefined) {
        steps.push(toStep(statements.addTotals, { account: task.account, ...totals }))
      }
      steps.push(...toInputSteps(append))
      for (const row of toLabelRows(append)) steps.push(toStep(statements.insertLabel, row))
      if (queue !== undefined) steps.push(...toQueueSteps(append, queue))
      steps.push(...toFeedSteps(statements, append))
      return steps
    },
    toChecks({ append, use }) {
      const { account, reservationMicros } = append.changes.task
      const limits = toStep(findFullLimit, { account, reservationMicros })
      if (use === undefined) return [limits]
      return [toStep(findIdempotency, { account, key: use.key }), limits]
    },
    toUse({ append, use }) {
      if (use === undefined) return []
      const { id: task, account } = append.changes.task
      return [toStep(insertIdempotency, { account, task, ...use })]
    },
  }
}
