/**
 * Runware: `api.runware.ai`, everything a `POST /v1` of an array of tasks, the same by WebSocket at
 * `ws-api.runware.ai/v1`, and `im.runware.ai` (files) at one origin. The client chooses `taskUUID`: a repeat is refused as a conflict, which
 * proves that the first was accepted. The codes of failed tasks are assumed. Webhooks are unsigned.
 */
import { findBodyFault, toPathText, type BodyFault } from "../frame/body-fault.ts"
import { makesFilms, readCount, readFilm, readPicture } from "../frame/read-media.ts"
import { isObject, type StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  refuseBy,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { createJobs, type StubJob, type StubJobs } from "../frame/stub-jobs.ts"
import { createSmallFile } from "../media/small-file.ts"
import { route, type StubReply } from "../frame/stub-route.ts"
import type { WebhookMessage } from "../frame/stub-webhooks.ts"
import { RUNWARE_TASKS } from "./runware-bodies.ts"
import { serveSocket } from "./runware-socket.ts"

type Fields = Readonly<Record<string, unknown>>

interface RunwareData {
  readonly task: Fields
  readonly error: Fields | null
}

type RunwareJob = StubJob<RunwareData>

interface RunwareState {
  readonly context: StubContext
  readonly jobs: StubJobs<RunwareData>
}

/** Failures of a task, by the name of the fault that causes each. */
const ERRORS: Readonly<Record<string, Fields>> = {
  content: { code: "contentModeration", message: "The content was flagged by moderation." },
  failed: { code: "inferenceFailed", message: "The inference failed." },
}

/**
 * And `no-credits`, a refusal, and `lags`: for five seconds `getResponse` and `getTaskDetails` do not know a new
 * task, while a repeat is a conflict already.
 */
const OWN_FAULTS = [...Object.keys(ERRORS), "no-credits", "lags"]

const LAG_MS = 5_000
const DAY_MS = 86_400_000
const RETRY_MS = [1_000, 5_000, 30_000]

const refuse = refuseBy(toReply, {
  unauthorized: [401, "invalidApiKey", "The API key is invalid."],
  "not-found": [404, "notFound", "Not found."],
  malformed: [400, "invalidJSON", "The body is no array of tasks."],
  "too-large": [413, "payloadTooLarge", "The body is too large."],
  broken: [500, "internalServerError", "Internal server error."],
  busy: [429, "rateLimitExceeded", "Too many requests."],
})

export const RUNWARE: StubDefinition = {
  hosts: ["api.runware.ai", "ws-api.runware.ai", "im.runware.ai"],
  filesHost: "im.runware.ai",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) => hasScheme(call, "Bearer"),
  refuse,
  createRoutes(context) {
    const state = { context, jobs: createJobs<RunwareData>(context) }
    const handle = (call: StubCall) => answer(state, call)
    serveSocket(context, {
      answer: (task) => answerTask(state, null, task),
      finish: (task) => finish(state, task),
    })
    return [
      { ...route("poll", "POST /v1", handle), fits: asks },
      route("create", "POST /v1", handle),
    ]
  },
}

/** Whether the request asks about tasks; purchases have the same path. */
function asks({ bytes }: StubCall): boolean {
  return bytes.includes('"getResponse"') || bytes.includes('"getTaskDetails"')
}

async function answer(state: RunwareState, call: StubCall): Promise<StubReply> {
  const tasks = call.json()
  if (!Array.isArray(tasks) || !tasks.every(isObject)) return refuse("malformed")
  const answers = (await Promise.all(tasks.map((task) => answerTask(state, call, task)))).flat()
  const data = answers.flatMap((each) => ("code" in each ? [] : [each]))
  const errors = answers.filter((each) => "code" in each)
  if (errors.length === 0) return { json: { data } }
  const isRefused = data.length === 0
  return { status: isRefused ? 400 : 200, json: { ...(isRefused ? {} : { data }), errors } }
}

/** `call` is null for a task that came by WebSocket. */
async function answerTask(
  state: RunwareState,
  call: StubCall | null,
  task: Fields,
): Promise<readonly Fields[]> {
  switch (task["taskType"]) {
    case "getResponse":
      return getResponse(state, task)
    case "getTaskDetails":
      return [getDetails(state, task)]
    case "imageInference":
    case "videoInference":
    case "audioInference":
    case "3dInference":
      return [await infer(state, call, task)]
    default:
      return [toError("unsupportedTaskType", "The task type is not supported.", task)]
  }
}

async function infer(state: RunwareState, call: StubCall | null, task: Fields): Promise<Fields> {
  const { context, jobs } = state
  const { taskType } = task
  const [id, model] = [String(task["taskUUID"]), String(task["model"])]
  if (jobs.all.has(id)) return toError("conflictTaskUUID", "The taskUUID is in use already.", task)
  const schema = RUNWARE_TASKS[String(taskType)]
  const wrong = schema === undefined ? undefined : findBodyFault(schema, task)
  if (wrong !== undefined) return toInvalid(wrong, task)
  if (context.strikes("no-credits")) return toError("insufficientCredits", "Add credits.", task)
  const fault = Object.keys(ERRORS).find((name) => context.strikes(name))
  const job = jobs.open(id, { task, error: ERRORS[fault ?? ""] ?? null })
  context.record({ id, key: id, endpoint: model, body: task })
  if (call !== null) planWebhook(state, job, call)
  if (task["deliveryMethod"] === "async") return { taskType, taskUUID: id }
  await context.waitUntil(job.endAt)
  return job.data.error === null
    ? (toOutputs(state, job)[0] ?? {})
    : { ...job.data.error, taskUUID: id, taskType }
}

