/** A video task of Ark. Whether its output is sensitive is only known at the end. */
import { readFilm } from "../frame/read-media.ts"
import type { StubContext } from "../frame/stub-definition.ts"
import type { StubJob, StubJobs } from "../frame/stub-jobs.ts"

type Fields = Readonly<Record<string, unknown>>

export interface ArkError {
  readonly code: string
  readonly message: string
}

export interface ArkData {
  readonly model: string
  readonly body: Fields
  readonly expiresAfterMs: number
  readonly callbackUrl: string | null
  readonly error: ArkError | null
}

export type ArkTask = StubJob<ArkData>
export type ArkStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled" | "expired"

export interface ArkState {
  readonly context: StubContext
  readonly jobs: StubJobs<ArkData>
}

/** Failures of a task, by the name of the fault that causes each. */
export const ARK_TASK_ERRORS: Readonly<Record<string, ArkError>> = {
  "output-sensitive": {
    code: "OutputVideoSensitiveContentDetected.PolicyViolation",
    message: "The request failed because the output video may be related to a policy violation.",
  },
  "output-audio-sensitive": {
    code: "OutputAudioSensitiveContentDetected",
    message: "The request failed because the output audio may contain sensitive information.",
  },
  "internal-error": {
    code: "InternalServiceError",
    message: "The service encountered an unexpected internal error.",
  },
}

const DAY_MS = 86_400_000

export function readTask(body: Fields, context: StubContext): ArkData {
  const fault = Object.keys(ARK_TASK_ERRORS).find((name) => context.strikes(name))
  const { model, callback_url: url, execution_expires_after: seconds } = body
  return {
    model: typeof model === "string" ? model : "",
    body,
    expiresAfterMs: typeof seconds === "number" ? seconds * 1_000 : 2 * DAY_MS,
    callbackUrl: typeof url === "string" ? url : null,
    error: fault === undefined ? null : (ARK_TASK_ERRORS[fault] ?? null),
  }
}

export function statusOf({ context, jobs }: ArkState, job: ArkTask): ArkStatus {
  const { expiresAfterMs, error } = job.data
  const phase = jobs.phaseOf(job)
  if (phase === "cancelled") return "cancelled"
  const expiresAt = job.createdAt + expiresAfterMs
  if (context.clock.now() >= expiresAt && expiresAt < job.endAt) return "expired"
  if (phase !== "finished") return phase
  return error === null ? "succeeded" : "failed"
}

export function isOver(status: ArkStatus): boolean {
  return status !== "queued" && status !== "running"
}

/** Whether the record still exists: a cancelled one is removed after a day, every one after seven. */
export function isKept({ context, jobs }: ArkState, job: ArkTask): boolean {
  const isOld = context.clock.now() >= job.createdAt + 7 * DAY_MS
  return !isOld && (job.cancelledAt === null || jobs.ageMs(job) < DAY_MS)
}

/** The row of a list is the same: neither has the prompt. */
export function showTask(state: ArkState, job: ArkTask): Fields {
  const { context, jobs } = state
  const { model, body, error } = job.data
  const status = statusOf(state, job)
  const seconds = (at: number): number => Math.floor(context.toldAt(at) / 1_000)
  const changedAt = [job.createdAt, job.startAt, job.endAt].findLast(
    (at) => at <= context.clock.now(),
  )
  const { duration = 5, resolution = "720p", ratio = "16:9", seed = 42 } = body
  const tokens = Number(duration) * 20_000
  const isRemoved = jobs.ageMs(job) >= DAY_MS
  const made = {
    content: isRemoved ? null : createContent(context, job),
    usage: { completion_tokens: tokens, total_tokens: tokens },
    seed,
    resolution,
    ratio,
    duration,
    framespersecond: 24,
  }
  return {
    id: job.id,
    model,
    status,
    created_at: seconds(job.createdAt),
    updated_at: seconds(job.cancelledAt ?? changedAt ?? job.createdAt),
    ...(status === "succeeded" ? made : {}),
    ...(status === "failed" ? { error } : {}),
  }
}

function createContent({ files }: StubContext, { id, data, endAt }: ArkTask): Fields {
  const expiresAt = endAt + DAY_MS
  const film = readFilm(data.body)
  const frame = { type: "image/png", width: film.width, height: film.height } as const
  const wantsFrame = data.body["return_last_frame"] === true
  return {
    video_url: files.add(id, film, expiresAt).url,
    ...(wantsFrame ? { last_frame_url: files.add(`${id}-last`, frame, expiresAt).url } : {}),
  }
}
