/**
 * The queries of one connection. They are sent without waiting for earlier answers; the server carries them out in
 * order. Where its settings don't hold in the session, each transaction is given them at its beginning.
 */
import type { Client, QueryArrayResult, QueryConfig } from "pg"
import { DEFAULTS } from "./defaults.ts"
import { hasNul, toQuery, type Query } from "./named-query.ts"
import type { PostgresConnection } from "./connection.ts"
import { toSettingStatement, type Settings } from "./session-settings.ts"
import { toDatabaseError } from "./sql-error.ts"
import { createTransactionQuery } from "./transaction-query.ts"

export interface QueriesOptions {
  readonly keepsNames: boolean
  /** For each transaction; absent if they hold in the session. */
  readonly settings?: Settings
}

type Queries = Pick<PostgresConnection, "run" | "runStep" | "execute" | "confirm">

/** How a transaction is begun, and a text that ends one. */
const BEGIN = /^begin\b[^;]*/
const END = /(?:^|; )(?:commit|rollback)$/

export function createQueries(client: Client, options: QueriesOptions): Queries {
  const { keepsNames, settings } = options
  const preamble = settings && toSettingStatement(settings)
  const replan = keepsNames ? createReplan(client) : () => {}
  let answeredAt = performance.now()
  /** Of what is sent next. */
  let isWithin = false

  async function answer<Result>(asked: Promise<Result>): Promise<Result> {
    try {
      const result = await asked
      answeredAt = performance.now()
      return result
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  function send({ name, text, values }: Query & { readonly name?: string }) {
    replan()
    return answer(
      ask(
        client,
        { text, values: [...values], ...(keepsNames && name !== undefined && { name }) },
        isWithin ? undefined : preamble,
      ),
    )
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
      if (BEGIN.test(sql)) isWithin = true
      if (END.test(sql)) isWithin = false
      const all = preamble && sql.replace(BEGIN, (begin) => `${begin}; ${preamble}`)
      await answer(client.query(all ?? sql))
    },
    async confirm() {
      if (performance.now() - answeredAt < DEFAULTS.confirmAfterMs) return
      const question = { text: "select", query_timeout: DEFAULTS.connectTimeoutMs }
      await answer(client.query(question))
    },
  }
}

/** `preamble` is sent ahead, in the same transaction. */
function ask(
  client: Client,
  query: QueryConfig,
  preamble: string | undefined,
): Promise<QueryArrayResult> {
  // Also one without values and name: in the other protocol it would be a transaction of its own.
  const config = { ...query, rowMode: "array" as const, queryMode: "extended" }
  if (preamble === undefined) return client.query(config)
  const { query: own, result } = createTransactionQuery(config, preamble)
  client.query(own)
  return result
}

/** Plans are made again this often: one for an empty table must not outlive its emptiness. */
const REPLAN_MS = 5_000

/** Sent ahead of the next query, without waiting for its answer. */
function createReplan(client: Client): () => void {
  let plannedAt = performance.now()
  return () => {
    if (performance.now() - plannedAt < REPLAN_MS) return
    plannedAt = performance.now()
    // If it fails, the connection has failed, and so does the next query.
    client.query("discard plans").catch(() => undefined)
  }
}
