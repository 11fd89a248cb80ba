/** The account's charges, page by page; each page is fetched when it is needed. */
import { isUsageStatement } from "../api/check-answers.ts"
import { withQuery } from "../api/paths.ts"
import type { UsageStatement } from "../api/usage-answers.ts"
import type { Connection } from "../connection/connection.ts"
import { readPages } from "../connection/read-pages.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"

export interface StatementQuery {
  /** Of UTC: `2026-11`. It takes neither `from` nor `to`. */
  readonly month?: string | undefined
  /** Unix seconds, inclusive. */
  readonly from?: number | undefined
  /** Unix seconds, exclusive; until now by default. */
  readonly to?: number | undefined
  /** Also the proof that each event is in the service's signed log. */
  readonly proofs?: boolean | undefined
  /** Charges on a page, at most 100; 20 by default. */
  readonly limit?: number | undefined
}

export function readStatement(
  connection: Connection,
  { from, limit, month, proofs, to }: StatementQuery,
  { signal }: CallOptions,
): AsyncIterableIterator<UsageStatement> {
  // Absent otherwise: a service that signs nothing has nothing to prove.
  const proved = proofs === true ? "true" : undefined
  const query = { month, from, to, proofs: proved, limit }
  return readPages("the statement", (cursor) =>
    connection.read(withQuery("/v1/usage/statement", { ...query, cursor }), isUsageStatement, {
      signal,
    }),
  )
}
