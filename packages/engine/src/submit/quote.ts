/**
 * Quoting: a request is checked and priced as a submission of it would be, and that is all. The prices are
 * this process's own: another one, started with another table, refuses a submission that names the quote.
 */
import { findPrice, toQuoteLines, type QuoteRequest, type QuoteResult } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { checkRequest } from "./submission.ts"

export async function quoteRequest(context: Context, request: QuoteRequest): Promise<QuoteResult> {
  const checked = checkRequest(context, request)
  if (checked.kind === "rejected") return checked
  await context.clock.ready()
  const { model, reservation } = checked
  const { logged, priceVersion, reservationMicros: maxCostMicros, usage } = reservation
  const price = findPrice(context.prices, priceVersion, model.id) ?? {}
  const lines = toQuoteLines({ parameters: logged, price, usage }, maxCostMicros)
  const endsAt = context.clock.now() + context.settings.quoteMs
  // In whole seconds, as the API tells it.
  const validUntil = Math.floor(endsAt / 1_000) * 1_000
  const quote = { model: model.id, priceVersion, price, lines, maxCostMicros, validUntil }
  return { kind: "quoted", quote }
}
