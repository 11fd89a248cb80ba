/**
 * Schema 9: what came of each attempt, and what it cost upstream. Rows of tasks that finished before
 * are brought along from their snapshots, with costs that nobody told. Older code may not go on beside
 * it: it would finish tasks without their rows, and can't read the events that tell costs.
 */
import { fromSnapshot, isSafelightError, type OutcomeRow } from "@safelight/core"
import type { Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import type { OutcomesTable, TasksTable } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { toOutcomeRecord } from "./records.ts"

interface TablesOfSchema9 {
  readonly outcomes: OutcomesTable
  readonly tasks: Pick<TasksTable, "finished_at" | "id" | "snapshot">
}

export function createOutcomeSchema(dialect: StoreDialect): Migration {
  return {
    async up(db: Kysely<TablesOfSchema9>) {
      await createTable(db, dialect)
      await deriveOutcomes(db)
    },
  }
}

async function createTable(
  db: Kysely<TablesOfSchema9>,
  { idType, integerType, keyedTable }: StoreDialect,
): Promise<void> {
  await db.schema
    .createTable("outcomes")
    .addColumn("task", idType, (column) => column.notNull())
    .addColumn("attempt", integerType, (column) => column.notNull())
    .addColumn("at", integerType, (column) => column.notNull())
    // Sums are told in the order of their bytes.
    .addColumn("channel", idType, (column) => column.notNull())
    .addColumn("charge_micros", integerType, (column) => column.notNull())
    .addColumn("cost_micros", integerType, (column) => column.notNull())
    .addColumn("cost_source", "text", (column) => column.notNull())
    .addColumn("dispatched_at", integerType, (column) => column.notNull())
    .addColumn("model", idType, (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("outcomes_key", ["task", "attempt"])
    .modifyEnd(keyedTable)
    .execute()
  await db.schema.createIndex("outcomes_ended").on("outcomes").column("at").execute()
}

/** Bounds what is in memory, and the parameters of an insert: ten a row. */
const PAGE_TASKS = 500

async function deriveOutcomes(db: Kysely<TablesOfSchema9>): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const page = await db
      .selectFrom("tasks")
      .select(["id", "finished_at", "snapshot"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE_TASKS)
      .execute()
    const finished = page.filter(({ finished_at }) => finished_at > 0)
    const rows = finished.flatMap(({ snapshot }) => toRow(snapshot) ?? [])
    const records = rows.map((row) => toOutcomeRecord(row) as OutcomesTable & Record<string, never>)
    if (records.length > 0) await db.insertInto("outcomes").values(records).execute()
    after = page.at(-1)?.id
  }
}

/**
 * The row that replaying the task's log makes. A snapshot that can't be read gives none, and an
 * audit's replay then names it: a damaged row must not keep a database from being opened.
 */
function toRow(snapshot: string): OutcomeRow | undefined {
  try {
    const task = fromSnapshot(snapshot)
    const { attempt, chargeMicros, deferral, dispatch, finishedAt: at, model, state } = task
    if (dispatch === null || deferral !== null || !Number.isSafeInteger(dispatch.keyedAt))
      return undefined
    const { channel, keyedAt: dispatchedAt } = dispatch
    const outcome = state === "failed" ? "failed" : "succeeded"
    const cost = { costMicros: 0, costSource: "unknown" } as const
    return {
      at,
      attempt,
      channel,
      chargeMicros,
      ...cost,
      dispatchedAt,
      model,
      outcome,
      task: task.id,
    }
  } catch (error) {
    if (isSafelightError(error) && error.code === "storage-corrupt") return undefined
    throw error
  }
}
