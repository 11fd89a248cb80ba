/**
 * GET /v1/balance: what an account has spent and what it has left. The same figures as `account` of
 * GET /v1/usage, without the sums over a period.
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
      "As it stands now. For an account without a budget and without a limit on unfinished tasks no " +
      "sums are kept: they are counted, and while too many counts wait it is `overloaded`.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {},
  answers: { 200: { description: "The balance.", json: "Balance" } },
  refusals: [],

  create({ service }, { reply }) {
    return async (call) => {
      const balance = await service.readBalance(call.caller.id)
      const body = {
        budget_micros: balance.budgetMicros,
        reserved_micros: balance.reservedMicros,
        spent_micros: balance.chargedMicros,
        left_micros: balance.leftMicros,
      }
      return reply(call, 200, JSON.stringify(body))
    }
  },
})
