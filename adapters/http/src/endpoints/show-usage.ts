/**
 * GET /v1/usage?from&to: what the account's tasks cost that finished in a period, whenever they
 * were created. Periods that meet share no task: `from` is inclusive and `to` exclusive. A period
 * may be empty, but not end before it begins: zeros would hide that the bounds were mixed up.
 */
import { toUnixSeconds } from "@safelight/core"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { refuseParameters } from "../errors/refusal.ts"
import { labelFilter } from "../request/labels.ts"
import { moment } from "../request/query-parameters.ts"
import { toUsageReportBody, usageReport } from "../bodies/usage.ts"

export const showUsage = defineEndpoint({
  method: "GET",
  path: "/v1/usage",
  about: {
    id: "getUsage",
    tag: "Usage",
    summary: "What the account's tasks cost",
    description:
      "A task counts in the period in which it finished. Periods that meet share no task. A " +
      "parameter that is not known, or that stands twice (except `label`), is refused.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {
    from: moment("Unix seconds, inclusive; by default 0."),
    to: moment(
      "Unix seconds, exclusive, not before `from`; by default the second after this one, or `from` " +
        "where that is later.",
    ),
    label: labelFilter(
      "Counts tasks with this label alone; what the account has left is unchanged.",
    ),
  },
  answers: { 200: { description: "The sums of the period.", json: usageReport } },
  refusals: ["invalid_value"],
}).handle(({ service, currency }) => async (call) => {
  const nextSecond = (toUnixSeconds(call.startedAt) + 1) * 1_000
  // By default everything that has finished.
  const { from = 0, to = Math.max(from, nextSecond), label: labels } = call.query
  if (to < from) {
    const message = "to must not be before from."
    throw refuseParameters(call.refuse, [{ param: "to", code: "invalid_value", message }])
  }
  const request = { account: call.caller.id, from, to, ...(labels && { labels }) }
  const report = await service.sumUsage(request)
  return call.reply(200, { ...toUsageReportBody({ from, to }, report), currency })
})
