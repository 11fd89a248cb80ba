/** A quote as the API shows it: money in integer micro-units, durations in integer milliseconds. */
import { toUnixSeconds, type Quote, type QuoteLine } from "@safelight/core"
import { toQuoteText } from "../request/cost-limit.ts"
import { toPriceBody } from "./usage-body.ts"

export function toQuoteBody(quote: Quote): object {
  return {
    quote: toQuoteText(quote),
    valid_until: toUnixSeconds(quote.validUntil),
    model: quote.model,
    max_cost_micros: quote.maxCostMicros,
    price_version: quote.priceVersion,
    price: toPriceBody(quote.price),
    lines: quote.lines.map(toLine),
  }
}

function toLine({ item, quantity, unitPriceMicros }: QuoteLine): object {
  const isVideo = item !== "image"
  return {
    item,
    unit: isVideo ? "second" : "image",
    unit_price_micros: unitPriceMicros,
    ...(isVideo ? { duration_ms: quantity } : { images: quantity }),
    is_estimate: isVideo,
  }
}
