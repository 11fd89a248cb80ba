/**
 * GET /v1/admin/usage: what all accounts were charged and what it cost upstream. Only tasks count that a channel
 * ended: one that was cancelled before cost nothing. Bounds are those of `GET /v1/usage`.
 */
import { OUTCOME_GROUPINGS, toUnixSeconds, type OperatorUsageRow } from "@safelight/core"
import { defineEndpoint } from "../endpoint.ts"
import { refuseParameters } from "../errors/refusal.ts"
import { anyText, moment, requiredChoice } from "../request/query-parameters.ts"
import { OPERATOR_KEY } from "./operator-key.ts"

export const showOperatorUsage = defineEndpoint({
  method: "GET",
  path: "/v1/admin/usage",
  about: {
    id: "getOperatorUsage",
    tag: "Operator",
    summary: "What tasks were charged, what they cost, and the margin",
    description:
      "A task counts in the period in which it finished, and an attempt before its last one in which that was given " +
      "up. At most 1,000 rows: days in their order, others by what was charged.",
  },
  key: OPERATOR_KEY,
  query: {
    by: requiredChoice("What the rows are. Days are of UTC.", OUTCOME_GROUPINGS),
    account: anyText("Counts this account's tasks alone."),
    from: moment("Unix seconds, inclusive; by default 0."),
    to: moment("Unix seconds, exclusive, not before `from`; by default the second after this one."),
  },
  answers: { 200: { description: "The sums of the period.", json: "OperatorUsage" } },
  refusals: ["invalid_value"],
}).handle(({ insight }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const nextSecond = (toUnixSeconds(call.startedAt) + 1) * 1_000
    const { account, by, from = 0, to = Math.max(from, nextSecond) } = call.query
    if (to < from) {
      const message = "to must not be before from."
      throw refuseParameters(call.refuse, [{ param: "to", code: "invalid_value", message }])
    }
    const request = { by, from, to, ...(account !== undefined && { account }) }
    const { hasMore, rows } = await insight.usage.sumUsage(request)
    const period = { by, from: toUnixSeconds(from), to: toUnixSeconds(to) }
    const body = { ...period, rows: rows.map(toRowBody), has_more: hasMore }
    return call.reply(200, JSON.stringify(body))
  }
})

function toRowBody(row: OperatorUsageRow): object {
  return {
    name: row.name,
    tasks: row.succeeded + row.failed,
    succeeded: row.succeeded,
    failed: row.failed,
    charge_micros: row.chargeMicros,
    cost_micros: row.costMicros,
    unknown_costs: row.unknownCosts,
    margin_micros: row.marginMicros,
  }
}
