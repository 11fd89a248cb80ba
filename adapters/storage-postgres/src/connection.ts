/**
 * One connection, set up so that no plan depends on how large a table was when the plan was made, and
 * neither end waits for the other for ever. Queries are sent without waiting for earlier answers; the server
 * carries them out in order.
 */
import { Client, types as pgTypes } from "pg"
import { SafelightError } from "@safelight/core"
import type { Connection, RawRows } from "@safelight/store"
import { hasNul, toQuery, type NamedQuery } from "./named-query.ts"
import { DEFAULTS } from "./defaults.ts"
import { toServerAddress } from "./server-address.ts"
import { assertSettings, toCrucialSettings, type CrucialSettings } from "./session-settings.ts"
import { toDatabaseError, toUnopened } from "./sql-error.ts"

export interface PostgresConnection extends Connection {
  /** Rows as arrays. Rejects with a `DatabaseError`, of fault `lost` if the error is not the server's. */
  readonly run: (query: NamedQuery) => Promise<RawRows>
  /** Closes it; resolves once the server has closed it too. */
  readonly end: () => Promise<void>
  /** Calls `listener` once the connection has ended, for whatever reason. */
  readonly onEnd: (listener: () => void) => void
  /** Calls `listener` with each notification's payload. */
  readonly onNotification: (listener: (payload: string) => void) => void
}

export interface ConnectionOptions {
  readonly url: string
  readonly name: string
  /** The kind of statements that it mostly runs. */
  readonly planning: keyof typeof PLANNING
  readonly statementTimeoutMs: number
  readonly replyTimeoutMs: number
}

/** For every connection, in addition to the crucial ones. */
const SETTINGS = [
  "enable_seqscan=off",
  "jit=off",
  "default_transaction_isolation=read\\ committed",
  "bytea_output=hex",
  "timezone=UTC",
  "client_encoding=UTF8",
]

/**
 * Statements are few, prepared, and written for their indexes; planning each again would cost more
 * than carrying it out. A batch names what it looks up by arrays and joins them by a hash, anything
 * else follows an index from row to row.
 */
const PLANNING = {
  batches: ["plan_cache_mode=force_generic_plan", "enable_nestloop=off", "enable_mergejoin=off"],
  rows: ["plan_cache_mode=force_generic_plan", "enable_hashjoin=off", "enable_mergejoin=off"],
} as const

/** Plans are made again this often: one for an empty table must not outlive its emptiness. */
const REPLAN_MS = 5_000

const BYTEA = 17
const INT8 = 20

/** Bytes as they are sent. Integers of 8 bytes as numbers: everything that is stored is a safe integer. */
const types = {
  getTypeParser(id: number, format?: "text" | "binary") {
    if (id === BYTEA) return String
    if (id === INT8 && format !== "binary") return toSafeInteger
    return pgTypes.getTypeParser(id, format)
  },
}

function toSafeInteger(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  const message = "a number of the database, or a sum, is larger than can be told exactly"
  throw new SafelightError({ code: "storage-corrupt", message })
}

/** Rejects with a `DatabaseError` of fault `unopened`. */
export async function connect(options: ConnectionOptions): Promise<PostgresConnection> {
  const crucial = toCrucialSettings(options.url, options.statementTimeoutMs, options.planning)
  const client = createClient(options, crucial)
  const queries = createQueries(client)
  let isOpen = true
  const end = (): void => {
    isOpen = false
  }
  client.on("error", end)
  client.on("end", end)
  try {
    await client.connect()
    await assertSettings(queries.run, crucial)
  } catch (error) {
    // If only this end refuses, the connection is still open.
    client.connection.stream.destroy()
    throw toUnopened(error)
  }
  return {
    ...queries,
    isOpen: () => isOpen,
    destroy() {
      isOpen = false
      client.connection.stream.destroy()
    },
    end: () => client.end(),
    onEnd: (listener) => void client.once("end", listener),
    onNotification: (listener) =>
      void client.on("notification", ({ payload }) => listener(payload ?? "")),
  }
}

/** Opens connections of one kind, each named for what it is for. */
export function createOpener(url: string) {
  const { replyTimeoutMs, statementTimeoutMs } = DEFAULTS
  return (name: string, planning: keyof typeof PLANNING = "rows") =>
    (): Promise<PostgresConnection> =>
      connect({ url, name: `safelight ${name}`, planning, replyTimeoutMs, statementTimeoutMs })
}

function createClient(options: ConnectionOptions, crucial: CrucialSettings): Client {
  const { url, name, planning, replyTimeoutMs } = options
  const settings = [
    ...SETTINGS,
    ...PLANNING[planning],
    ...Object.entries(crucial).map((setting) => setting.join("=")),
  ]
  return new Client({
    ...toServerAddress(url, settings),
    application_name: name,
    connectionTimeoutMillis: DEFAULTS.connectTimeoutMs,
    query_timeout: replyTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: DEFAULTS.keepAliveMs,
    pipeline: true,
    types,
  })
}

function createQueries(client: Client): Pick<PostgresConnection, "run" | "runStep" | "execute"> {
  let plannedAt = performance.now()

  /** Sent ahead of the next query, without waiting for its answer. */
  function replan(): void {
    if (performance.now() - plannedAt < REPLAN_MS) return
    plannedAt = performance.now()
    // If it fails, the connection has failed, and so does the next query.
    client.query("discard plans").catch(() => undefined)
  }

  async function send({ values, ...query }: NamedQuery) {
    replan()
    try {
      return await client.query({ ...query, values: [...values], rowMode: "array" })
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  return {
    run: async (query) => (await send(query)).rows,
    async runStep(step) {
      const isReading = step.statement.columns.length > 0
      // It holds no U+0000, so no row is found by it.
      if (isReading && step.values.some(hasNul)) return []
      const { rows, rowCount } = await send(toQuery(step))
      return isReading ? rows : (rowCount ?? 0)
    },
    async execute(sql) {
      try {
        await client.query(sql)
      } catch (error) {
        throw toDatabaseError(error)
      }
    },
  }
}
