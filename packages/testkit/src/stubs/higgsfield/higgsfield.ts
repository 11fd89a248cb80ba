/**
 * Higgsfield: `api.higgsfield.ai` and `files.higgsfield.ai` (files) at one origin. Keyed: the same
 * `Idempotency-Key` with the same endpoint, body and webhook is answered with the original request in whatever
 * state, even after its end. How long a key is valid is not stated; here it is a day.
 */
import { randomUUID } from "node:crypto"
import { findBodyFault, toPathText } from "../frame/body-fault.ts"
import { createIdempotencyKeys, type IdempotencyKeys } from "../frame/idempotency-keys.ts"
import { makesFilms, readFilm, readPicture } from "../frame/read-media.ts"
import type { StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  refuseBy,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { createJobs, type StubJob, type StubJobs } from "../frame/stub-jobs.ts"
import { openRoute, route, type StubReply } from "../frame/stub-route.ts"
import type { WebhookMessage } from "../frame/stub-webhooks.ts"
import { toInputSchema } from "./higgsfield-bodies.ts"

type Fields = Readonly<Record<string, unknown>>

interface HiggsfieldData {
  readonly model: string
  readonly body: Fields
  readonly outcome: "completed" | "failed" | "nsfw"
}

type HiggsfieldJob = StubJob<HiggsfieldData>

interface HiggsfieldState {
  readonly context: StubContext
  readonly jobs: StubJobs<HiggsfieldData>
  readonly keys: IdempotencyKeys
}

/**
 * `nsfw` and `failed` are ends of a request. `no-credits` is a 403 and `blocked` a 423 to a create. `forgets-keys`
 * treats a known key as new: a second purchase.
 */
const OWN_FAULTS = ["nsfw", "failed", "no-credits", "blocked", "forgets-keys"]

const DAY_MS = 86_400_000

/** Tries within two hours; their pauses are undocumented. */
const RETRY_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000]

const refuse = refuseBy(toError, {
  unauthorized: [401, "Invalid credentials"],
  "not-found": [404, "Not found"],
  malformed: [400, "Invalid JSON"],
  "too-large": [413, "Request entity too large"],
  broken: [500, "Internal server error"],
  // The same status as a bad request: only the text tells them apart.
  busy: [400, "Maximum number of concurrent requests reached"],
})

export const HIGGSFIELD: StubDefinition = {
  hosts: ["api.higgsfield.ai", "files.higgsfield.ai"],
  filesHost: "files.higgsfield.ai",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) =>
    hasScheme(call, "Key") && /^Key [^:]+:[^:]+$/i.test(call.headers.authorization ?? ""),
  refuse,
  createRoutes(context) {
    const keys = createIdempotencyKeys(context.clock, DAY_MS)
    const state = { context, keys, jobs: createJobs<HiggsfieldData>(context) }
    return [
      route(
        "poll",
        "GET /requests/{id}/status",
        state.jobs.handle((job) => ({ json: show(state, job) })),
      ),
      route(
        "other",
        "POST /requests/{id}/cancel",
        state.jobs.handle((job) => cancel(state, job)),
      ),
      route("other", "POST /files/generate-upload-url", (call) => createUpload(state, call)),
      openRoute("other", "PUT /uploads/{id}", (call) => {
        const type = call.headers["content-type"] ?? "application/octet-stream"
        context.files.keep(call.params["id"] ?? "", type, call.bytes)
        return {}
      }),
      route("create", "POST /{model*}", (call) => create(state, call)),
    ]
  },
}

