/**
 * One connection, set up so that no plan depends on how large a table was when the plan was made, and
 * neither end waits for the other for ever.
 */
import { types as pgTypes } from "pg"
import { SafelightError } from "@safelight/core"
import type { Connection, RawRows } from "@safelight/store"
import { connectClient, createClient, readProcessId } from "./client.ts"
import { DEFAULTS } from "./defaults.ts"
import { KEEPS_ALL, type Keeping } from "./keeping.ts"
import type { NamedQuery, Query } from "./named-query.ts"
import { createQueries } from "./queries.ts"
import {
  assertSettings,
  toCrucialSettings,
  toSessionSettings,
  toTransactionSettings,
  type Planning,
} from "./session-settings.ts"
import { toUnopened } from "./sql-error.ts"

export interface PostgresConnection extends Connection {
  /** Rows as arrays. Rejects with a `DatabaseError`, of fault `lost` if the error is not the server's. */
  readonly run: (query: Query | NamedQuery) => Promise<RawRows>
  /** Closes it; resolves once the server has closed it too. */
  readonly end: () => Promise<void>
  /** Calls `listener` once the connection has ended, for whatever reason. */
  readonly onEnd: (listener: () => void) => void
  /** Calls `listener` with each notification's payload. */
  readonly onNotification: (listener: (payload: string) => void) => void
  /** Of the session that the server said it had begun; poolers make the number up. */
  readonly processId: number | null
}

export interface ConnectionOptions {
  readonly url: string
  readonly name: string
  /** The kind of statements that it mostly runs. */
  readonly planning: Planning
  readonly keeping: Keeping
}

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
  const { keeping, name, planning, url } = options
  const client = createClient({
    url,
    settings: keeping.settings ? toSessionSettings(url, planning) : undefined,
    application_name: name,
    query_timeout: DEFAULTS.replyTimeoutMs,
    pipeline: true,
    types,
  })
  const queries = createQueries(client, {
    keepsNames: keeping.names,
    ...(!keeping.settings && { settings: toTransactionSettings(url, planning) }),
  })
  let isOpen = true
  const end = (): void => {
    isOpen = false
  }
  client.on("error", end)
  client.on("end", end)
  try {
    await connectClient(client)
    if (keeping.settings) await assertSettings(queries.run, toCrucialSettings(url, planning))
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
    processId: readProcessId(client),
  }
}

/** Opens connections of one kind, each named for what it is for. */
export function createOpener(url: string, keeping: Keeping = KEEPS_ALL) {
  return (name: string, planning: Planning = "rows") =>
    (): Promise<PostgresConnection> =>
      connect({ url, name: `safelight ${name}`, planning, keeping })
}
