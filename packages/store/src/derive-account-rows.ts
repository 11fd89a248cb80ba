/**
 * What schema 3 derives from tasks that are there already: their reservations and the bill. The
 * snapshots tell both. One that can't be read gives nothing, and an audit's replay then names it:
 * a damaged row must not keep a database from being opened.
 */
import { fromSnapshot, isSafelightError, toChargeRow, type Task } from "@safelight/core"
import type { Kysely } from "kysely"
import type { ChargesTable, TasksTable } from "./database.ts"
import { toChargeRecord } from "./records.ts"

/** The tables that are read or filled. */
export interface TablesOfSchema3 {
  readonly charges: ChargesTable
  readonly tasks: Pick<TasksTable, "id" | "reservation_micros" | "snapshot">
}

/** Bounds what is in memory, and the parameters of an insert: nine a row. */
const PAGE_TASKS = 500

export async function deriveAccountRows(db: Kysely<TablesOfSchema3>): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const page = await db
      .selectFrom("tasks")
      .select(["id", "snapshot"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE_TASKS)
      .execute()
    await deriveFrom(
      db,
      page.flatMap(({ snapshot }) => readTask(snapshot) ?? []),
    )
    after = page.at(-1)?.id
  }
}

async function deriveFrom(db: Kysely<TablesOfSchema3>, tasks: readonly Task[]): Promise<void> {
  // Tasks reserve one of a few amounts: a statement an amount is far less than one a task.
  for (const [reservation_micros, alike] of Map.groupBy(tasks, toReservation)) {
    const ids = alike.map(({ id }) => id)
    await db.updateTable("tasks").set({ reservation_micros }).where("id", "in", ids).execute()
  }
  const rows = tasks.flatMap((task) => toChargeRow(task) ?? [])
  const charges = rows.map((row) => toChargeRecord(row) as ChargesTable)
  if (charges.length > 0) await db.insertInto("charges").values(charges).execute()
}

function toReservation({ reservationMicros }: Task): number {
  return reservationMicros
}

function readTask(snapshot: string): Task | undefined {
  try {
    return fromSnapshot(snapshot)
  } catch (error) {
    if (isSafelightError(error) && error.code === "storage-corrupt") return undefined
    throw error
  }
}
