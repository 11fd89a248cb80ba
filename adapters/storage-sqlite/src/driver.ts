/**
 * SQLite as the store's driver: look-ups on the connection of the main thread, what takes long in the
 * reading thread, every change through the one writer.
 */
import { SafelightError } from "@safelight/core"
import { bind, toRows, type Driver, type Origins } from "@safelight/store"
import { SQLITE_DIALECT } from "./dialect.ts"
import type { LongReads } from "./long-reads.ts"
import { readFileOrigins } from "./origin.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export interface DriverParts {
  readonly file: string
  readonly writer: Writer
  readonly reader: Reader
  readonly longReads: LongReads
}

export function createDriver({ file, writer, reader, longReads }: DriverParts): Driver {
  const connections: Driver["queue"] = {
    read: async (statement, values) =>
      toRows(statement, reader.all(statement, bind(statement, values))),
    commit: writer.write,
  }
  return {
    ...connections,
    queue: connections,
    dialect: SQLITE_DIALECT,
    keepsDeadRows: false,
    async readLong(statement, values, account) {
      const step = { sql: statement.sql, values: bind(statement, values) }
      const [rows = []] = await longReads.ask([step], account)
      return toRows(statement, rows)
    },
    snapshot({ first, others, after, limit }) {
      const ids = { sql: first.sql, values: bind(first, { after, limit }) }
      const rest = others.map((statement) => {
        const values = bind(statement, { after, last: "" })
        const lastAt = statement.parameters.flatMap(({ name }, at) => (name === "last" ? at : []))
        return { sql: statement.sql, values, lastAt }
      })
      return longReads.ask([ids, ...rest])
    },
    readState: reader.readState,
    readOrigin: async () => readOrigins(file),
  }
}

function readOrigins(file: string): Origins {
  try {
    return readFileOrigins(file)
  } catch (cause) {
    const message = `the database file can't be looked at (${(cause as NodeJS.ErrnoException).code})`
    throw new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
  }
}
