/**
 * GET /v1/usage?from&to: what the account's tasks cost that finished in a period, whenever they
 * were created.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { labelFilter } from "../request/labels.ts"
import { PERIOD_QUERY, readPeriod } from "../request/period.ts"
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
    ...PERIOD_QUERY,
    label: labelFilter(
      "Counts tasks with this label alone; what the account has left is unchanged.",
    ),
  },
  answers: { 200: { description: "The sums of the period.", json: usageReport } },
  refusals: ["invalid_value"],
}).handle(({ service, currency }) => async (call) => {
  const period = readPeriod(call)
  const { label: labels } = call.query
  const request = { account: call.caller.id, ...period, ...(labels && { labels }) }
  const report = await service.sumUsage(request)
  return call.reply(200, { ...toUsageReportBody(period, report), currency })
})
