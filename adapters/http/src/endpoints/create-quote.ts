/**
 * POST /v1/quotes: what a task would cost at most. The body is that of POST /v1/tasks, and is received, read
 * and refused in the same way and within the same bounds; nothing of it is kept.
 */
import { CREATION_REFUSALS } from "../body/creation-refusals.ts"
import { defineEndpoint } from "../endpoint.ts"
import { creationBody } from "../request/body-kinds.ts"
import { toQuoteBody } from "./quote-body.ts"
import { toCreationRefusal } from "./submission-refusal.ts"

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
  answers: { 200: { description: "The quote.", json: "Quote" } },
  refusals: CREATION_REFUSALS,
}).handle(({ service, models }) => {
  const ids = models.map(({ id }) => id)
  return async (call) => {
    const { fingerprint: _unused, ...creation } = await call.body()
    const result = await service.quote({ account: call.caller.id, ...creation })
    if (result.kind === "rejected") throw toCreationRefusal(call.refuse, result.rejection, ids)
    return call.reply(200, JSON.stringify(toQuoteBody(result.quote)))
  }
})
