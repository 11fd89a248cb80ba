/**
 * Databases of the benchmarks: each contender has one of its own, on one server. The server is the
 * one at `SAFELIGHT_TEST_DATABASE_URL`, which is left running, or one made for the run. Its address
 * holds a password: it goes from the runner to a benchmark by the environment, and nowhere else.
 */
import { Client } from "pg"
import { startPostgres } from "../../support/postgres-server.ts"

/** Where the runner leaves the server's address for the benchmark it starts. */
export const SERVER_URL = "SAFELIGHT_BENCHMARK_SERVER_URL"

/** Connections of every contender that has a pool: what pg-boss, graphile-worker and pg take by default. */
export const POOL_SIZE = 10

export interface Server extends AsyncDisposable {
  readonly url: string
}

export interface Database extends AsyncDisposable {
  readonly url: string
  /** One row's columns by name, on a connection beside everybody's pool. */
  query(text: string): Promise<Readonly<Record<string, unknown>>>
}

/** The server of this run. Rejects where it does not sync its commits: nothing durable would be measured. */
export async function openServer(given: string | undefined): Promise<Server> {
  if (given !== undefined) {
    await requireDurability(given)
    return { url: given, async [Symbol.asyncDispose]() {} }
  }
  const server = await startPostgres()
  const url = server.url("postgres")
  await requireDurability(url)
  return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** A new database on the runner's server, dropped at the end. */
export async function createDatabase(contender: string): Promise<Database> {
  const serverUrl = process.env[SERVER_URL]
  if (serverUrl === undefined) throw new Error(`${SERVER_URL} is not set: use run.ts`)
  const name = `safelight_bench_${contender}_${process.pid}`
  await queryOnce(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const client = new Client({ connectionString: url.href })
  await client.connect()
  return {
    url: url.href,
    async query(text) {
      const { rows } = await client.query<Record<string, unknown>>(text)
      return rows[0] ?? {}
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await queryOnce(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

async function requireDurability(url: string): Promise<void> {
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
    const row = await queryOnce(url, `show ${setting}`)
    if (row[setting] !== "on")
      throw new Error(`the server runs with ${setting} = ${String(row[setting])}`)
  }
}

async function queryOnce(url: string, text: string): Promise<Record<string, unknown>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text)
    return rows[0] ?? {}
  } finally {
    await client.end()
  }
}
