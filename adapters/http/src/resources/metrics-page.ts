/**
 * GET /metrics, which asks for no key, as those who scrape it expect: so it is served only where a
 * host hands the text in, and is an unknown path everywhere else. It is no part of the API's
 * document.
 */
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"

export interface MetricsText {
  readonly contentType: string
  readonly text: string
}

export function createMetricsPage(read: () => Promise<MetricsText>): Resource {
  return {
    path: "/metrics",
    methods: {
      async GET({ requestId, method }) {
        const { contentType, text } = await read()
        const headers = { "content-type": contentType }
        return jsonResponse({ status: 200, text, requestId, method, headers })
      },
    },
  }
}
