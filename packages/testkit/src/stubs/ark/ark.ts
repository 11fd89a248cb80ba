/**
 * BytePlus ModelArk and Volcengine Ark, which have one API: both hosts at one origin, paths begin with `/api/v3`.
 * Callbacks are unsigned.
 */
import { randomUUID } from "node:crypto"
import { findBodyFault, toPathText, type BodySchema } from "../frame/body-fault.ts"
import { readCount, readPicture } from "../frame/read-media.ts"
import { isObject, type StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  refuseBy,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { createJobs } from "../frame/stub-jobs.ts"
import { route, type StubReply } from "../frame/stub-route.ts"
import type { WebhookMessage } from "../frame/stub-webhooks.ts"
import { toFilmSchema, toPictureSchema } from "./ark-bodies.ts"
import {
  ARK_TASK_ERRORS,
  isKept,
  isOver,
  readTask,
  showTask,
  statusOf,
  type ArkData,
  type ArkState,
  type ArkStatus,
  type ArkTask,
} from "./ark-task.ts"

/** Refusals of a create, by the name of the fault that causes each. */
const REFUSALS: Readonly<Record<string, readonly [status: number, code: string]>> = {
  "input-sensitive": [400, "InputTextSensitiveContentDetected"],
  "input-image-sensitive": [400, "InputImageSensitiveContentDetected.PrivacyInformation"],
  overdue: [403, "AccountOverdueError"],
  "not-open": [404, "ModelNotOpen"],
  overloaded: [429, "ServerOverloaded"],
  quota: [429, "QuotaExceeded"],
}

/** The names of refusals, those of a task's failures, and `image-failed`: an error in `data`. */
const OWN_FAULTS = [...Object.keys(REFUSALS), ...Object.keys(ARK_TASK_ERRORS), "image-failed"]

const TASKS = "/api/v3/contents/generations/tasks"
const DAY_MS = 86_400_000

/** Three retries; their pauses are undocumented. */
const RETRY_MS = [1_000, 5_000, 25_000]

const refuse = refuseBy(toError, {
  unauthorized: [401, "AuthenticationError", "The API key is missing or invalid."],
  "unknown-path": [404, "InvalidAction", "The specified action is invalid."],
  "not-found": [404, "ResourceNotFound", "The specified task is not found."],
  malformed: [400, "InvalidParameter", "The request body is not valid JSON."],
  "too-large": [413, "InvalidParameter.OversizeBody", "The request body is too large."],
  broken: [500, "InternalServiceError", "An unexpected internal error."],
  busy: [429, "RateLimitExceeded.EndpointRPMExceeded", "The rate limit is exceeded."],
})

export const ARK: StubDefinition = {
  hosts: ["ark.ap-southeast.bytepluses.com", "ark.cn-beijing.volces.com", "ark-content.stub"],
  filesHost: "ark-content.stub",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) => hasScheme(call, "Bearer"),
  refuse,
  createRoutes(context) {
    const state = { context, jobs: createJobs<ArkData>(context) }
    const withTask = (handle: (job: ArkTask) => StubReply) =>
      state.jobs.handle(handle, (job) => isKept(state, job))
    return [
      route("create", `POST ${TASKS}`, (call) => create(state, call)),
      route("other", `GET ${TASKS}`, (call) => list(state, call)),
      route(
        "poll",
        `GET ${TASKS}/{id}`,
        withTask((job) => ({ json: showTask(state, job) })),
      ),
      route(
        "other",
        `DELETE ${TASKS}/{id}`,
        withTask((job) => remove(state, job)),
      ),
      route("create", "POST /api/v3/images/generations", (call) => makeImages(context, call)),
    ]
  },
}

function findRefusal({ strikes }: StubContext): StubReply | undefined {
  const fault = Object.keys(REFUSALS).find((name) => strikes(name))
  const [status, code] = REFUSALS[fault ?? ""] ?? []
  if (status === undefined || code === undefined) return undefined
  return toError(status, code, "The request failed.")
}

function create(state: ArkState, call: StubCall): StubReply {
  const { context, jobs } = state
  const body = call.fields()
  const invalid = findInvalid(toFilmSchema(String(body["model"])), body)
  if (invalid !== undefined) return invalid
  const refusal = findRefusal(context)
  if (refusal !== undefined) return refusal
  const id = `cgt-20261122-${randomUUID().slice(0, 13)}`
  const job = jobs.open(id, readTask(body, context))
  context.record({ id, key: null, endpoint: job.data.model, body })
  planCallbacks(state, job, call)
  return { json: { id } }
}

