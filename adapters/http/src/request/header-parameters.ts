/**
 * The declared headers of a request. They are read after the key, the rate and the body's type, and before
 * anything of the body is. One that was not sent costs no more than a look for it.
 */
import type { ErrorCode } from "../errors/error-table.ts"
import type { Exchange } from "../pipeline/exchange.ts"

export interface HeaderParameter<Value> {
  readonly description: string
  readonly schema: object
  /** Every code that `parse` refuses with. */
  readonly refusals: readonly ErrorCode[]
  /** Its value if it was not sent. */
  readonly absent: Value
  /** Throws a `Refusal` for a value that makes no sense. */
  readonly parse: (sent: string, exchange: Exchange) => Value
}

export type HeaderParameters = Readonly<Record<string, HeaderParameter<unknown>>>

/** Reads by the declared names; what it returns throws a `Refusal` for the first that is wrong. */
export function createHeaderReader(
  parameters: HeaderParameters,
): (exchange: Exchange) => Readonly<Record<string, unknown>> {
  const declared = Object.entries(parameters)
  return (exchange) => {
    const { headers } = exchange.request
    const values: Record<string, unknown> = {}
    for (const [name, { absent, parse }] of declared) {
      const sent = headers.get(name)
      values[name] = sent === null ? absent : parse(sent, exchange)
    }
    return values
  }
}

/** A header as it was sent, null if it was not. */
export function textHeader(description: string): HeaderParameter<string | null> {
  return {
    description,
    schema: { type: "string" },
    refusals: [],
    absent: null,
    parse: (sent) => sent,
  }
}
