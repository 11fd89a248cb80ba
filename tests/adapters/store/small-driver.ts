/**
 * The smallest driver: `node:sqlite` within this thread, one connection that reads and one that writes.
 * A driver of a further database may begin as this one, and the whole contract holds over it.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { SafelightError } from "@safelight/core"
import { SQLITE_DIALECT } from "@safelight/storage-sqlite"
import {
  answerQuestion,
  bind,
  carryOut,
  closed,
  createWriter,
  migrate,
  toRows,
  type Change,
  type ChangeOutcome,
  type Connection,
  type Driver,
  type Lane,
} from "@safelight/store"
import { Kysely, SqliteDialect } from "kysely"

export async function createSmallDriver(file: string): Promise<Driver> {
  const writing = new DatabaseSync(file)
  writing.exec("pragma journal_mode = wal")
  await migrateSchema(writing)
  const reading = new DatabaseSync(file, { readOnly: true })
  const writer = createWriter({ lanes: [createLane(writing)] })
  const { runStep } = connect(reading)
  const connections: Driver["queue"] = {
    async read(statement, values) {
      const rows = await runStep({ statement, values: bind(statement, values) })
      return toRows(statement, typeof rows === "object" ? rows : [])
    },
    commit: (work) => writer.write({ work, bytes: 0, isAsked: (work.checks ?? []).length > 0 }),
  }
  return {
    ...connections,
    queue: connections,
    dialect: SQLITE_DIALECT,
    keepsDeadRows: false,
    async answer(question) {
      if (!reading.isOpen) throw closed()
      reading.exec("begin")
      try {
        return await answerQuestion({ runStep }, question)
      } finally {
        reading.exec("commit")
      }
    },
    readOrigin: async () => ({ whole: { file }, certain: { file } }),
    check: () => writer.prove(),
    async close() {
      await writer.drain()
      reading.close()
      writing.close()
    },
  }
}

/** One batch, one transaction; a change that can't be stored is undone alone. */
export function createLane(database: DatabaseSync): Lane<Change, ChangeOutcome> {
  const connection = connect(database)

  async function runAlone(change: Change): Promise<ChangeOutcome | SafelightError> {
    database.exec("savepoint change")
    try {
      const outcome = await carryOut(connection, change)
      database.exec("release change")
      return outcome
    } catch (error) {
      database.exec("rollback to change; release change")
      const message = String(error)
      return new SafelightError({ code: "storage-unavailable", message, isUndone: true })
    }
  }

  return {
    prove: async () => database.exec("pragma user_version = 0"),
    async commit(batch) {
      database.exec("begin immediate")
      const outcomes: (ChangeOutcome | SafelightError)[] = []
      for (const change of batch) outcomes.push(await runAlone(change))
      database.exec("commit")
      return outcomes
    },
  }
}

export function connect(database: DatabaseSync): Pick<Connection, "runStep"> {
  const prepared = new Map<string, StatementSync>()

  function prepare(sql: string): StatementSync {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    statement.setReturnArrays(true)
    prepared.set(sql, statement)
    return statement
  }

  return {
    async runStep({ statement: { columns, sql }, values }) {
      if (!database.isOpen) throw closed()
      const statement = prepare(sql)
      if (columns.length === 0) return Number(statement.run(...values).changes)
      return statement.all(...values) as unknown as unknown[][]
    },
  }
}

/** Kysely's own dialect runs the migrations, on the connection that is there. */
export async function migrateSchema(database: DatabaseSync): Promise<void> {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...(values as string[])),
      run: (values: readonly unknown[]) => statement.run(...(values as string[])),
      iterate: (values: readonly unknown[]) => statement.iterate(...(values as string[])),
    }
  }
  const dialect = new SqliteDialect({ database: { prepare, close() {} } })
  await migrate(new Kysely<unknown>({ dialect }), { dialect: SQLITE_DIALECT })
}
