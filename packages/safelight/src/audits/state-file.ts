/**
 * Writes the log as it stood into an SQLite file of its own. The file is whole or absent, so it needs no journal on the
 * disk while it is written: SQLite only fills it, a transaction a page, and the file is synced once at the end.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import type { PastReport, ToldTask } from "@safelight/audit"
import { toArtifacts } from "@safelight/core"
import { unwritable, writeWholeFile } from "../data/whole-file.ts"
import { ARTIFACTS, CHARGES, OUTCOMES, TASKS, type StateTable } from "./state-tables.ts"

/** Rises with every change by which a query of before fails or means something else: `pragma user_version`. */
const FORMAT = 1

/** Sums of `charges`, so that no bill can differ from its charges. */
const MONTHLY_BILLS = `create view monthly_bills as
  select account, month, count(*) as tasks, sum(charge_micros) as charge_micros
  from charges group by account, month`

const ABOUT = `create table about (
  until_at_ms integer, until_size integer, tasks integer not null, events integer not null,
  charge_micros integer not null, outcome text not null
)`

/** Adds tasks as they stood; throws if they can't be written. */
export type AddTasks = (tasks: readonly ToldTask[]) => void

/**
 * `tell` adds all tasks and resolves to the report of them. Resolves to it once the file is durable; there is none if a
 * task could not be told. Rejects as `tell` does, and with a `CommandError` if the file is there already or can't be
 * written; then there is none either.
 */
export async function writeStateFile(
  path: string,
  tell: (add: AddTasks) => Promise<PastReport>,
): Promise<PastReport> {
  const { promise, resolve } = Promise.withResolvers<PastReport>()
  await writeWholeFile({ path, option: "--out", writer: "replay" }, async (unfinished) => {
    const report = await fill(unfinished.path, tell)
    resolve(report)
    return report.untoldTasks === 0
  })
  return promise
}

async function fill(
  path: string,
  tell: (add: AddTasks) => Promise<PastReport>,
): Promise<PastReport> {
  const database = writing(path, () => new DatabaseSync(path))
  try {
    const add = writing(path, () => prepareTables(database))
    const report = await tell((tasks) => writing(path, () => add(tasks)))
    writing(path, () => addReport(database, report))
    return report
  } finally {
    database.close()
  }
}

/** SQLite's errors have the code of a result, https://www.sqlite.org/rescode.html; any other error is this program's. */
function writing<Result>(path: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof Error) || !("errcode" in error)) throw error
    throw unwritable(path, new Error(error.message, { cause: error }))
  }
}

function prepareTables(database: DatabaseSync): AddTasks {
  // Node opens databases in SQLite's defensive mode, which refuses to have no journal at all.
  database.exec(`pragma journal_mode = memory; pragma synchronous = off;
    pragma locking_mode = exclusive; pragma user_version = ${FORMAT}`)
  const addTask = createTable(database, TASKS)
  const addArtifact = createTable(database, ARTIFACTS)
  const addCharge = createTable(database, CHARGES)
  const addOutcome = createTable(database, OUTCOMES)
  database.exec(`${ABOUT}; ${MONTHLY_BILLS}`)
  return (tasks) => {
    database.exec("begin")
    for (const told of tasks) {
      addTask(told)
      for (const row of toArtifacts(told.task)) addArtifact(row)
      if (told.charge !== null) addCharge(told.charge)
      for (const row of told.outcomes) addOutcome(row)
    }
    database.exec("commit")
  }
}

/** Makes the table, and what adds a row to it. */
function createTable<Row>(
  database: DatabaseSync,
  { columns, key, name }: StateTable<Row>,
): (row: Row) => void {
  const described = Object.entries(columns)
  const lines = described.map(
    ([column, { isNullable, type }]) => `${column} ${type}${isNullable ? "" : " not null"}`,
  )
  database.exec(`create table ${name} (${lines.join(", ")}, primary key (${key})) without rowid`)
  const places = described.map(() => "?").join(", ")
  const insert: StatementSync = database.prepare(`insert into ${name} values (${places})`)
  const toValues = described.map(([, { toValue }]) => toValue)
  return (row) => void insert.run(...toValues.map((toValue) => toValue(row)))
}

function addReport(
  database: DatabaseSync,
  { chargeMicros, events, outcome, tasks, untilAt, untilSize }: PastReport,
): void {
  const insert = database.prepare("insert into about values (?, ?, ?, ?, ?, ?)")
  insert.run(untilAt, untilSize, tasks, events, chargeMicros.total, outcome)
}
