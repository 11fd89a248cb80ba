/** What a finished task made, in OpenAI's shape: addresses, or the images themselves. */
import { isApiError, type Artifact, type LinkedArtifact, type Task } from "@safelight/client"
import { answerJson, type Answer } from "../answers/answer.ts"
import type { Call } from "../calls/call.ts"
import type { Held } from "../calls/budget.ts"
import { post } from "../calls/post.ts"
import { Refusal } from "../answers/refusal.ts"
import type { ImageAnswer } from "./read-options.ts"

export interface AnswerShape extends ImageAnswer {
  /** Of each image in a stream. */
  readonly event: string
}

interface Shown {
  readonly b64_json?: string
  readonly url?: string
}

/** Rejects with a `Refusal` or an `ApiError`; the task is made, and the error names it. */
export async function showImages(call: Call, task: Task, shape: AnswerShape): Promise<Answer> {
  const { finished_at: created, task_id: id } = task
  const headers = { "x-safelight-task-id": id }
  const safelight = { task_id: id }
  if (shape.format === "url" && !shape.isStreamed) {
    return answerJson({ created, data: await linkAll(call, id), safelight }, { headers })
  }
  const all = await call.client.artifacts(id, { signal: call.signal })
  const images = all.filter(isImage)
  const data = await readAll(call, id, images)
  if (!shape.isStreamed) return answerJson({ created, data, safelight }, { headers })
  const types = images.map(({ mime_type: type }) => type)
  const { echoed, event: type } = shape
  return toEvents(data, { created, headers, echoed, type, types })
}

function isImage({ type }: Pick<Artifact, "type">): boolean {
  return type === "image"
}

async function linkAll(call: Call, id: string): Promise<readonly Shown[]> {
  try {
    const path = `/v1/tasks/${id}/links`
    const { links } = await post<{ readonly links: readonly LinkedArtifact[] }>(call, path)
    return links.filter(isImage).map(({ url }) => ({ url }))
  } catch (error) {
    if (!isApiError(error) || error.code !== "insufficient_scope") throw error
    throw new Refusal({
      status: 403,
      code: "insufficient_scope",
      type: error.type,
      param: "response_format",
      message:
        "A url needs a key with links:write. The images are made: ask for b64_json, or by the task.",
      task: id,
    })
  }
}

async function readAll(
  { client, held, signal }: Call,
  id: string,
  images: readonly Artifact[],
): Promise<readonly Shown[]> {
  const shown: Shown[] = []
  for (const { key } of images) {
    // oxlint-disable-next-line no-await-in-loop -- one in memory at a time, beside its text
    const bytes = await readHeld(await client.artifact(id, key).stream({ signal }), held, id)
    shown.push({ b64_json: bytes.toString("base64") })
  }
  return shown
}

/** Leaving the loop cancels the rest. Rejects with a `Refusal` where it is too much. */
async function readHeld(
  stream: ReadableStream<Uint8Array>,
  held: Held,
  task: string,
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) {
    const room = held.take(piece.byteLength)
    if (room === "answer") throw tooLarge(task)
    if (room === "all") throw overloaded(task)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function tooLarge(task: string): Refusal {
  return new Refusal({
    status: 413,
    code: "artifact_too_large",
    param: "response_format",
    message: "The images are made, and too large to stand in an answer: ask for url.",
    task,
  })
}

function overloaded(task: string): Refusal {
  return new Refusal({
    status: 503,
    code: "overloaded",
    type: "server_error",
    message:
      "The images are made, and there is no room to answer with them now: repeat the request.",
    task,
    retryAfterMs: 1_000,
  })
}

interface EventParts {
  readonly created: number
  readonly headers: Readonly<Record<string, string>>
  readonly echoed: AnswerShape["echoed"]
  readonly type: string
  /** Of each image. */
  readonly types: readonly string[]
}

/** One event an image, all whole: no channel has partial ones. Nothing counts tokens here, so there is no `usage`. */
function toEvents(
  data: readonly Shown[],
  { created, echoed, headers, type, types }: EventParts,
): Answer {
  const events = data.map(({ b64_json: image }, place) => {
    const format = types[place]?.replace("image/", "") ?? "png"
    const event = { type, b64_json: image, created_at: created, ...echoed, output_format: format }
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  })
  const more = { ...headers, "content-type": "text/event-stream", "cache-control": "no-store" }
  return { status: 200, headers: more, body: events.join("") }
}
