/**
 * Replicate: `api.replicate.com` (paths begin with `/v1`) and `replicate.delivery` (files) at one
 * origin. A path without a host is the API's.
 */
import { randomUUID } from "node:crypto"
import { findBodyFault, toPathText, type BodyFault } from "../frame/body-fault.ts"
import { isKnownModel } from "../frame/known-model.ts"
import { signStandardWebhook } from "../frame/standard-webhooks.ts"
import type { StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  refuseWith,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { createJobs } from "../frame/stub-jobs.ts"
import { route, type StubReply, type StubRoute } from "../frame/stub-route.ts"
import type { WebhookMessage } from "../frame/stub-webhooks.ts"
import { toPredictionSchema } from "./replicate-bodies.ts"
import {
  isOver,
  readPrediction,
  REPLICATE_ERRORS,
  showPrediction,
  statusOf,
  type Prediction,
  type PredictionData,
  type ReplicateState,
} from "./replicate-prediction.ts"

/** `no-credits` answers creates with 402 and `bad-request` with 400; the others make every new prediction fail. */
const OWN_FAULTS = ["no-credits", "bad-request", ...Object.keys(REPLICATE_ERRORS)]

/** The last try comes about a minute after completion. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 29_000]
const PAGE = 100

const refuse = refuseWith({
  unauthorized: toError(401, "You did not pass a valid authentication token", "Unauthenticated"),
  "not-found": toError(404, "The requested resource could not be found.", "Not Found"),
  malformed: toError(400, "The request body is not valid JSON.", "Bad Request"),
  "too-large": toError(413, "The request body is too large.", "Payload Too Large"),
  broken: toError(500, "Internal Server Error", "Internal Server Error"),
  busy: {
    status: 429,
    json: { detail: "Request was throttled. Your rate limit resets in ~30s.", status: 429 },
  },
})

export const REPLICATE: StubDefinition = {
  hosts: ["api.replicate.com", "replicate.delivery"],
  filesHost: "replicate.delivery",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) => hasScheme(call, "Bearer"),
  refuse,
  createRoutes(context) {
    const state = { context, jobs: createJobs<PredictionData>(context) }
    return [
      route("create", "POST /v1/predictions", (call) => {
        const { version } = call.fields()
        return create(state, call, String(version))
      }),
      route("create", "POST /v1/models/{owner}/{name}/predictions", (call) =>
        create(state, call, toNamed(call)),
      ),
      route("create", "POST /v1/deployments/{owner}/{name}/predictions", (call) =>
        create(state, call, toNamed(call)),
      ),
      ...createPredictionRoutes(state),
      ...createAccountRoutes(context),
    ]
  },
}

function toNamed({ params }: StubCall): string {
  return `${params["owner"]}/${params["name"]}`
}

function createPredictionRoutes(state: ReplicateState): readonly StubRoute[] {
  return [
    route("other", "GET /v1/predictions", (call) => list(state, call)),
    route(
      "poll",
      "GET /v1/predictions/{id}",
      state.jobs.handle((job) => ({ json: showPrediction(state, job) })),
    ),
    route(
      "other",
      "POST /v1/predictions/{id}/cancel",
      state.jobs.handle((job) => {
        state.jobs.cancel(job)
        return { json: showPrediction(state, job) }
      }),
    ),
  ]
}

/** Of any model the same: a prompt and one picture. */
function describeVersion(): object {
  const properties = {
    prompt: { type: "string", title: "Prompt", default: "a lighthouse in fog", "x-order": 0 },
    output_format: { type: "string", enum: ["webp", "png"], default: "webp", "x-order": 1 },
  }
  const schemas = {
    Input: { type: "object", title: "Input", properties },
    Output: { type: "string", title: "Output", format: "uri" },
  }
  return { id: "a".repeat(64), openapi_schema: { openapi: "3.0.2", components: { schemas } } }
}

function createAccountRoutes(context: StubContext): readonly StubRoute[] {
  return [
    route("other", "GET /v1/models/{owner}/{name}", (call) =>
      isKnownModel(toNamed(call))
        ? { json: { ...call.params, is_official: true, latest_version: describeVersion() } }
        : refuse("not-found"),
    ),
    route("other", "GET /v1/account", () => ({ json: { type: "user", username: "stub" } })),
    route("other", "GET /v1/webhooks/default/secret", () => ({
      json: { key: context.webhookSecret },
    })),
    route("other", "POST /v1/files", async (call) => {
      const content = (await call.form()).get("content")
      if (content === null || typeof content === "string") return toInvalid("content")
      const id = randomUUID()
      const bytes = Buffer.from(await content.arrayBuffer())
      const { url } = context.files.keep(id, content.type, bytes)
      const expiresAt = new Date(context.toldAt() + 86_400_000).toISOString()
      const about = { name: content.name, content_type: content.type, size: bytes.length }
      return { status: 201, json: { id, ...about, expires_at: expiresAt, urls: { get: url } } }
    }),
  ]
}

async function create(state: ReplicateState, call: StubCall, model: string): Promise<StubReply> {
  const { context, jobs } = state
  const body = call.fields()
  const fault = findBodyFault(toPredictionSchema(model, call.path === "/v1/predictions"), body)
  if (fault !== undefined) return toInvalid(toPathText(fault.path), toWords(fault))
  if (context.strikes("bad-request")) {
    return toError(400, "The input could not be read.", "Bad request")
  }
  if (context.strikes("no-credits")) return toError(402, "Insufficient credit", "Payment required")
  const job = jobs.open(
    randomUUID().replaceAll("-", "").slice(0, 26),
    readPrediction(call, context, model),
  )
  context.record({ id: job.id, key: null, endpoint: model, body })
  planWebhooks(state, job, call)
  const [, seconds = "60"] = /^wait(?:=(\d+))?$/.exec(String(call.headers["prefer"])) ?? [null, "0"]
  const waitUntilAt = context.clock.now() + Math.min(60, Number(seconds)) * 1_000
  await context.waitUntil(Math.min(job.endAt, waitUntilAt))
  const json = showPrediction(state, job)
  return { status: isOver(statusOf(state, job)) ? 201 : 202, json }
}

function planWebhooks(state: ReplicateState, job: Prediction, call: StubCall): void {
  const { context, jobs } = state
  const { webhook: url, events } = job.data
  if (url === null) return
  const message = (isTerminal: boolean): WebhookMessage | null => {
    const status = statusOf(state, job)
    if (isTerminal ? !isOver(status) : status === "aborted") return null
    const shown = showPrediction(state, job)
    // The first event has the state of its moment, even if it is delivered last.
    const then = { status: "processing", output: null, metrics: {}, completed_at: null }
    const body = isTerminal ? shown : { ...shown, ...then }
    const lie = { ...body, status: "failed", output: null, error: "CUDA out of memory." }
    return { body, lie, id: job.id, foreignId: "0".repeat(26) }
  }
  context.webhooks.plan(call, {
    url,
    events: [
      ...(events.includes("start") ? [{ at: job.startAt, toMessage: () => message(false) }] : []),
      ...(events.includes("completed") ? [{ at: job.endAt, toMessage: () => message(true) }] : []),
    ],
    retryMs: RETRY_MS,
    sign: (raw, at) => signStandardWebhook(raw, at, context.webhookSecret),
    over: job.over,
    finishNow: () => jobs.finish(job),
  })
}

/** Newest first; the cursor is where the next page begins. */
function list(state: ReplicateState, { query }: StubCall): StubReply {
  const { context, jobs } = state
  const after = Date.parse(query.get("created_after") ?? "1970-01-01T00:00:00Z")
  const before = Date.parse(query.get("created_before") ?? "9999-12-31T00:00:00Z")
  const wanted = [...jobs.all.values()]
    .filter(({ createdAt }) => context.toldAt(createdAt) >= after)
    .filter(({ createdAt }) => context.toldAt(createdAt) < before)
    .toReversed()
  const start = Number(query.get("cursor") ?? 0)
  const next = new URLSearchParams(query)
  next.set("cursor", String(start + PAGE))
  const hasMore = start + PAGE < wanted.length
  return {
    json: {
      previous: null,
      next: hasMore ? context.toUrl(`/v1/predictions?${next.toString()}`) : null,
      results: wanted.slice(start, start + PAGE).map((job) => showPrediction(state, job)),
    },
  }
}

function toInvalid(field: string, words = "is required"): StubReply {
  return toError(422, `- input: ${field} ${words}`, "Input validation failed")
}

function toWords({ kind, words }: BodyFault): string {
  if (kind === "invalid") return `is invalid: ${words}`
  return kind === "missing" ? "is required" : "is not a property that is allowed"
}

function toError(status: number, detail: string, title: string): StubReply {
  return { status, json: { title, detail, status } }
}
