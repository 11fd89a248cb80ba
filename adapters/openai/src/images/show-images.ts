/** What a finished task made, in OpenAI's shape: addresses, or the images themselves. */
import { isApiError, type Artifact, type Task } from "@safelight/client"
import type { Call } from "../calls/call.ts"
import { Refusal } from "../answers/refusal.ts"
import type { ImageRequest } from "./read-options.ts"

/** Of all images of an answer: more would have to be held whole. */
const MOST_INLINE_BYTES = 64 * 1024 * 1024

interface Shown {
  readonly b64_json?: string
  readonly url?: string
}

/** Rejects with a `Refusal` or an `ApiError`; the task is made, and the error names it. */
export async function showImages(call: Call, task: Task, asked: ImageRequest): Promise<Response> {
  const { client, signal } = call
  const { task_id: id } = task
  const all = await client.artifacts(id, { signal })
  const images = all.filter(({ type }) => type === "image")
  const isInline = asked.format === "b64_json" || asked.isStreamed
  const data = isInline ? await readAll(call, id, images) : await linkAll(call, id, images)
  const { charge_micros: chargeMicros } = await client.taskUsage(id, { signal })
  const created = task.finished_at
  const safelight = { task_id: id, charge_micros: chargeMicros }
  const headers = { "x-safelight-task-id": id }
  if (asked.isStreamed) return toEvents(data, { created, headers, given: asked.given })
  return Response.json({ created, data, safelight }, { headers })
}

async function linkAll(
  { client, signal }: Call,
  id: string,
  images: readonly Artifact[],
): Promise<readonly Shown[]> {
  const links: Shown[] = []
  for (const { key } of images) {
    // oxlint-disable-next-line no-await-in-loop -- the first refusal is that of all
    links.push({ url: await linkOne(() => client.artifact(id, key).link({ signal }), id) })
  }
  return links
}

async function linkOne(link: () => Promise<{ readonly url: string }>, id: string): Promise<string> {
  try {
    return (await link()).url
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
  { client, signal }: Call,
  id: string,
  images: readonly Artifact[],
): Promise<readonly Shown[]> {
  const shown: Shown[] = []
  let left = MOST_INLINE_BYTES
  for (const { key } of images) {
    // oxlint-disable-next-line no-await-in-loop -- one in memory at a time, beside its text
    const bytes = await readWithin(await client.artifact(id, key).stream({ signal }), left)
    if (bytes === undefined) throw tooLarge(id)
    left -= bytes.byteLength
    shown.push({ b64_json: bytes.toString("base64") })
  }
  return shown
}

/** Undefined if it is more. */
async function readWithin(
  stream: ReadableStream<Uint8Array>,
  mostBytes: number,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.byteLength
    // Leaving the loop cancels the rest.
    if (bytes > mostBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function tooLarge(task: string): Refusal {
  return new Refusal({
    status: 413,
    code: "artifact_too_large",
    param: "response_format",
    message: `The images are made, and are more than ${MOST_INLINE_BYTES} bytes: ask for url.`,
    task,
  })
}

interface EventParts {
  readonly created: number
  readonly headers: Readonly<Record<string, string>>
  readonly given: ImageRequest["given"]
}

/** One event an image, all whole: no channel has partial ones. */
function toEvents(data: readonly Shown[], { created, given, headers }: EventParts): Response {
  const said = { background: "auto", output_format: "png", quality: "auto", size: "auto" }
  const echoed = Object.fromEntries(
    Object.entries(said).map(([name, usual]) => [name, given[name] ?? usual]),
  )
  const type = "image_generation.completed"
  const events = data.map(({ b64_json: image }) => {
    const event = { type, b64_json: image, created_at: created, ...echoed }
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  })
  const more = { ...headers, "content-type": "text/event-stream", "cache-control": "no-store" }
  return new Response(events.join(""), { headers: more })
}
