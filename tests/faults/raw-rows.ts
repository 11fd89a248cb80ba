/**
 * The rows of a round's database as they lie there, past every port: what no port shows can only be judged so.
 * A statement is plain SQL that both databases take; a task's id is read by `toTaskId`.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isSafelightError, SafelightError } from "@safelight/core"
import { Client } from "pg"

export interface RawRows extends AsyncDisposable {
  read<Row>(sql: string): Promise<readonly Row[]>
  listTables(): Promise<readonly string[]>
}

/** `place` as of `openStorage`; what fails rejects as a storage does. */
export async function openRawRows(place: string): Promise<RawRows> {
  const raw = await translate(place.startsWith("postgres:") ? openServer(place) : openFile(place))
  return {
    read: (sql) => translate(raw.read(sql)),
    listTables: () => translate(raw.listTables()),
    [Symbol.asyncDispose]: () => raw[Symbol.asyncDispose](),
  }
}

async function translate<Result>(read: Promise<Result>): Promise<Result> {
  try {
    return await read
  } catch (cause) {
    if (isSafelightError(cause)) throw cause
    const message = "the rows could not be read"
    throw new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
  }
}

async function openFile(folder: string): Promise<RawRows> {
  const database = new DatabaseSync(join(folder, "safelight.db"), { readOnly: true })
  database.exec("pragma busy_timeout = 5000")
  const read = async <Row>(sql: string): Promise<readonly Row[]> =>
    database.prepare(sql).all() as unknown as readonly Row[]
  return {
    read,
    listTables: async () =>
      toNames(await read("select name from sqlite_schema where type = 'table'")),
    [Symbol.asyncDispose]: async () => database.close(),
  }
}

async function openServer(url: string): Promise<RawRows> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // The server may end it; what it was asked then rejects, and that is heard.
  client.on("error", () => {})
  await client.connect()
  const read = async <Row>(sql: string): Promise<readonly Row[]> =>
    (await client.query(sql)).rows as readonly Row[]
  const tables = "select tablename as name from pg_tables where schemaname = current_schema()"
  return {
    read,
    listTables: async () => toNames(await read(tables)),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

function toNames(rows: readonly { readonly name: string }[]): readonly string[] {
  return rows.map(({ name }) => name)
}

/** A column that names a task: text in a file, and the bytes of the UUID on a server. */
export function toTaskId(value: string | Uint8Array): string {
  if (typeof value === "string") return value
  const digits = Buffer.from(value).toString("hex")
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
