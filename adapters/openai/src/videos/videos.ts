/** Videos that were made: one, all of them, their bytes, and the end of one. */
import type { Task } from "@safelight/client"
import { answerJson, type Answer } from "../answers/answer.ts"
import { invalid, Refusal } from "../answers/refusal.ts"
import type { Call } from "../calls/call.ts"
import { answerVideo, toVideo, VIDEO_LABEL } from "./video.ts"

/** Rejects with an `ApiError`. */
export async function showVideo(call: Call, id: string): Promise<Answer> {
  return answerVideo(call, await call.client.get(id, { signal: call.signal }))
}

const LIMITS = { usual: 20, most: 100 }

/** GET /videos: those that were made by POST /videos, newest first. Rejects with a `Refusal` or an `ApiError`. */
export async function listVideos(call: Call): Promise<Answer> {
  const { after, limit } = readPage(new URL(call.request.url).searchParams)
  // One more tells whether there are more.
  const found = await findTasks(call, after, limit + 1)
  const data = found.slice(0, limit).map((task) => toVideo(task, { prompt: task.prompt }))
  const ids = found.slice(0, limit).map(({ task_id: id }) => id)
  return answerJson({
    object: "list",
    data,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: found.length > limit,
  })
}

interface Page {
  readonly after: string | undefined
  readonly limit: number
}

function readPage(query: URLSearchParams): Page {
  const { after, limit = String(LIMITS.usual), order = "desc", ...more } = Object.fromEntries(query)
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) {
    throw invalid(unknown, "unknown_parameter", `${unknown} is no parameter of this list.`)
  }
  if (order !== "desc") {
    throw invalid("order", "unsupported_parameter", "order can't be asked for: newest first.")
  }
  if (after !== undefined && !/^[\w-]+$/.test(after)) {
    throw invalid("after", "invalid_value", "after is the id of a video.")
  }
  const isLimit = /^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= LIMITS.most
  if (!isLimit) throw invalid("limit", "invalid_value", `limit is from 1 to ${LIMITS.most}.`)
  return { after, limit: Number(limit) }
}

type ListedTask = Awaited<ReturnType<Call["client"]["listPage"]>>["tasks"][number]

/** The first `count` tasks behind the one that is called `after`. */
async function findTasks(
  { client, signal }: Call,
  after: string | undefined,
  count: number,
): Promise<readonly ListedTask[]> {
  const label = [`${VIDEO_LABEL.kind}=video`]
  const last = after === undefined ? undefined : await client.get(after, { signal })
  // A list has its order by moments of more than a second's precision, so it begins with all of that second.
  const start = last && { created_before: last.created_at + 1 }
  const query = { label, include: "prompt", ...start } as const
  const found: ListedTask[] = []
  let isBehind = last === undefined
  let cursor: string | null | undefined
  while (found.length < count && cursor !== null) {
    // A page of long prompts has megabytes, so no more are asked for than are wanted.
    const limit = Math.min(LIMITS.most, count - found.length + (isBehind ? 0 : 1))
    // oxlint-disable-next-line no-await-in-loop -- each page has the next one's cursor
    const page = await client.listPage({ ...query, limit, cursor }, { signal })
    for (const task of page.tasks) {
      if (isBehind) found.push(task)
      else if (last !== undefined && task.created_at < last.created_at) throw toUnlisted()
      isBehind ||= task.task_id === after
    }
    cursor = page.next_cursor
  }
  if (!isBehind) throw toUnlisted()
  return found.slice(0, count)
}

/** Every other task has its place in no list of videos. */
function toUnlisted(): Refusal {
  return invalid("after", "invalid_value", "after is the id of a video that was asked for here.")
}

/** What a download may say of the part that it wants. */
const CONDITIONS = [
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "range",
]

/** GET /videos/{id}/content, in parts too. Rejects with a `Refusal` or an `ApiError`. */
export async function showVideoContent(call: Call, id: string): Promise<Answer> {
  const { client, fetch, request, signal } = call
  const { variant = "video", ...more } = Object.fromEntries(new URL(request.url).searchParams)
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) {
    throw invalid(unknown, "unknown_parameter", `${unknown} is no parameter of this request.`)
  }
  if (variant !== "video") {
    throw invalid("variant", "unsupported_parameter", "variant can't be asked for: there is video.")
  }
  const task = await client.get(id, { signal })
  const artifacts = task.status === "succeeded" ? await client.artifacts(id, { signal }) : []
  const video = artifacts.find(({ type }) => type === "video")
  if (video === undefined) throw toMissing(task)
  const asked = new Headers({ authorization: request.headers.get("authorization") ?? "" })
  for (const name of CONDITIONS) {
    const value = request.headers.get(name)
    if (value !== null) asked.set(name, value)
  }
  const path = `${task.links.artifacts}/${video.key}/content`
  const { body, headers, status } = await fetch(path, {
    method: request.method,
    headers: asked,
    signal,
  })
  return { status, headers: Object.fromEntries(headers), body }
}

/** No status that OpenAI's libraries answer with a repeat. */
function toMissing({ status, task_id: id }: Task): Refusal {
  const isOver = status === "failed" || status === "succeeded"
  return new Refusal({
    status: isOver ? 404 : 400,
    code: isOver ? "video_not_found" : "video_not_ready",
    message: isOver ? "There is no video: the task made none." : "The video is not made yet.",
    task: id,
  })
}

/**
 * DELETE /videos/{id}: ends a task that is under way. What is made can't be deleted: its file expires. Rejects with a
 * `Refusal` or an `ApiError`.
 */
export async function deleteVideo({ client, signal }: Call, id: string): Promise<Answer> {
  const task = await client.get(id, { signal })
  const isUnderWay = task.status === "queued" || task.status === "running"
  const ended = isUnderWay ? (await client.cancel(id, { signal })).task : task
  if (ended.status !== "failed") throw toUndeletable(ended)
  return answerJson({ id, object: "video.deleted", deleted: true })
}

function toUndeletable({ status, task_id: id }: Task): Refusal {
  const message =
    status === "succeeded"
      ? "A video that is made stays until it expires: see expires_at."
      : "The video can't be stopped now: it is made, and charged."
  return new Refusal({ status: 400, code: "video_not_deletable", message, task: id })
}