/** One callback at each change. Each has the task's state at that moment, even if it is sent late. */
function planCallbacks(state: ArkState, job: ArkTask, call: StubCall): void {
  const { callbackUrl: url } = job.data
  if (url === null) return
  const toMessage = (then?: ArkStatus) => (): WebhookMessage | null => {
    const shown = showTask(state, job)
    if (then === undefined && !isOver(statusOf(state, job))) return null
    const { content: _, usage: _usage, error: _error, ...bare } = shown
    const body = then === undefined ? shown : { ...bare, status: then }
    const error = { code: "InternalServiceError", message: "Unexpected." }
    const lie = { ...bare, status: "failed", error }
    return { body, lie, id: job.id, foreignId: "cgt-20261122-00000000-0000" }
  }
  state.context.webhooks.plan(call, {
    url,
    events: [
      { at: job.createdAt, toMessage: toMessage("queued") },
      { at: job.startAt, toMessage: toMessage("running") },
      { at: job.endAt, toMessage: toMessage() },
    ],
    retryMs: RETRY_MS,
    over: job.over,
    finishNow: () => state.jobs.finish(job),
  })
}

function list(state: ArkState, { query }: StubCall): StubReply {
  const size = Number(query.get("page_size") ?? 10)
  const page = Number(query.get("page_num") ?? 1)
  if (!(size >= 1 && size <= 500 && page >= 1)) {
    return toError(400, "InvalidParameter", "The page is not valid.", "page_size")
  }
  const ids = query.getAll("filter.task_ids")
  const model = query.get("filter.model")
  const status = query.get("filter.status")
  const rows = [...state.jobs.all.values()]
    .toReversed()
    .filter((job) => isKept(state, job))
    .filter((job) => ids.length === 0 || ids.includes(job.id))
    .filter((job) => model === null || model === job.data.model)
    .filter((job) => status === null || status === statusOf(state, job))
  const items = rows.slice((page - 1) * size, page * size).map((job) => showTask(state, job))
  return { json: { total: rows.length, items } }
}

/** Cancels a waiting task, deletes the record of a finished one, and refuses a running one. */
function remove(state: ArkState, job: ArkTask): StubReply {
  const status = statusOf(state, job)
  if (status === "running") {
    return toError(409, "InvalidAction.RunningTask", "A running task can't be cancelled.")
  }
  if (status === "queued") state.jobs.cancel(job)
  else state.jobs.remove(job)
  return { json: {} }
}

async function makeImages(context: StubContext, call: StubCall): Promise<StubReply> {
  const body = call.fields()
  const { response_format: format = "url" } = body
  const model = String(body["model"])
  const invalid = findInvalid(toPictureSchema(model), body)
  if (invalid !== undefined) return invalid
  const refusal = findRefusal(context)
  if (refusal !== undefined) return refusal
  const id = `img-${randomUUID()}`
  context.record({ id, key: null, endpoint: model, body })
  await context.waitUntil(context.clock.now() + context.queueMs + context.runMs)
  const options = body["sequential_image_generation_options"]
  const isSeries = body["sequential_image_generation"] === "auto" && isObject(options)
  const count = readCount(isSeries ? options["max_images"] : 1)
  const picture = readPicture(body, "jpeg")
  const failed = context.strikes("image-failed") ? count - 1 : count
  const data = Array.from({ length: count }, (_, index) => {
    const code = "OutputImageSensitiveContentDetected"
    if (index >= failed) return { error: { code, message: "The output may be sensitive." } }
    const name = `${id}-${index}`
    const size = `${picture.width}x${picture.height}`
    if (format === "url") {
      return { url: context.files.add(name, picture, context.clock.now() + DAY_MS).url, size }
    }
    return { b64_json: context.files.render(name, picture).toString("base64"), size }
  })
  const created = Math.floor(context.toldAt() / 1_000)
  const usage = { generated_images: failed, output_tokens: failed * 4_096 }
  return { headers: { "x-request-id": id }, json: { model, created, data, usage } }
}

function findInvalid(schema: BodySchema, body: unknown): StubReply | undefined {
  const fault = findBodyFault(schema, body)
  if (fault === undefined) return undefined
  const { kind, path, words } = fault
  const code = kind === "missing" ? "MissingParameter" : "InvalidParameter"
  const told = {
    missing: "is missing",
    unknown: "is not supported",
    invalid: `is not valid: ${words}`,
  }
  const message = `The parameter \`${toPathText(path)}\` specified in the request ${told[kind]}.`
  return toError(400, code, message, String(path[0] ?? ""))
}

function toError(status: number, code: string, message: string, param = ""): StubReply {
  const type = status === 401 ? "Unauthorized" : status === 429 ? "TooManyRequests" : "BadRequest"
  return { status, json: { error: { code, message, param, type } } }
}
