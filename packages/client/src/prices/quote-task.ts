/** Asks for the price of a task. A quote makes nothing, so the request is repeated like a read. */
import type { Quote } from "../api/price-answers.ts"
import { isQuote } from "../api/check-answers.ts"
import { QUOTES_PATH } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import { toCreationText, type Creation } from "../tasks/creation-text.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"

export async function quoteTask(
  connection: Connection,
  creation: Creation,
  { signal }: CallOptions = {},
): Promise<Quote> {
  const headers = { "content-type": "application/json" }
  const body = toCreationText(creation)
  const request = { method: "POST", path: QUOTES_PATH, headers, body, signal } as const
  const { value } = await connection.retry(() => connection.ask(request, isQuote), { signal })
  return value
}
