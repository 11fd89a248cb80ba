/**
 * GET /v1/balance: what an account has spent and what it has left. The figures of `account` in GET /v1/usage,
 * without the sums over a period. Of an account without limits they may be some seconds old.
 */
import * as v from "valibot"
import { defineBody, described } from "../bodies/body.ts"
import { currency, whole } from "../bodies/shapes.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"

const EXAMPLE = {
  currency: "USD",
  budget_micros: 5_000_000,
  reserved_micros: 600_000,
  spent_micros: 10_000,
  left_micros: 4_390_000,
} as const

const balance = defineBody("Balance", EXAMPLE, {
  currency,
  budget_micros: described(v.nullable(whole), "Null where there is none."),
  reserved_micros: described(whole, "Held back for unfinished tasks."),
  spent_micros: described(whole, "Charged for finished tasks."),
  left_micros: described(
    v.nullable(whole),
    "The budget without what is spent and reserved, at least 0. Null where there is no budget.",
  ),
})

export const showBalance = defineEndpoint({
  method: "GET",
  path: "/v1/balance",
  about: {
    id: "getBalance",
    tag: "Usage",
    summary: "What the account has left",
    description:
      "Without a budget `budget_micros` and `left_micros` are null. For an account without a budget and " +
      "without a limit on unfinished tasks the sums are counted; where that takes long, the answer may be " +
      "up to ten seconds old. For any other it is as things are now.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {},
  answers: { 200: { description: "The balance.", json: balance } },
  refusals: [],
}).handle(({ service, currency: name }) => async (call) => {
  const found = await service.readBalance(call.caller.id)
  const body = {
    currency: name,
    budget_micros: found.budgetMicros,
    reserved_micros: found.reservedMicros,
    spent_micros: found.chargedMicros,
    left_micros: found.leftMicros,
  }
  return call.reply(200, body)
})
