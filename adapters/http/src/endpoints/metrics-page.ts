/**
 * GET /metrics, which asks for no key, as those who scrape it expect: so it is served only where a
 * host hands the text in, and is an unknown path everywhere else. It is no part of the API's
 * document.
 */
import { defineEndpoint } from "../endpoint.ts"
import type { Services } from "../services.ts"

export const showMetrics = defineEndpoint({
  method: "GET",
  path: "/metrics",
  answers: { 200: { description: "The metrics, as text." } },
  refusals: [],

  create({ metrics }: Pick<Services, "metrics">, { reply }) {
    if (metrics === undefined) return undefined
    return async (call) => {
      const { contentType, text } = await metrics()
      return reply(call, 200, text, { "content-type": contentType })
    }
  },
})
