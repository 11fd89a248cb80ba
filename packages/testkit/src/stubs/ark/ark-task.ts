/**
 * A video task of Ark. Combinations of contents are checked as Ark does, since one that it refuses is never
 * billed. Whether the output is sensitive is only known at the end.
 */
import { readFilm } from "../read-media.ts"
import { isObject } from "../stub-call.ts"
import type { StubContext } from "../stub-definition.ts"
import type { StubJob, StubJobs } from "../stub-jobs.ts"

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
const ROLES = {
  image_url: ["first_frame", "last_frame", "reference_image"],
  video_url: ["reference_video"],
  audio_url: ["reference_audio"],
} as const

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

/** Ark's objection; undefined if there is none. */
export function findTaskError(body: Fields): string | undefined {
  const { model, content, duration = 5, resolution = "720p" } = body
  if (typeof model !== "string" || model === "") return "model"
  if (!isContent(content)) return "content"
  const { longest, resolutions } = model.includes("seedance-2-5") ? LIMITS.new : LIMITS.old
  if (!(Number(duration) >= 4 && Number(duration) <= longest)) return "duration"
  return resolutions.includes(resolution) ? undefined : "resolution"
}

function isContent(content: unknown): boolean {
  const items: readonly unknown[] = Array.isArray(content) ? content : []
  return items.length > 0 && items.every(isItem) && !mixesModes(items)
}

interface Limits {
  readonly longest: number
  readonly resolutions: readonly unknown[]
}

const LIMITS: Readonly<Record<"new" | "old", Limits>> = {
  new: { longest: 30, resolutions: ["480p", "720p"] },
  old: { longest: 15, resolutions: ["480p", "720p", "1080p", "4k"] },
}

function isItem(item: unknown): item is Fields {
  if (!isObject(item)) return false
  const { type, role } = item
  if (type === "text") return typeof item["text"] === "string"
  if (type !== "image_url" && type !== "video_url" && type !== "audio_url") return false
  const target = item[type]
  const url = isObject(target) ? target["url"] : undefined
  if (typeof url !== "string" || (type === "video_url" && url.startsWith("data:"))) return false
  const isAlone = type === "image_url" && role === undefined
  return isAlone || (ROLES[type] as readonly unknown[]).includes(role)
}

/** Frames and references exclude each other. */
function mixesModes(items: readonly Fields[]): boolean {
  const roles = items.map(({ role }) => role)
  const hasFrames = roles.includes("first_frame") || roles.includes("last_frame")
  return (
    hasFrames && roles.some((role) => typeof role === "string" && role.startsWith("reference_"))
  )
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
