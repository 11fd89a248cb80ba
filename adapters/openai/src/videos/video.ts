/**
 * A task as OpenAI's API shows a video job. What its request said of length and size is kept in labels, since a task
 * tells no parameters.
 */
import type { Task } from "@safelight/client"
import { answerJson, type Answer } from "../answers/answer.ts"
import type { Call } from "../calls/call.ts"

/** Labels of tasks that were made by POST /videos. */
export const VIDEO_LABEL = {
  kind: "openai-object",
  seconds: "openai-seconds",
  size: "openai-size",
} as const

const STATUSES = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
} as const satisfies Record<Task["status"], string>

interface MoreOfVideo {
  readonly prompt?: string | null | undefined
  readonly seconds?: string | undefined
  readonly size?: string | undefined
  /** Unix seconds. */
  readonly expiresAt?: number | undefined
  readonly chargeMicros?: number
}

export function toVideo(task: Task, more: MoreOfVideo = {}): object {
  const { created_at, error, finished_at, model, progress, status, task_id: id } = task
  return {
    id,
    object: "video",
    model,
    status: STATUSES[status],
    progress,
    created_at,
    completed_at: status === "succeeded" ? finished_at : null,
    expires_at: more.expiresAt ?? null,
    error: error && { code: error.code, message: error.message, type: error.type, param: null },
    prompt: more.prompt ?? null,
    remixed_from_video_id: null,
    seconds: more.seconds ?? null,
    size: more.size ?? null,
    safelight: {
      task_id: id,
      ...(more.chargeMicros !== undefined && { charge_micros: more.chargeMicros }),
    },
  }
}

/** With all that is known of it. Rejects with an `ApiError`. */
export async function answerVideo({ client, signal }: Call, task: Task): Promise<Answer> {
  const { status, task_id: id } = task
  const [usage, artifacts] = await Promise.all([
    client.taskUsage(id, { signal }),
    status === "succeeded" ? client.artifacts(id, { signal }) : [],
  ])
  const { expires_at: expiresAt } = artifacts.find(({ type }) => type === "video") ?? {}
  const { [VIDEO_LABEL.seconds]: seconds, [VIDEO_LABEL.size]: size } = usage.labels
  const more = { seconds, size, expiresAt, chargeMicros: usage.charge_micros }
  return answerJson(toVideo(task, more), { headers: { "x-safelight-task-id": id } })
}
