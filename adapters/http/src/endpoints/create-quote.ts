/**
 * POST /v1/quotes: what a task would cost at most. The body is that of POST /v1/tasks, and is received, read
 * and refused in the same way and within the same bounds; nothing of it is kept.
 */
import { referenceToVideo, toUnixSeconds, type BilledItem, type Quote } from "@safelight/core"
import * as v from "valibot"
import { defineBody, described, type Shown } from "../bodies/body.ts"
import { BILLED_LINE, toBilledLine } from "../bodies/billed-line.ts"
import { price, toPriceBody } from "../bodies/price.ts"
import { currency, whole } from "../bodies/shapes.ts"
import { CREATION_REFUSALS } from "../body/creation-refusals.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { creationBody } from "../request/body-kinds.ts"
import { toQuoteText } from "../request/cost-limit.ts"
import { toCreationRefusal } from "./submission-refusal.ts"

/** Money in integer micro-units, durations in integer milliseconds. */
const EXAMPLE = {
  quote: "1767229200.600000.default-1",
  valid_until: 1_767_229_200,
  model: referenceToVideo.id,
  currency: "USD",
  max_cost_micros: 600_000,
  price_version: "default-1",
  price: { per_video_second_micros: 100_000 },
  lines: [
    {
      item: "output_video",
      unit: "second",
      unit_price_micros: 100_000,
      duration_ms: 6_000,
      is_estimate: true,
    },
  ],
} as const

const quote = defineBody("Quote", EXAMPLE, {
  quote: described(v.string(), "What `Safelight-Quote` takes on the submission."),
  valid_until: described(
    whole,
    "Unix time in seconds, exclusive. A submission that names the quote before then is charged by " +
      "its prices, or refused where they have changed since; from then on it is refused.",
  ),
  model: v.string(),
  currency,
  max_cost_micros: described(
    whole,
    "What is reserved for the task, and the most that it is charged: the lines added up, and " +
      "rounded up once.",
  ),
  price_version: described(v.string(), "The table of prices."),
  price: described(price, "Micro-units of the account's currency."),
  lines: described(
    v.array(
      v.object({
        ...BILLED_LINE,
        is_estimate: described(
          v.boolean(),
          "Measured only later: it may be less, and is never billed as more.",
        ),
      }),
    ),
    "What is billed: quantity × unit price × factors of each, added up. Empty for a model that has an " +
      "arithmetic of its own.",
  ),
})

const MEASURED_LATER: ReadonlySet<BilledItem> = new Set([
  "output_video",
  "input_video",
  "output_audio",
  "tokens",
])

export const createQuote = defineEndpoint({
  method: "POST",
  path: "/v1/quotes",
  about: {
    id: "createQuote",
    tag: "Usage",
    summary: "What a task would cost",
    description:
      "The body is that of the task, checked as if it were submitted. Nothing is stored and nothing is " +
      "reserved, and the account's budget is not looked at. A task that is submitted with the quote as " +
      "`Safelight-Quote` is charged by the quote's prices and at most its `max_cost_micros`, or it is " +
      "refused. Without that header the prices of the moment of submission count.",
  },
  // Who may buy may ask for the price. The body is as large as a task's, so the same rate counts.
  key: { scopes: ["tasks:write"], rate: "create" },
  body: creationBody,
  answers: { 200: { description: "The quote.", json: quote } },
  refusals: CREATION_REFUSALS,
}).handle(({ service, models, currency: name }) => {
  const ids = models.map(({ id }) => id)
  return async (call) => {
    const { fingerprint: _unused, ...creation } = await call.body()
    const result = await service.quote({ account: call.caller.id, ...creation })
    if (result.kind === "rejected") throw toCreationRefusal(call.refuse, result.rejection, ids)
    return call.reply(200, { ...toQuoteBody(result.quote), currency: name })
  }
})

function toQuoteBody(found: Quote): Omit<Shown<typeof quote>, "currency"> {
  return {
    quote: toQuoteText(found),
    valid_until: toUnixSeconds(found.validUntil),
    model: found.model,
    max_cost_micros: found.maxCostMicros,
    price_version: found.priceVersion,
    price: toPriceBody(found.price),
    lines: found.lines.map((line) => ({
      ...toBilledLine(line),
      is_estimate: MEASURED_LATER.has(line.item),
    })),
  }
}
