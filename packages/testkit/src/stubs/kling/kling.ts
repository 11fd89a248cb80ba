/**
 * Kling: `api-singapore.klingai.com` and `api-beijing.klingai.com`, and `v1-kling.klingai.com` (files) at one origin.
 * Models in the path are polled at `/tasks`, those of the older design below the path of their purchase. The client
 * chooses an `external_task_id`, by which a task is found; a second purchase under it is refused. Webhooks are those of
 * Standard Webhooks, sent at each state.
 */
import { randomInt } from "node:crypto"
import { findBodyFault, toPathText, type BodyFault } from "../frame/body-fault.ts"
import { makesFilms, readCount, readFilm, readPicture } from "../frame/read-media.ts"
import { signStandardWebhook } from "../frame/standard-webhooks.ts"
import { isObject, type StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  refuseBy,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { createJobs, type StubJob, type StubJobs } from "../frame/stub-jobs.ts"
import { route, type StubHandler, type StubReply } from "../frame/stub-route.ts"
import type { WebhookMessage } from "../frame/stub-webhooks.ts"
import { toBodySchema } from "./kling-bodies.ts"
import { findTokenFault } from "./kling-token.ts"

type Fields = Readonly<Record<string, unknown>>

interface KlingData {
  /** Of the purchase: `text-to-video/kling-3.0`, or `v1/videos/text2video` in the older design. */
  readonly path: string
  readonly body: Fields
  readonly key: string | null
  readonly failure: string | null
}

type KlingJob = StubJob<KlingData>

interface KlingState {
  readonly context: StubContext
  readonly jobs: StubJobs<KlingData>
}

/** What a failed task says, by the name of the fault that causes it. */
const FAILURES: Readonly<Record<string, string>> = {
  content: "Failure to pass the risk control system",
  failed: "Image pixel is invalid",
}

/** Of a create: its status, its code, its words. */
const REFUSALS: Readonly<Record<string, readonly [number, number, string]>> = {
  blocked: [400, 1301, "The content triggers the security policy of the platform"],
  "no-credits": [429, 1102, "Account balance not enough"],
  "no-access": [403, 1103, "Unauthorized access to requested resource"],
  "no-model": [404, 1203, "model is not supported"],
}

const OWN_FAULTS = [...Object.keys(FAILURES), ...Object.keys(REFUSALS)]

const MONTH_MS = 30 * 86_400_000
const RETRY_MS = [1_000, 5_000, 30_000]

const refuse = refuseBy(toError, {
  unauthorized: [401, 1002, "Auth failed"],
  "not-found": [404, 1203, "The requested resource does not exist"],
  malformed: [400, 1200, "Invalid request parameters"],
  "too-large": [413, 1200, "The request is too large"],
  broken: [500, 5000, "Server internal error"],
  busy: [429, 1303, "parallel task over resource pack limit"],
})

export const KLING: StubDefinition = {
  hosts: ["api-singapore.klingai.com", "api-beijing.klingai.com", "v1-kling.klingai.com"],
  filesHost: "v1-kling.klingai.com",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) => hasScheme(call, "Bearer"),
  refuse,
  createRoutes(context) {
    const state = { context, jobs: createJobs<KlingData>(context) }
    const signed =
      (handle: (state: KlingState, call: StubCall) => StubReply): StubHandler =>
      (call) => {
        const token = (call.headers.authorization ?? "").slice("Bearer ".length)
        const code = findTokenFault(token, context.toldAt())
        return code === undefined ? handle(state, call) : toError(401, code, "Auth failed")
      }
    return [
      route("poll", "GET /tasks", signed(listTasks)),
      route("other", "GET /account/costs", signed(showCosts)),
      route("poll", "GET /v1/{path*}/{id}", signed(showOlder)),
      route("create", "POST /v1/{path*}", signed(createOlder)),
      route("create", "POST /{path*}", signed(createTask)),
    ]
  },
}

function createTask(state: KlingState, call: StubCall): StubReply {
  const { path = "" } = call.params
  const body = call.fields()
  const options = isObject(body["options"]) ? body["options"] : {}
  const job = buy(state, { call, path, body, options })
  return "data" in job ? toSuccess(toStatus(state, job)) : job
}

function createOlder(state: KlingState, call: StubCall): StubReply {
  const { path = "" } = call.params
  const body = call.fields()
  const job = buy(state, { call, path: `v1/${path}`, body, options: body })
  return "data" in job ? toSuccess(toOlderTask(state, job)) : job
}

interface Purchase {
  readonly call: StubCall
  readonly path: string
  readonly body: Fields
  /** The part of the body that holds the key and the address of callbacks. */
  readonly options: Fields
}

