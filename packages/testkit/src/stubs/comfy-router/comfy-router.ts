/**
 * Comfy Router: `api.comfy.org`. Keyed for 24 hours from the first request: the same key with the
 * same path, query and body gets the original handle, `Idempotent-Replayed: true` and no second
 * charge. A refusal before dispatch leaves the key free.
 */
import { randomUUID } from "node:crypto"
import { findBodyFault, type BodyFault } from "../frame/body-fault.ts"
import { createIdempotencyKeys, type IdempotencyKeys } from "../frame/idempotency-keys.ts"
import { makesFilms, readFilm, readPicture } from "../frame/read-media.ts"
import type { StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  isKey,
  refuseBy,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { createJobs, type StubJob, type StubJobs } from "../frame/stub-jobs.ts"
import { route, type StubReply } from "../frame/stub-route.ts"
import { toPassedOnSchema } from "./comfy-router-bodies.ts"

type Fields = Readonly<Record<string, unknown>>

interface RouterData {
  readonly path: string
  readonly model: string
  readonly body: Fields
  /** The bucket that it fails in; null if it succeeds. */
  readonly error: string | null
}

type RouterJob = StubJob<RouterData>

interface RouterState {
  readonly context: StubContext
  readonly jobs: StubJobs<RouterData>
  readonly keys: IdempotencyKeys
}

/** Failures of a request and their statuses, by the name of the fault that causes each. */
const FAILURES: Readonly<Record<string, readonly [bucket: string, status: number]>> = {
  "content-policy": ["content_policy_violation", 422],
  "provider-error": ["provider_error", 502],
  "provider-timeout": ["provider_timeout", 504],
  "queue-timeout": ["queue_timeout", 504],
}

/** Refusals before dispatch. */
const REFUSALS: Readonly<Record<string, readonly [bucket: string, status: number]>> = {
  "not-enabled": ["not_enabled", 403],
  "no-credits": ["insufficient_credits", 402],
  "unknown-model": ["model_not_found", 404],
  invalid: ["invalid_input", 422],
}

/** And `still-admitting`: the request is accepted, and answered with a 409 that says to repeat it. */
const OWN_FAULTS = [...Object.keys(FAILURES), ...Object.keys(REFUSALS), "still-admitting"]

const DAY_MS = 86_400_000
const BASE = "/v2/models/{provider}/{model}"

const refuse = refuseBy(toError, {
  unauthorized: [401, "unauthorized"],
  "not-found": [404, "request_not_found"],
  malformed: [422, "invalid_input"],
  "too-large": [413, "invalid_input"],
  broken: [500, "internal_error"],
  busy: [429, "rate_limited"],
})

export const COMFY_ROUTER: StubDefinition = {
  hosts: ["api.comfy.org", "assets.comfy.stub"],
  filesHost: "assets.comfy.stub",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) =>
    isKey(String(call.headers["x-api-key"] ?? "")) || hasScheme(call, "Bearer"),
  refuse,
  createRoutes(context) {
    const keys = createIdempotencyKeys(context.clock, DAY_MS)
    const state = { context, keys, jobs: createJobs<RouterData>(context) }
    return [
      route("create", `POST ${BASE}/requests`, (call) => create(state, call)),
      route(
        "poll",
        `GET ${BASE}/requests/{id}/status`,
        state.jobs.handle((job) => showStatus(state, job)),
      ),
      route(
        "poll",
        `GET ${BASE}/requests/{id}`,
        state.jobs.handle((job) => showResult(state, job)),
      ),
      route(
        "other",
        `PUT ${BASE}/requests/{id}/cancel`,
        state.jobs.handle((job) => cancel(state, job)),
      ),
      route("create", `POST ${BASE}`, (call) => runAtOnce(state, call)),
    ]
  },
}

function create(state: RouterState, call: StubCall): StubReply {
  const taken = take(state, call)
  if (!("job" in taken)) return taken
  const { job, isReplay } = taken
  const headers = isReplay ? { "idempotent-replayed": "true" } : {}
  return { status: 201, headers, json: toHandle(state, job) }
}

interface Taken {
  readonly job: RouterJob
  readonly isReplay: boolean
}