function create(state: HiggsfieldState, call: StubCall): StubReply {
  const { context, jobs, keys } = state
  const { model = "" } = call.params
  const body = call.fields()
  const key = call.headers["idempotency-key"]
  const request = { model, body, webhook: call.query.get("hf_webhook") }
  const verdict = context.strikes("forgets-keys") ? "free" : keys.judge(key, request)
  if (verdict === "invalid") return toError(400, "Invalid Idempotency-Key")
  if (verdict === "mismatch") return toError(422, "Idempotency-Key was used for another request")
  const original = verdict === "free" ? undefined : jobs.all.get(verdict.id)
  if (original !== undefined) return { json: show(state, original) }
  const refusal = findRefusal(state) ?? findInputError(model, body)
  if (refusal !== undefined) return refusal
  const job = jobs.open(randomUUID(), { model, body, outcome: toOutcome(context) })
  context.record({ id: job.id, key: String(key ?? "") || null, endpoint: model, body })
  keys.keep(key, request, job.id)
  planWebhook(state, job, call)
  return { json: show(state, job) }
}

function toOutcome({ strikes }: StubContext): HiggsfieldData["outcome"] {
  if (strikes("nsfw")) return "nsfw"
  return strikes("failed") ? "failed" : "completed"
}

function findRefusal({ context }: HiggsfieldState): StubReply | undefined {
  if (context.strikes("no-credits")) return toError(403, "Not enough credits")
  return context.strikes("blocked") ? toError(423, "Model is blocked") : undefined
}

function findInputError(model: string, body: Fields): StubReply | undefined {
  const fault = findBodyFault(toInputSchema(model), body)
  if (fault === undefined) return undefined
  const { kind, path, words } = fault
  const field = toPathText(path)
  if (kind === "unknown") return toError(422, `Unknown field: ${field}`)
  return toError(422, kind === "missing" ? `${field} is required` : `${field}: ${words}`)
}

function statusOf({ jobs }: HiggsfieldState, job: HiggsfieldJob): string {
  const phase = jobs.phaseOf(job)
  if (phase === "finished") return job.data.outcome
  return phase === "running" ? "in_progress" : phase === "cancelled" ? "canceled" : phase
}

function show(state: HiggsfieldState, job: HiggsfieldJob): Fields {
  const { context } = state
  const base = context.toUrl(`/requests/${job.id}`)
  const status = statusOf(state, job)
  const urls = { status_url: `${base}/status`, cancel_url: `${base}/cancel` }
  return {
    status,
    request_id: job.id,
    ...urls,
    ...(status === "completed" ? toOutput(state, job) : {}),
  }
}

function toOutput(
  { context: { files } }: HiggsfieldState,
  { id, data, endAt }: HiggsfieldJob,
): Fields {
  const expiresAt = endAt + 7 * DAY_MS
  if (makesFilms(data.model))
    return { video: { url: files.add(id, readFilm(data.body), expiresAt).url } }
  return { images: [{ url: files.add(id, readPicture(data.body), expiresAt).url }] }
}

/** Only a waiting request can be cancelled. */
function cancel({ jobs }: HiggsfieldState, job: HiggsfieldJob): StubReply {
  if (jobs.phaseOf(job) !== "queued") return toError(400, "Request can not be canceled")
  jobs.cancel(job)
  return { status: 202, json: { status: "canceled", request_id: job.id } }
}

function createUpload({ context }: HiggsfieldState, call: StubCall): StubReply {
  const { content_type: type } = call.fields()
  if (typeof type !== "string") return toError(422, "content_type is required")
  const id = randomUUID()
  return {
    json: {
      upload_url: context.toUrl(`/uploads/${id}`),
      upload_headers: { "Content-Type": type },
      public_url: context.toUrl(`/files.higgsfield.ai/files/${id}`),
    },
  }
}

function planWebhook(state: HiggsfieldState, job: HiggsfieldJob, call: StubCall): void {
  const url = call.query.get("hf_webhook")
  if (url === null) return
  const toMessage = (): WebhookMessage => {
    const body = show(state, job)
    const lie = { status: "failed", request_id: job.id, error: "Generation failed" }
    return { body, lie, id: job.id, foreignId: randomUUID() }
  }
  state.context.webhooks.plan(call, {
    url,
    events: [{ at: job.endAt, toMessage }],
    retryMs: RETRY_MS,
    over: job.over,
    finishNow: () => state.jobs.finish(job),
  })
}

function toError(status: number, detail: string): StubReply {
  return { status, headers: { "x-correlation-id": randomUUID() }, json: { detail } }
}
