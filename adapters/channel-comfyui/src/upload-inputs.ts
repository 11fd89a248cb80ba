/**
 * Uploads the media of a request into the server's input folder, from which the workflow's nodes load files by
 * name. The names contain the prompt's id, so a repeated upload replaces the first. The files stay there:
 * ComfyUI has no way to remove them.
 */
import { randomUUID } from "node:crypto"
import { extname } from "node:path"
import {
  SafelightError,
  type AbortSignalLike,
  type ChannelRequest,
  type Media,
} from "@safelight/core"
import { meaningless, type ComfyServer, type ServerReply } from "./comfy-server.ts"
import { isFields } from "./graph.ts"
import { pick } from "./parameter-probe.ts"
import { isOfMedia, toSourceText } from "./placeholder.ts"
import type { Workflow } from "./workflow.ts"

/** By media type: some nodes depend on a file's ending. */
const ENDINGS: Readonly<Record<string, string>> = {
  "audio/aac": "aac",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/wav": "wav",
  "audio/webm": "webm",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
}

export type UploadRequest = Pick<ChannelRequest, "inputs" | "parameters"> & {
  readonly promptId: string
  readonly signal: AbortSignalLike
}

/**
 * Resolves to the file names on the server, by source such as `image_urls[0]`. Rejects as `TaskInputs.open`
 * and `ComfyServer.ask` do; with `media_too_large` if the server takes no file of that size; and with
 * `channel-answer-invalid`, retryable, if its answer holds no name.
 */
export async function uploadInputs(
  server: ComfyServer,
  { fillings, model }: Pick<Workflow, "fillings" | "model">,
  request: UploadRequest,
): Promise<ReadonlyMap<string, string>> {
  const sources = fillings.flatMap(({ source }) =>
    typeof source !== "string" && isOfMedia(model, source) ? [source] : [],
  )
  const files = new Map<string, string>()
  for (const source of sources) {
    const text = toSourceText(source)
    const url = pick(source, request.parameters)
    if (files.has(text) || typeof url !== "string") continue
    const { signal } = request
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that little is held in memory
    const media = await request.inputs.open({ url, signal })
    const base = `safelight-${request.promptId}-${files.size + 1}`
    const name = `${base}.${ENDINGS[media.mimeType] ?? "bin"}`
    // oxlint-disable-next-line no-await-in-loop -- as above
    files.set(text, await upload(server, { media, name, signal }))
  }
  return files
}

interface Upload {
  readonly media: Media
  readonly name: string
  readonly signal: AbortSignalLike
}

async function upload(server: ComfyServer, { media, name, signal }: Upload): Promise<string> {
  // Random: media are fetched after the caller knows the task's id, and a caller who can guess the boundary can write
  // fields of the form.
  const boundary = `safelight${randomUUID()}`
  const type = `multipart/form-data; boundary=${boundary}`
  const body = { type, parts: toForm(media, name, boundary) }
  let reply: ServerReply
  try {
    reply = await server.ask({ method: "POST", path: "/upload/image", body, signal })
  } catch (error) {
    // The body may not have been read at all, and then nothing else closes it.
    await media.body[Symbol.asyncIterator]().return?.()
    throw error
  }
  const { json, status } = reply
  if (status === 413) {
    const message = "the ComfyUI server takes no upload of that size"
    throw new SafelightError({ code: "media_too_large", message })
  }
  if (status !== 200 || !isFields(json)) throw meaningless(reply)
  // The server chooses the name.
  const { name: saved, subfolder } = json
  if (typeof saved !== "string" || extname(saved) !== extname(name)) throw meaningless(reply)
  return typeof subfolder === "string" && subfolder !== "" ? `${subfolder}/${saved}` : saved
}

async function* toForm(media: Media, name: string, boundary: string): AsyncGenerator<Uint8Array> {
  const field = (label: string, value: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${label}"\r\n\r\n${value}\r\n`
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="image"; filename="${name}"\r\n` +
    `content-type: ${media.mimeType}\r\n\r\n`
  yield Buffer.from(`${field("type", "input")}${field("overwrite", "true")}${head}`)
  yield* media.body
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}
