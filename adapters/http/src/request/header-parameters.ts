/**
 * The declared headers of a request. They are read after the key, the rate and the body's type, and
 * before anything of the body is.
 */
import type { ErrorCode } from "../errors/error-table.ts"
import type { Exchange } from "../exchange.ts"

export interface HeaderParameter<Value> {
  readonly description: string
  readonly schema: object
  /** Every code that `read` refuses with. */
  readonly refusals: readonly ErrorCode[]
  /** Throws a `Refusal` for a value that makes no sense. */
  readonly read: (exchange: Exchange) => Value
}

export type HeaderParameters = Readonly<Record<string, HeaderParameter<unknown>>>

/** By the declared names; throws a `Refusal` for the first that is wrong. */
export function readHeaders(
  exchange: Exchange,
  parameters: HeaderParameters,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const name in parameters) values[name] = parameters[name]?.read(exchange)
  return values
}

/** A header as it was sent, null if it was not. */
export function textHeader(name: string, description: string): HeaderParameter<string | null> {
  return {
    description,
    schema: { type: "string" },
    refusals: [],
    read: ({ request }) => request.headers.get(name),
  }
}
