/**
 * GET /v1/usage?from&to: what the account's tasks cost that finished in a period, whenever they
 * were created. Periods that meet share no task: `from` is inclusive and `to` exclusive. A period
 * may be empty, but not end before it begins: zeros would hide that the bounds were mixed up.
 */
import { toUnixSeconds, type ChargesRequest, type Clock, type TaskService } from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import { refuseParameters } from "../errors/refusal.ts"
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { createQueryReader, parseMoment } from "./query-parameters.ts"
import { toUsageReportText } from "./usage-body.ts"

export interface ShowUsageOptions {
  readonly service: Pick<TaskService, "sumUsage">
  readonly admit: Admit
  readonly clock: Pick<Clock, "now">
}

export function createShowUsage({ service, admit, clock }: ShowUsageOptions): Resource {
  return {
    path: "/v1/usage",
    methods: {
      async GET(exchange) {
        const { request, method, requestId } = exchange
        const account = await admit(exchange, { scopes: ["tasks:read"], policy: "read" })
        const period = parsePeriod(request.url, clock.now())
        const report = await service.sumUsage({ account: account.id, ...period })
        const text = toUsageReportText(period, report)
        return jsonResponse({ status: 200, text, requestId, method })
      },
    },
  }
}

/** Milliseconds; by default everything that has finished. Throws a `Refusal`. */
function parsePeriod(url: string, now: number): Omit<ChargesRequest, "account"> {
  const query = createQueryReader(url, ["to", "from"])
  const from = query.read("from", parseMoment) ?? 0
  const to = query.read("to", parseMoment) ?? Math.max(from, (toUnixSeconds(now) + 1) * 1_000)
  query.check()
  if (to < from) {
    const message = "to must not be before from."
    throw refuseParameters([{ param: "to", code: "invalid_value", message }])
  }
  return { from, to }
}
