/**
 * GET /v1/balance: what an account has spent and what it has left. The figures of `account` in GET /v1/usage,
 * without the sums over a period. Of an account without limits they may be some seconds old.
 */
import { defineEndpoint } from "../endpoint.ts"

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
  answers: { 200: { description: "The balance.", json: "Balance" } },
  refusals: [],
}).handle(({ service }) => async (call) => {
  const balance = await service.readBalance(call.caller.id)
  const body = {
    budget_micros: balance.budgetMicros,
    reserved_micros: balance.reservedMicros,
    spent_micros: balance.chargedMicros,
    left_micros: balance.leftMicros,
  }
  return call.reply(200, JSON.stringify(body))
})