/** Undefined if nothing more is sent: the task was refused, or answered at its end. */
async function finish(state: RunwareState, task: Fields): Promise<readonly Fields[] | undefined> {
  const job = state.jobs.all.get(String(task["taskUUID"]))
  if (job?.data.task !== task || task["deliveryMethod"] !== "async") return undefined
  await state.context.waitAside(job.endAt, job.over)
  const { error } = job.data
  return error === null ? toOutputs(state, job) : [{ ...error, taskUUID: job.id }]
}

/** `missingModel`, `invalidTaskUUID`, `unsupportedParameter`. */
function toInvalid({ kind, path, words }: BodyFault, task: Fields): Fields {
  const name = String(path[0] ?? "")
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
  const code = kind === "unknown" ? "unsupportedParameter" : `${kind}${title}`
  return { ...toError(code, `${toPathText(path)}: ${words}`, task), parameter: name }
}

function find({ context, jobs }: RunwareState, task: Fields): RunwareJob | undefined {
  const { taskUUID: id } = task
  const job = typeof id === "string" ? jobs.all.get(id) : undefined
  const isYoung = job !== undefined && context.clock.now() - job.createdAt < LAG_MS
  return isYoung && context.strikes("lags") ? undefined : job
}

function getResponse(state: RunwareState, task: Fields): readonly Fields[] {
  const job = find(state, task)
  if (job === undefined) return [toError("unknownTaskUUID", "No task has this taskUUID.", task)]
  const { taskType } = job.data.task
  if (state.jobs.phaseOf(job) !== "finished") {
    return [{ taskType, taskUUID: job.id, status: "processing" }]
  }
  const { error } = job.data
  if (error !== null) return [{ ...error, taskType, taskUUID: job.id, status: "error" }]
  return toOutputs(state, job).map((output) => ({ ...output, status: "success" }))
}

function getDetails(state: RunwareState, task: Fields): Fields {
  const job = find(state, task)
  if (job === undefined) return toError("unknownTaskUUID", "No task has this taskUUID.", task)
  const isDone = state.jobs.phaseOf(job) === "finished" && job.data.error === null
  const response = isDone ? toOutputs(state, job) : []
  return { taskType: "getTaskDetails", taskUUID: job.id, request: job.data.task, response }
}

function toOutputs(
  { context: { files } }: RunwareState,
  { id, data, endAt }: RunwareJob,
): Fields[] {
  const { task } = data
  const { taskType, includeCost, numberResults, outputFormat, model } = task
  const cost = includeCost === true ? { cost: 0.0019 } : {}
  if (taskType === "audioInference") {
    const { url, id: name } = files.keep(`${id}.wav`, "audio/wav", createSmallFile("audio/wav"))
    return [{ taskType, taskUUID: id, audioUUID: name, audioURL: url, ...cost }]
  }
  if (taskType === "3dInference") {
    const mesh = createSmallFile("model/gltf-binary")
    const { url, id: name } = files.keep(`${id}.glb`, "model/gltf-binary", mesh)
    return [{ taskType, taskUUID: id, outputs: { files: [{ uuid: name, url }] }, ...cost }]
  }
  const isFilm = taskType === "videoInference" || (typeof model === "string" && makesFilms(model))
  const media = isFilm
    ? readFilm(task)
    : readPicture({ ...task, output_format: outputFormat }, "jpeg")
  return Array.from({ length: isFilm ? 1 : readCount(numberResults) }, (_, index) => {
    const { url, id: name } = files.add(`${id}-${index}`, media, endAt + DAY_MS)
    const output = isFilm ? { videoUUID: name, videoURL: url } : { imageUUID: name, imageURL: url }
    return { taskType, taskUUID: id, ...output, ...cost }
  })
}

function planWebhook(state: RunwareState, job: RunwareJob, call: StubCall): void {
  const { webhookURL: url } = job.data.task
  if (typeof url !== "string") return
  const toMessage = (): WebhookMessage => {
    const failed = { taskUUID: job.id, code: "inferenceFailed", message: "The inference failed." }
    const { error } = job.data
    const errors = [{ ...error, taskUUID: job.id }]
    const body = error === null ? { data: toOutputs(state, job) } : { errors }
    return { body, lie: { errors: [failed] }, id: job.id, foreignId: crypto.randomUUID() }
  }
  state.context.webhooks.plan(call, {
    url,
    events: [{ at: job.endAt, toMessage }],
    retryMs: RETRY_MS,
    over: job.over,
    finishNow: () => state.jobs.finish(job),
  })
}

function toError(code: string, message: string, { taskUUID, taskType }: Fields = {}): Fields {
  return { code, message, taskUUID, taskType }
}

function toReply(status: number, code: string, message: string): StubReply {
  return { status, json: { errors: [{ code, message }] } }
}