/** The job under the call's key, or a new one, or a refusal. */
function take(state: RouterState, call: StubCall): StubReply | Taken {
  const { context, jobs, keys } = state
  const body = call.fields()
  const key = call.headers["idempotency-key"]
  const request = { path: call.path, query: call.query.toString(), body }
  const verdict = keys.judge(key, request)
  if (verdict === "invalid") return toError(422, "invalid_input")
  if (verdict === "mismatch") return toError(409, "invalid_input")
  const original = verdict === "free" ? undefined : jobs.all.get(verdict.id)
  if (original !== undefined) return { job: original, isReplay: true }
  const refusal = findStruck(context, REFUSALS)
  if (refusal !== undefined) return toError(refusal[1], refusal[0])
  const { provider, model } = call.params
  const endpoint = `${provider}/${model}`
  const fault = findBodyFault(toPassedOnSchema(endpoint), body)
  if (fault !== undefined) return toError(422, "invalid_input", fault)
  const error = findStruck(context, FAILURES)?.[0] ?? null
  const path = call.path.replace(/\/requests$/, "")
  const job = jobs.open(randomUUID(), { path, model: endpoint, body, error })
  context.record({ id: job.id, key: String(key ?? "") || null, endpoint, body })
  keys.keep(key, request, job.id)
  if (!context.strikes("still-admitting")) return { job, isReplay: false }
  return { ...toError(409, "concurrency_limit_exceeded"), headers: ADMITTING }
}

type Buckets = typeof FAILURES

function findStruck({ strikes }: StubContext, buckets: Buckets): Buckets[string] | undefined {
  return Object.entries(buckets).find(([name]) => strikes(name))?.[1]
}

const ADMITTING = { "retry-after": "1", "x-comfy-error-type": "concurrency_limit_exceeded" }

async function runAtOnce(state: RouterState, call: StubCall): Promise<StubReply> {
  const taken = take(state, call)
  if (!("job" in taken)) return taken
  await state.context.waitUntil(taken.job.endAt)
  return showResult(state, taken.job)
}

function toHandle({ context }: RouterState, { id, data }: RouterJob): Fields {
  const base = context.toUrl(`${data.path}/requests/${id}`)
  return {
    request_id: id,
    status: "IN_QUEUE",
    queue_position: 0,
    status_url: `${base}/status`,
    response_url: base,
    cancel_url: `${base}/cancel`,
  }
}

function errorOf({ jobs }: RouterState, job: RouterJob): string | null {
  return jobs.phaseOf(job) === "cancelled" ? "cancelled" : job.data.error
}

function showStatus(state: RouterState, job: RouterJob): StubReply {
  const phase = state.jobs.phaseOf(job)
  const handle = toHandle(state, job)
  const headers = { "retry-after": "1" }
  if (phase === "queued") return { headers, json: handle }
  if (phase === "running") return { headers, json: { ...handle, status: "IN_PROGRESS" } }
  const error = errorOf(state, job)
  const told = error === null ? {} : { error_type: error, error: `The request failed: ${error}` }
  return { json: { ...handle, status: "COMPLETED", ...told } }
}

function showResult(state: RouterState, job: RouterJob): StubReply {
  const phase = state.jobs.phaseOf(job)
  if (phase === "queued" || phase === "running") return showPending(state, job)
  if (state.jobs.ageMs(job) >= DAY_MS) return toError(410, "request_not_found")
  const error = errorOf(state, job)
  if (error === null)
    return { headers: { "x-comfy-credits-used": "12.5" }, json: toOutput(state, job) }
  const known = Object.values(FAILURES).find(([bucket]) => bucket === error)
  return toError(known?.[1] ?? 499, error)
}

function showPending(state: RouterState, job: RouterJob): StubReply {
  return { ...showStatus(state, job), status: 202 }
}

/** The output in the form of the provider behind the router; the router hosts its files again. */
function toOutput({ context: { files } }: RouterState, { id, data, endAt }: RouterJob): Fields {
  const expiresAt = endAt + DAY_MS
  if (!makesFilms(data.model)) {
    const { url } = files.add(id, readPicture(data.body), expiresAt)
    return { created: Math.floor(endAt / 1_000), data: [{ url }] }
  }
  const { url } = files.add(id, readFilm(data.body), expiresAt)
  return { id, model: data.model, status: "succeeded", content: { video_url: url } }
}

function cancel({ jobs }: RouterState, job: RouterJob): StubReply {
  if (!jobs.cancel(job)) return { status: 400, json: { status: "ALREADY_COMPLETED" } }
  return { status: 202, json: { status: "CANCELLATION_REQUESTED" } }
}

function toError(status: number, type: string, fault?: BodyFault): StubReply {
  const message = `The request failed: ${type}`
  const { path = [], words = message } = fault ?? {}
  const detail = [{ loc: ["body", ...path], msg: words, type }]
  const json = status === 422 ? { detail } : { error: { type, message } }
  return { status, headers: { "x-comfy-error-type": type }, json }
}
