/** The requests of a scenario, each under a key of its own, as a client that asks again sends them. */
import type { SubmitRequest } from "@safelight/core"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"

export const REQUEST_KEYS = ["order-1", "order-2", "order-3", "order-4", "order-5", "order-6"]

export function toKeyedRequest(key: string): SubmitRequest {
  return { ...SAMPLE_REQUEST, idempotency: { key, fingerprint: "a1".repeat(32) } }
}
