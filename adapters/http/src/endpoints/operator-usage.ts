/**
 * GET /v1/admin/usage: what all accounts were charged and what it cost upstream. Only tasks count that a channel
 * ended: one that was cancelled before cost nothing. Bounds are those of `GET /v1/usage`.
 */
import { currency, whole } from "../bodies/shapes.ts"
import { defineBody, described, type Shown } from "../bodies/body.ts"
import { unknownCosts } from "../bodies/channel.ts"
import * as v from "valibot"
import { OUTCOME_GROUPINGS, toUnixSeconds, type OperatorUsageRow } from "@safelight/core"
import { PERIOD_QUERY, readPeriod } from "../request/period.ts"
import { anyText, requiredChoice } from "../request/query-parameters.ts"
import { defineOperatorEndpoint } from "./operator-endpoint.ts"

const EXAMPLE = {
  by: "day",
  from: 1_767_225_600,
  to: 1_767_312_000,
  currency: "USD",
  rows: [
    {
      name: "2026-01-01",
      tasks: 14,
      succeeded: 13,
      failed: 1,
      charge_micros: 390_000,
      cost_micros: 130_000,
      unknown_costs: 0,
      margin_micros: 260_000,
    },
  ],
  has_more: false,
} as const

const usage = defineBody("OperatorUsage", EXAMPLE, {
  by: v.picklist(OUTCOME_GROUPINGS),
  from: whole,
  to: whole,
  currency,
  rows: v.array(
    v.object({
      name: described(v.string(), "`2026-11-23` for a day, otherwise the name."),
      tasks: whole,
      succeeded: whole,
      failed: whole,
      charge_micros: whole,
      cost_micros: described(whole, "US dollars."),
      unknown_costs: unknownCosts,
      margin_micros: described(v.pipe(v.number(), v.integer()), "May be below 0."),
    }),
  ),
  has_more: described(v.boolean(), "Whether there are more rows than are shown."),
})

export const showOperatorUsage = defineOperatorEndpoint({
  method: "GET",
  path: "/v1/admin/usage",
  about: {
    id: "getOperatorUsage",
    summary: "What tasks were charged, what they cost, and the margin",
    description:
      "A task counts in the period in which it finished, and an attempt before its last one in which that was given " +
      "up. At most 1,000 rows: days in their order, others by what was charged.",
  },
  query: {
    by: requiredChoice("What the rows are. Days are of UTC.", OUTCOME_GROUPINGS),
    account: anyText("Counts this account's tasks alone."),
    ...PERIOD_QUERY,
  },
  answers: { 200: { description: "The sums of the period.", json: usage } },
  refusals: ["invalid_value"],
}).handle((insight, { currency: name }) => async (call) => {
  const { from, to } = readPeriod(call)
  const { account, by } = call.query
  const request = { by, from, to, ...(account !== undefined && { account }) }
  const { hasMore, rows } = await insight.usage.sumUsage(request)
  const period = { by, from: toUnixSeconds(from), to: toUnixSeconds(to) }
  const body = { ...period, currency: name, rows: rows.map(toRowBody), has_more: hasMore }
  return call.reply(200, body)
})

function toRowBody(row: OperatorUsageRow): Shown<typeof usage>["rows"][number] {
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
