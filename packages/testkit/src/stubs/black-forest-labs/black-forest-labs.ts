/**
 * Black Forest Labs: `api.bfl.ai` (create), a cluster's host (poll) and `delivery.bfl.ai` (files) at
 * one origin; paths begin with `/v1`. The polling URL names a cluster, and another host does not know
 * the ID: a path without a host, or with the global one, answers `Task not found`. A webhook's secret
 * is the request's own; the stub takes http for a webhook, which the provider does not.
 */
import { createHmac, randomUUID } from "node:crypto"
import { findBodyFault, type BodyFault } from "../frame/body-fault.ts"
import { readFilm, readPicture } from "../frame/read-media.ts"
import type { StubCall } from "../frame/stub-call.ts"
import {
  isKey,
  refuseWith,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { createJobs, type StubJob, type StubJobs } from "../frame/stub-jobs.ts"
import { route, type StubReply } from "../frame/stub-route.ts"
import type { WebhookMessage } from "../frame/stub-webhooks.ts"
import { toBodySchema } from "./black-forest-labs-bodies.ts"

type Fields = Readonly<Record<string, unknown>>

interface BflData {
  readonly model: string
  readonly body: Fields
  readonly status: string
}

type BflJob = StubJob<BflData>

interface BflState {
  readonly context: StubContext
  readonly jobs: StubJobs<BflData>
  /** Jobs that the first poll did not find, as the fault `not-found-first` has it. */
  readonly unseen: Set<string>
}

/** The end of a job, by the name of the fault. */
const ENDS: Readonly<Record<string, string>> = {
  "request-moderated": "Request Moderated",
  "content-moderated": "Content Moderated",
  error: "Error",
  failed: "Failed",
}

/** And `no-credits`: 402 at create; `not-found-first`: the first poll finds no task. */
const OWN_FAULTS = [...Object.keys(ENDS), "no-credits", "not-found-first"]

const CLUSTER = "api.us2.bfl.ai"
const TEN_MINUTES_MS = 600_000
const RETRY_MS = [1_000, 5_000, 30_000]

const refuse = refuseWith({
  unauthorized: toDetail(403, "Not authenticated - Invalid Authentication"),
  "not-found": toDetail(404, "Not Found"),
  malformed: {
    status: 422,
    json: { detail: [{ loc: ["body"], msg: "JSON decode error", type: "json_invalid" }] },
  },
  "too-large": toDetail(413, "Request Entity Too Large"),
  broken: toDetail(500, "Internal Server Error"),
  busy: { status: 429, json: { error: "rate_limit_exceeded", retry_after: 1 } },
})

export const BLACK_FOREST_LABS: StubDefinition = {
  hosts: ["api.bfl.ai", "api.eu.bfl.ai", "api.us.bfl.ai", CLUSTER, "delivery.bfl.ai"],
  filesHost: "delivery.bfl.ai",
  ownFaults: OWN_FAULTS,
  isAuthorized: ({ headers }) => typeof headers["x-key"] === "string" && isKey(headers["x-key"]),
  refuse,
  createRoutes(context) {
    const state = { context, jobs: createJobs<BflData>(context), unseen: new Set<string>() }
    return [
      route("poll", "GET /v1/get_result", (call) => showResult(state, call)),
      route("other", "GET /v1/credits", () => ({ json: { credits: 1_000 } })),
      route("create", "POST /v1/{model}", (call) => create(state, call)),
    ]
  },
}

function create(state: BflState, call: StubCall): StubReply {
  const { context, jobs } = state
  const { model = "" } = call.params
  const body = call.fields()
  if (context.strikes("no-credits")) return toDetail(402, "Insufficient credits")
  const wrong = findBodyFault(toBodySchema(model), body)
  if (wrong !== undefined) return toInvalid(wrong)
  const fault = Object.keys(ENDS).find((name) => context.strikes(name))
  const job = jobs.open(randomUUID(), { model, body, status: ENDS[fault ?? ""] ?? "Ready" })
  if (context.strikes("not-found-first")) state.unseen.add(job.id)
  context.record({ id: job.id, key: null, endpoint: model, body })
  planWebhook(state, job, call)
  const pollingUrl = context.toUrl(`/${CLUSTER}/v1/get_result?id=${job.id}`)
  return { json: { id: job.id, polling_url: pollingUrl, cost: 4, input_mp: 0, output_mp: 1 } }
}

function toInvalid({ kind, path, words }: BodyFault): StubReply {
  const told = {
    missing: ["missing", "Field required"],
    unknown: ["extra_forbidden", "Extra inputs are not permitted"],
    invalid: ["value_error", words],
  } as const
  const [type, msg] = told[kind]
  return { status: 422, json: { detail: [{ loc: ["body", ...path], msg, type }] } }
}

function showResult(state: BflState, { query, host }: StubCall): StubReply {
  const id = query.get("id") ?? ""
  const job = state.jobs.all.get(id)
  const isUnseen = state.unseen.delete(id)
  if (job === undefined || isUnseen || host !== CLUSTER) {
    return { json: { id, status: "Task not found", result: null, progress: null } }
  }
  return { json: show(state, job) }
}

function show({ context, jobs }: BflState, job: BflJob): Fields {
  const { id, data, endAt } = job
  const { status, body } = data
  if (jobs.phaseOf(job) !== "finished")
    return { id, status: "Pending", result: null, progress: 0.5 }
  if (status !== "Ready") {
    const reasons = { "Moderation Reasons": ["Derivative Works Filter"] }
    const details = status.endsWith("Moderated") ? reasons : null
    return { id, status, result: null, progress: null, details }
  }
  const media = data.model.includes("video") ? readFilm(body) : readPicture(body, "jpeg")
  const sample = context.files.add(id, media, endAt + TEN_MINUTES_MS).url
  const result = {
    sample,
    prompt: body["prompt"],
    seed: 42,
    duration: (endAt - job.startAt) / 1_000,
  }
  return { id, status, result, progress: 1 }
}

function planWebhook(state: BflState, job: BflJob, call: StubCall): void {
  const { webhook_url: url, webhook_secret: secret } = job.data.body
  if (typeof url !== "string") return
  const toMessage = (): WebhookMessage => {
    const { status, result } = show(state, job)
    const body =
      status === "Ready"
        ? { id: job.id, status, result }
        : { id: job.id, status: "Error", error: status }
    const lie = { id: job.id, status: "Error", error: "Failed" }
    return { body, lie, id: job.id, foreignId: randomUUID() }
  }
  state.context.webhooks.plan(call, {
    url,
    events: [{ at: job.endAt, toMessage }],
    retryMs: RETRY_MS,
    sign: (raw) => (typeof secret === "string" ? sign(raw, secret) : {}),
    over: job.over,
    finishNow: () => state.jobs.finish(job),
  })
}

/** It signs no timestamp: a replayed message looks like the first. */
function sign(raw: string, secret: string): Readonly<Record<string, string>> {
  const hex = createHmac("sha256", secret).update(raw).digest("hex")
  return { "x-bfl-signature": `sha256=${hex}` }
}

function toDetail(status: number, detail: string): StubReply {
  return { status, json: { detail } }
}
