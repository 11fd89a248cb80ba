/**
 * A prediction of Replicate, and its representation. An hour after its end its input, output and logs are gone, and
 * with them everything by which a lost create could have been found.
 */
import type { StubCall } from "../frame/stub-call.ts"
import type { StubContext } from "../frame/stub-definition.ts"
import type { StubJob, StubJobs } from "../frame/stub-jobs.ts"
import { createSmallFile } from "../media/small-file.ts"
import { makesFilms, readCount, readFilm, readPicture } from "../frame/read-media.ts"

export interface PredictionData {
  readonly model: string
  readonly input: Readonly<Record<string, unknown>>
  readonly webhook: string | null
  readonly events: readonly string[]
  /** From the start of the request; Infinity if there is none. */
  readonly deadlineMs: number
  /** Its error; null if it succeeds. */
  readonly error: string | null
}

export type Prediction = StubJob<PredictionData>

export interface ReplicateState {
  readonly context: StubContext
  readonly jobs: StubJobs<PredictionData>
}

export type PredictionStatus =
  | "starting"
  | "processing"
  | "succeeded"
  | "failed"
  | "canceled"
  | "aborted"

/** By the name of the fault that causes it. A refusal is only a text. */
export const REPLICATE_ERRORS: Readonly<Record<string, string>> = {
  sensitive:
    "The input or output was flagged as sensitive. Please try again with different inputs. (E005)",
  nsfw: "NSFW content detected. Try running it again, or try a different prompt.",
  failure: "Prediction failed: the mask is larger than the image.",
  memory: "CUDA out of memory. Tried to allocate 2.00 GiB.",
  interrupted: "Prediction interrupted; please retry (code: PA)",
  demand: "Service is currently unavailable due to high demand. Please try again later. (E003)",
  director: "Director: unexpected error handling prediction (E6716)",
}

const HOUR_MS = 3_600_000
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: HOUR_MS }

export function readPrediction(
  call: StubCall,
  context: StubContext,
  model: string,
): PredictionData {
  const fields = call.fields()
  const fault = Object.keys(REPLICATE_ERRORS).find((name) => context.strikes(name))
  const filter = fields["webhook_events_filter"]
  const { input, webhook } = fields
  return {
    model,
    input: input as PredictionData["input"],
    webhook: typeof webhook === "string" ? webhook : null,
    events: Array.isArray(filter) ? filter.map(String) : ["start", "output", "logs", "completed"],
    deadlineMs: readDuration(call.headers["cancel-after"]),
    error: fault === undefined ? null : (REPLICATE_ERRORS[fault] ?? null),
  }
}

function readDuration(header: string | string[] | undefined): number {
  const [, count, unit = "s"] = /^(\d+)([smh])?$/.exec(String(header)) ?? []
  return count === undefined ? Infinity : Number(count) * (UNIT_MS[unit] ?? 1_000)
}

export function statusOf({ context, jobs }: ReplicateState, job: Prediction): PredictionStatus {
  const { deadlineMs, error } = job.data
  const deadlineAt = job.createdAt + deadlineMs
  const now = context.clock.now()
  if (job.cancelledAt !== null) return job.cancelledAt < job.startAt ? "aborted" : "canceled"
  if (now >= deadlineAt && deadlineAt < job.startAt) return "aborted"
  if (now >= deadlineAt && deadlineAt < job.endAt) return "canceled"
  const phase = jobs.phaseOf(job)
  if (phase === "queued") return "starting"
  if (phase === "running") return "processing"
  return error === null ? "succeeded" : "failed"
}

export function isOver(status: PredictionStatus): boolean {
  return status !== "starting" && status !== "processing"
}

export function showPrediction(
  state: ReplicateState,
  job: Prediction,
): Readonly<Record<string, unknown>> {
  const { context } = state
  const status = statusOf(state, job)
  const isRemoved = isOver(status) && state.jobs.ageMs(job) >= HOUR_MS
  const { model, input, webhook, error } = job.data
  const told = (at: number): string => new Date(context.toldAt(at)).toISOString()
  const url = context.toUrl(`/v1/predictions/${job.id}`)
  const endAt = job.cancelledAt ?? job.endAt
  const seconds = (endAt - job.startAt) / 1_000
  return {
    id: job.id,
    model,
    version: "hidden",
    input: isRemoved ? {} : input,
    output: status === "succeeded" && !isRemoved ? createOutput(context, job) : null,
    error: status === "failed" ? error : null,
    status,
    logs: isRemoved ? "" : "generating\n",
    metrics: isOver(status) ? { predict_time: seconds, total_time: seconds } : {},
    created_at: told(job.createdAt),
    ...toMoments(job, status, told),
    data_removed: isRemoved,
    source: "api",
    ...(webhook === null ? {} : { webhook, webhook_events_filter: job.data.events }),
    urls: { get: url, cancel: `${url}/cancel`, web: `https://replicate.com/p/${job.id}` },
  }
}

function toMoments(
  job: Prediction,
  status: PredictionStatus,
  told: (at: number) => string,
): Readonly<Record<string, string | null>> {
  const isStarted = status !== "starting" && status !== "aborted"
  const endAt = job.cancelledAt ?? job.endAt
  return {
    started_at: isStarted ? told(job.startAt) : null,
    completed_at: isOver(status) ? told(endAt) : null,
  }
}

/**
 * One URL, a list, an object of files or the pieces of a text: each model chooses, and the stub goes by the name and the
 * parameters.
 */
function createOutput({ files }: StubContext, { id, data, endAt }: Prediction): unknown {
  const { input, model } = data
  const expiresAt = endAt + HOUR_MS
  if (/llm|caption/.test(model)) return ["a lighthouse", " in fog"]
  if (/speech|music|audio/.test(model)) {
    const sound = createSmallFile("audio/wav")
    if (input["inline_output"] === true) return `data:audio/wav;base64,${sound.toString("base64")}`
    return files.keep(`${id}.wav`, "audio/wav", sound).url
  }
  if (/3d/.test(model)) {
    const mesh = createSmallFile("model/gltf-binary")
    return { mesh: files.keep(`${id}.glb`, "model/gltf-binary", mesh).url, texture: null }
  }
  if (input["inline_output"] === true) {
    return `data:image/png;base64,${createSmallFile("image/png").toString("base64")}`
  }
  if (makesFilms(model)) return files.add(id, readFilm(input), expiresAt).url
  const picture = readPicture(input, "webp")
  const count = input["num_outputs"]
  if (count === undefined) return files.add(id, picture, expiresAt).url
  return Array.from({ length: readCount(count) }, (_, index) => {
    return files.add(`${id}-${index}`, picture, expiresAt).url
  })
}
