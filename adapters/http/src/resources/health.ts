/**
 * /healthz says that the process answers, /readyz that it could serve: the first never asks the
 * database, or a slow one would have every node restarted. Neither needs a key.
 */
import type { Log } from "@safelight/core"
import { Refusal } from "../errors/refusal.ts"
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"

export interface HealthOptions {
  /** Rejects where the service can't be used now. */
  readonly checkReady: () => Promise<void>
  readonly log: Log
}

export function createHealth({ checkReady, log }: HealthOptions): Resource[] {
  return [
    {
      path: "/healthz",
      methods: {
        GET: ({ requestId, method }) =>
          jsonResponse({ status: 200, text: '{"status":"ok"}', requestId, method }),
      },
    },
    {
      path: "/readyz",
      methods: {
        async GET({ requestId, method }) {
          try {
            await checkReady()
          } catch (cause) {
            log.warn({ requestId, error: cause }, "not ready")
            throw new Refusal("service_unavailable", { headers: { "retry-after": "5" } })
          }
          return jsonResponse({ status: 200, text: '{"status":"ready"}', requestId, method })
        },
      },
    },
  ]
}
