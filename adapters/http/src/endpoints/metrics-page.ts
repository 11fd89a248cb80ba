/**
 * GET /metrics, which needs no key, as scrapers expect. So it is served only if the host passes the text,
 * and is an unknown path otherwise. It is not in the API's document.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import type { Services } from "../pipeline/services.ts"

export const showMetrics = defineEndpoint({
  method: "GET",
  path: "/metrics",
  answers: { 200: { description: "The metrics, as text." } },
  refusals: [],
}).handle(({ metrics }: Pick<Services, "metrics">) => {
  if (metrics === undefined) return undefined
  return async (call) => {
    const { contentType, text } = await metrics()
    return call.reply(200, text, { "content-type": contentType })
  }
})
