/**
 * A query that brings the settings of its transaction along: the statement that sets them is sent ahead of it, and one
 * Sync behind both. So they are one transaction, which stands or falls as the query alone would.
 */
import { Query as PgQuery, type QueryArrayResult, type QueryConfig } from "pg"
import type { Connection } from "pg"

interface Messages {
  parse(message: { name: string; text: string; types: readonly number[] }): void
  bind(message: { portal: string; statement: string; values: readonly unknown[] }): void
  execute(message: { portal: string; rows: number }): void
}

export interface TransactionQuery {
  /** To be handed to the client. */
  readonly query: PgQuery
  readonly result: Promise<QueryArrayResult>
}

/** `preamble` has no values and returns no row. */
export function createTransactionQuery(config: QueryConfig, preamble: string): TransactionQuery {
  const { promise: result, resolve, reject } = Promise.withResolvers<QueryArrayResult>()
  const query = new PgQuery({
    ...config,
    callback(error: Error | null, results: QueryArrayResult | readonly QueryArrayResult[]) {
      if (error) reject(error)
      else resolve([results].flat().at(-1) as QueryArrayResult)
    },
  } as QueryConfig)
  const submit = query.submit.bind(query)
  query.submit = (connection: Connection) => {
    // As one write.
    connection.stream.cork()
    try {
      const messages = connection as unknown as Messages
      messages.parse({ name: "", text: preamble, types: [] })
      messages.bind({ portal: "", statement: "", values: [] })
      messages.execute({ portal: "", rows: 0 })
      return submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }
  return { query, result }
}