function buy(state: KlingState, { body, call, options, path }: Purchase): KlingJob | StubReply {
  const { context, jobs } = state
  const { external_task_id: id } = options
  const key = typeof id === "string" && id !== "" ? id : null
  if (key !== null && findByKey(state, key) !== undefined) {
    return toError(400, 1201, `external_task_id ${key} is in use`)
  }
  const wrong = findBodyFault(toBodySchema(path.replace(/^v1\//, "")), body)
  if (wrong !== undefined) return toError(400, 1201, toWords(wrong))
  const refusal = Object.keys(REFUSALS).find((name) => context.strikes(name))
  if (refusal !== undefined) return toError(...(REFUSALS[refusal] ?? [400, 1200, ""]))
  const failure = Object.keys(FAILURES).find((name) => context.strikes(name))
  const job = jobs.open(toId(), { path, body, key, failure: FAILURES[failure ?? ""] ?? null })
  context.record({ id: job.id, key, endpoint: path, body })
  planWebhook(state, job, call, options["callback_url"])
  return job
}

function toId(): string {
  return String(randomInt(2 ** 46, 2 ** 47))
}

function toWords({ kind, path, words }: BodyFault): string {
  const name = toPathText(path)
  return kind === "unknown" ? `Key: ${name} is not supported` : `Key: ${name} ${words}`
}

function findByKey({ jobs }: KlingState, key: string): KlingJob | undefined {
  return [...jobs.all.values()].find((job) => job.data.key === key)
}

/** An ID that nobody has is left out. */
function listTasks(state: KlingState, { query }: StubCall): StubReply {
  const [ids, keys] = ["task_ids", "external_task_ids"].map((name) => query.get(name))
  if ((ids === null) === (keys === null)) return toError(400, 1200, "one kind of IDs is needed")
  const byId = ids?.split(",").map((id) => state.jobs.all.get(id)) ?? []
  const byKey = keys?.split(",").map((key) => findByKey(state, key)) ?? []
  const known = [...byId, ...byKey].flatMap((job) => job ?? []).filter((job) => !isOlder(job))
  return toSuccess(known.map((job) => toTask(state, job)))
}

function isOlder({ data }: KlingJob): boolean {
  return data.path.startsWith("v1/")
}

function showOlder(state: KlingState, { params }: StubCall): StubReply {
  const { id = "", path = "" } = params
  const job = state.jobs.all.get(id) ?? findByKey(state, id)
  if (job?.data.path !== `v1/${path}`) return refuse("not-found")
  return toSuccess(toOlderTask(state, job))
}

function showCosts(_state: KlingState, { query }: StubCall): StubReply {
  const isWhole = query.has("start_time") && query.has("end_time")
  if (!isWhole) return toError(400, 1200, "start_time and end_time are required")
  return toSuccess({ code: 0, msg: "success", resource_pack_subscribe_infos: [] })
}

type Status = "submitted" | "processing" | "succeeded" | "failed"

function statusOf({ jobs }: KlingState, job: KlingJob): Status {
  const phase = jobs.phaseOf(job)
  if (phase === "finished") return job.data.failure === null ? "succeeded" : "failed"
  return phase === "queued" ? "submitted" : "processing"
}

function toStatus(state: KlingState, job: KlingJob): Fields {
  const { createdAt, data, id } = job
  const times = { create_time: createdAt, update_time: state.context.toldAt() }
  return { id, status: statusOf(state, job), ...times, external_id: data.key ?? "" }
}

function toTask(state: KlingState, job: KlingJob): Fields {
  const isDone = statusOf(state, job) === "succeeded"
  const { failure } = job.data
  return {
    ...toStatus(state, job),
    message: statusOf(state, job) === "failed" ? failure : "",
    outputs: isDone ? toOutputs(state, job) : [],
    billing: isDone
      ? [{ charge_type: "cash", cash_type: "balance", amount: "0.42", currency: "USD" }]
      : [],
  }
}

function toOutputs({ context }: KlingState, { data, endAt, id }: KlingJob): readonly Fields[] {
  const { body, path } = data
  const fields: Fields = isObject(body["settings"]) ? body["settings"] : body
  const isFilm = makesFilms(path)
  const media = isFilm ? readFilm(fields) : readPicture(fields)
  return Array.from({ length: isFilm ? 1 : readCount(fields["n"]) }, (_, index) => {
    const { url } = context.files.add(`${id}-${index}`, media, endAt + MONTH_MS)
    if (!isFilm) return { type: "image", index, url }
    return {
      type: "video",
      id: `${id}-${index}`,
      url,
      duration: String((media.durationMs ?? 0) / 1_000),
    }
  })
}

/** The same in the words of the older design. */
function toOlderTask(state: KlingState, job: KlingJob): Fields {
  const { createdAt, data, id } = job
  const status = statusOf(state, job)
  const kind = makesFilms(data.path) ? "videos" : "images"
  const isDone = status === "succeeded"
  return {
    task_id: id,
    task_status: isDone ? "succeed" : status,
    task_status_msg: status === "failed" ? data.failure : "",
    task_info: data.key === null ? {} : { external_task_id: data.key },
    task_result: isDone ? { [kind]: toOutputs(state, job) } : {},
    ...(isDone && { final_unit_deduction: "3" }),
    created_at: createdAt,
    updated_at: state.context.toldAt(),
  }
}

function planWebhook(state: KlingState, job: KlingJob, call: StubCall, url: unknown): void {
  if (typeof url !== "string" || url === "") return
  const { context } = state
  const toMessage = (): WebhookMessage => {
    const body = isOlder(job) ? toOlderTask(state, job) : toTask(state, job)
    const foreignId = toId()
    const lie = { ...body, [isOlder(job) ? "task_status" : "status"]: "failed" }
    return { body, lie, id: job.id, foreignId }
  }
  const moments = [...new Set([job.createdAt, job.startAt, job.endAt])]
  context.webhooks.plan(call, {
    url,
    events: moments.map((at) => ({ at, toMessage })),
    retryMs: RETRY_MS,
    sign: (raw, signedAt) => signStandardWebhook(raw, signedAt, context.webhookSecret),
    over: job.over,
    finishNow: () => state.jobs.finish(job),
  })
}

function toSuccess(data: unknown): StubReply {
  return { json: { code: 0, message: "SUCCEED", request_id: crypto.randomUUID(), data } }
}

function toError(status: number, code: number, message: string): StubReply {
  return { status, json: { code, message, request_id: crypto.randomUUID() } }
}
