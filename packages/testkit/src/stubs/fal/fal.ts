/**
 * fal: `queue.fal.run` (submit, status, its stream, result, cancel), `fal.run` (synchronous), `rest.fal.ai`
 * (uploads, key set), `api.fal.ai` (lists, prices) and `v3b.fal.media` (files), all at one origin. A
 * path may begin with the name of its host, and stands for `queue.fal.run` if it has none; only
 * `fal.run` has to be named, since its paths are those of the queue.
 */
import type { RunningStub, StubOptions } from "../running-stub.ts"
import { startStub } from "../start-stub.ts"
import { hasScheme, type Refusal, type StubDefinition } from "../stub-definition.ts"
import { openRoute, type StubReply } from "../stub-route.ts"
import { createJobs } from "../stub-jobs.ts"
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

const FAL: StubDefinition = {
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

export function startFalStub(options?: StubOptions): Promise<RunningStub> {
  return startStub(FAL, options)
}

function refuse(reason: Refusal): StubReply {
  switch (reason) {
    case "unauthorized":
      return {
        status: 401,
        json: { detail: "Cannot access application. Authentication is required." },
      }
    case "unknown-path":
      return { status: 404, json: { detail: "Not Found" } }
    case "not-found":
      return { status: 404, json: { status: "NOT_FOUND" } }
    case "malformed":
      return infra(400, "bad_request", "The request could not be read.")
    case "too-large":
      return infra(413, "bad_request", "The request is too large.")
    case "broken":
      return infra(500, "internal_error", "Internal Server Error")
    case "busy": {
      const reply = infra(429, "concurrent_requests_limit", "Too many concurrent requests.")
      return { ...reply, headers: { ...reply.headers, "x-fal-needs-retry": "1" } }
    }
  }
}

function infra(status: number, type: string, detail: string): StubReply {
  const headers = { "x-fal-error-type": type }
  return { status, headers, json: { detail, error_type: type } }
}
