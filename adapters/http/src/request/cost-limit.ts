/**
 * What a submission says of its price: `Safelight-Max-Cost-Micros` and `Safelight-Quote`. A quote is its own
 * terms as text, unsigned: whoever changes them can only get the task refused, or agree to pay more by the
 * same prices. Neither is part of an idempotency key's fingerprint: a replay is its task, whatever they say.
 */
import type { QuoteTerms } from "@safelight/core"
import { refuseParameters, toRefuse, type Refusal } from "../errors/refusal.ts"
import type { HeaderParameter } from "./header-parameters.ts"

const REFUSALS = ["invalid_value"] as const
const refuse = toRefuse(REFUSALS)

const MAX_COST = "Safelight-Max-Cost-Micros"
const QUOTE = "Safelight-Quote"

/** As the document describes it, and as `parseQuote` reads it. */
const QUOTE_PATTERN = /^(\d{1,12})\.(\d{1,15})\.([!-~]{1,1000})$/

export const maxCost: HeaderParameter<number | undefined> = {
  description:
    "Micro-units of the account's currency. A task that could be charged more is refused as " +
    "`max_cost_exceeded` and leaves no trace. The task of an earlier request with the same " +
    "`Idempotency-Key` is answered all the same.",
  schema: { type: "integer", minimum: 0, maximum: 999_999_999_999_999 },
  refusals: REFUSALS,
  absent: undefined,
  parse(sent) {
    if (/^\d{1,15}$/.test(sent)) return Number(sent)
    throw toFault(MAX_COST, "expected micro-units: a whole number of at most 15 digits, once")
  },
}

export const quote: HeaderParameter<QuoteTerms | undefined> = {
  description:
    "The `quote` of an answer of `POST /v1/quotes`. The task is charged by the prices of that quote and " +
    "at most its `max_cost_micros`, or it is refused: as `quote_expired` once the quote's time is over " +
    "or the prices have changed, as `max_cost_exceeded` if it could be charged more.",
  schema: { type: "string", pattern: QUOTE_PATTERN.source },
  refusals: REFUSALS,
  absent: undefined,
  parse(sent) {
    const terms = parseQuote(sent)
    if (terms === undefined) throw toFault(QUOTE, "expected the quote of POST /v1/quotes, once")
    return terms
  },
}

/** The text of a quote; `parseQuote` reads it. */
export function toQuoteText({ maxCostMicros, priceVersion, validUntil }: QuoteTerms): string {
  return `${validUntil / 1_000}.${maxCostMicros}.${encodeURIComponent(priceVersion)}`
}

function parseQuote(text: string): QuoteTerms | undefined {
  const [, seconds, micros, version = ""] = QUOTE_PATTERN.exec(text) ?? []
  if (seconds === undefined || micros === undefined) return undefined
  try {
    const priceVersion = decodeURIComponent(version)
    return { priceVersion, maxCostMicros: Number(micros), validUntil: Number(seconds) * 1_000 }
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function toFault(param: string, words: string): Refusal {
  const issue = { param, code: "invalid_value", message: `${param}: ${words}.` } as const
  return refuseParameters(refuse, [issue])
}
