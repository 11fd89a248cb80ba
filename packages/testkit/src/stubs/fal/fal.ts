/**
 * fal: `queue.fal.run` (submit, status, its stream, result, cancel), `fal.run` (synchronous), `rest.fal.ai`
 * (uploads, key set), `api.fal.ai` (lists, prices) and `v3b.fal.media` (files), all at one origin. A
 * path may begin with the name of its host, and stands for `queue.fal.run` if it has none; only
 * `fal.run` has to be named, since its paths are those of the queue.
 */
import { hasScheme, refuseWith, type StubDefinition } from "../frame/stub-definition.ts"
import { openRoute, type StubReply } from "../frame/stub-route.ts"
import { createJobs } from "../frame/stub-jobs.ts"
import type { FalOrderData } from "./fal-job.ts"
import { FAL_FAILURES } from "./fal-failures.ts"
import { createPlatformRoutes } from "./fal-platform.ts"
import { createQueueRoutes } from "./fal-queue.ts"
import { createSigner } from "./fal-signature.ts"
import { createUploadRoutes } from "./fal-uploads.ts"

/**
 * The names of failures make every job fail so that is submitted under them. `no-balance` answers creates with
 * a 403, and `late-cancel` accepts
 * a cancellation that doesn't happen, `payload-error` leaves the payload out of a webhook,
 * `rotated-key` signs with a new key, `retried` tells another gateway ID in the webhook, `list-lags`
 * hides the last two minutes from the list.
 */
const OWN_FAULTS = [
  ...Object.keys(FAL_FAILURES),
  "no-balance",
  "late-cancel",
  "payload-error",
  "rotated-key",
  "retried",
  "list-lags",
]

const refuse = refuseWith({
  unauthorized: {
    status: 401,
    json: { detail: "Cannot access application. Authentication is required." },
  },
  "unknown-path": { status: 404, json: { detail: "Not Found" } },
  "not-found": { status: 404, json: { status: "NOT_FOUND" } },
  malformed: infra(400, "bad_request", "The request could not be read."),
  "too-large": infra(413, "bad_request", "The request is too large."),
  broken: infra(500, "internal_error", "Internal Server Error"),
  busy: {
    ...infra(429, "concurrent_requests_limit", "Too many concurrent requests."),
    headers: { "x-fal-error-type": "concurrent_requests_limit", "x-fal-needs-retry": "1" },
  },
})

export const FAL: StubDefinition = {
  hosts: ["queue.fal.run", "fal.run", "rest.fal.ai", "api.fal.ai", "v3b.fal.media"],
  filesHost: "v3b.fal.media",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) => hasScheme(call, "Key"),
  refuse,
  createRoutes(context) {
    const signer = createSigner()
    const state = { context, signer, jobs: createJobs<FalOrderData>(context) }
    return [
      openRoute("other", "GET /.well-known/jwks.json", () => ({ json: signer.keySet() })),
      ...createPlatformRoutes(state),
      ...createUploadRoutes(context),
      ...createQueueRoutes(state),
    ]
  },
}

function infra(status: number, type: string, detail: string): StubReply {
  const headers = { "x-fal-error-type": type }
  return { status, headers, json: { detail, error_type: type } }
}
