/**
 * All three models over a real socket, as a client meets them: accepted, polled, listed,
 * downloaded, and the media opened by decoders that know nothing of the studio.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { after, before, describe, it } from "node:test"
import { setTimeout } from "node:timers/promises"
import { ALL_FORMATS, BufferSource, Input } from "mediabunny"
import { createFirstKey } from "@safelight/access"
import { createService, loadConfiguration, type Service } from "safelight"
import sharp from "sharp"
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const VIDEO = "vendor-c/video-2.5/reference-to-video"

interface TaskBody {
  readonly task_id: string
  readonly status: string
  readonly progress: number
  readonly finished_at: number
  readonly error: null | { readonly code: string; readonly type: string }
}

interface ArtifactBody {
  readonly key: string
  readonly type: string
  readonly mime_type: string
  readonly content_url: string
  readonly expires_at: number
}

let folder: TemporaryFolder
let service: Service
let headers: Record<string, string>

before(async () => {
  folder = await createTemporaryFolder()
  const flags = { data: folder.path, port: "0", sandbox: true as const }
  const configuration = await loadConfiguration({ flags, environment: {}, folder: folder.path })
  service = await createService({ configuration })
  const created = await createFirstKey(service.storage, Date.now())
  headers = { authorization: `Bearer ${created?.key}`, "content-type": "application/json" }
})

after(async () => {
  await service.stop()
  await folder[Symbol.asyncDispose]()
})

async function submit(model: string, parameters: object): Promise<TaskBody> {
  const body = JSON.stringify({ model, parameters })
  const response = await fetch(`${service.url}/v1/tasks`, { method: "POST", headers, body })
  assert.equal(response.status, 202)
  const task = (await response.json()) as TaskBody
  assert.equal(response.headers.get("location"), `/v1/tasks/${task.task_id}`)
  return task
}

async function finish({ task_id: id }: TaskBody): Promise<TaskBody> {
  for (;;) {
    const response = await fetch(`${service.url}/v1/tasks/${id}`, { headers })
    assert.equal(response.status, 200)
    const task = (await response.json()) as TaskBody
    if (task.finished_at > 0) return task
    assert.equal(response.headers.get("retry-after"), "2")
    // Without a pause, both ends of the call would keep the machine from the work.
    await setTimeout(50)
  }
}

async function list({ task_id: id }: TaskBody): Promise<readonly ArtifactBody[]> {
  const response = await fetch(`${service.url}/v1/tasks/${id}/artifacts`, { headers })
  const body = (await response.json()) as { task_id: string; artifacts: ArtifactBody[] }
  assert.equal(body.task_id, id)
  return body.artifacts
}

/** Downloads whole, checking what the headers promise. */
async function download({ content_url: url, mime_type: type }: ArtifactBody): Promise<Buffer> {
  const response = await fetch(url, { headers })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get("content-type"), type)
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.headers.get("content-length"), `${bytes.length}`)
  const digest = createHash("sha256").update(bytes).digest("base64")
  assert.equal(response.headers.get("repr-digest"), `sha-256=:${digest}:`)
  return bytes
}

async function produce(model: string, parameters: object) {
  const task = await finish(await submit(model, parameters))
  assert.equal(task.status, "succeeded", `it failed: ${task.error?.code}`)
  assert.equal(task.progress, 100)
  const artifacts = await list(task)
  const files = await Promise.all(artifacts.map(download))
  return { task, artifacts, files }
}

async function samplePicture(): Promise<string> {
  const background = { r: 30, g: 90, b: 160 }
  const create = { width: 320, height: 200, channels: 3, background } as const
  const bytes = await sharp({ create }).png().toBuffer()
  return `data:image/png;base64,${bytes.toString("base64")}`
}

describe("text to image", () => {
  it("is a PNG of the size asked for", async () => {
    const parameters = { prompt: "dunes at noon", size: "landscape_16_9" }
    const { artifacts, files } = await produce(PICTURE, parameters)
    const [artifact] = artifacts
    assert.deepEqual(
      artifacts.map(({ key, type, mime_type: mime }) => [key, type, mime]),
      [["image_1", "image", "image/png"]],
    )
    assert.ok((artifact?.expires_at ?? 0) > Date.now() / 1000 + 13 * 86_400)
    const { format, width, height } = await sharp(files[0]).metadata()
    assert.deepEqual([format, width, height], ["png", 1024, 576])
  })

  it("can be had in pieces, asked about and not sent again", async () => {
    const { artifacts, files } = await produce(PICTURE, { prompt: "dunes", size: "square" })
    const url = artifacts[0]?.content_url ?? ""
    const range = await fetch(url, { headers: { ...headers, range: "bytes=100-199" } })
    assert.equal(range.status, 206)
    assert.equal(range.headers.get("content-range"), `bytes 100-199/${files[0]?.length}`)
    assert.deepEqual(Buffer.from(await range.arrayBuffer()), files[0]?.subarray(100, 200))
    const head = await fetch(url, { method: "HEAD", headers })
    assert.equal(head.headers.get("content-length"), `${files[0]?.length}`)
    const etag = head.headers.get("etag") ?? ""
    const again = await fetch(url, { headers: { ...headers, "if-none-match": etag } })
    assert.equal(again.status, 304)
  })
})

describe("image edit", () => {
  it("makes as many different variations as asked for, in the format and shape asked for", async () => {
    const { artifacts, files } = await produce(EDIT, {
      prompt: "warm",
      image_urls: [await samplePicture()],
      output_format: "webp",
      aspect_ratio: "4:3",
      count: 2,
    })
    assert.deepEqual(
      artifacts.map(({ key }) => key),
      ["image_1", "image_2"],
    )
    for (const file of files) {
      const { format, width, height } = await sharp(file).metadata()
      assert.deepEqual([format, width, height], ["webp", 1024, 768])
    }
    assert.notDeepEqual(files[0], files[1])
  })

  it("fails by its code where an input can't be decoded, and the service goes on", async () => {
    const image = `data:image/png;base64,${Buffer.from("no picture at all, just words").toString("base64")}`
    const task = await finish(await submit(EDIT, { prompt: "", image_urls: [image] }))
    assert.equal(task.status, "failed")
    assert.equal(task.error?.type, "invalid_request_error")
    assert.match(task.error?.code ?? "", /^(media_unreadable|unsupported_media_type)$/)
    assert.deepEqual(await list(task), [])
    const ready = await fetch(`${service.url}/readyz`)
    assert.equal(ready.status, 200)
  })
})

describe("reference to video", () => {
  it("is H.264 with AAC in a seekable MP4 of the length asked for", async () => {
    const { artifacts, files } = await produce(VIDEO, {
      prompt: "waves at night",
      resolution: "480p",
      aspect_ratio: "1:1",
      duration: 4,
      generate_audio: true,
      image_urls: [await samplePicture()],
    })
    assert.deepEqual(
      artifacts.map(({ key, type, mime_type: mime }) => [key, type, mime]),
      [["video", "video", "video/mp4"]],
    )
    const [file] = files
    assert.ok(file)
    const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS })
    const video = await input.getPrimaryVideoTrack()
    const audio = await input.getPrimaryAudioTrack()
    assert.deepEqual([video?.codec, audio?.codec], ["avc", "aac"])
    assert.deepEqual([video?.displayWidth, video?.displayHeight], [480, 480])
    assert.ok(Math.abs(((await video?.computeDuration()) ?? 0) - 4) < 0.1)
    assert.ok(file.indexOf("moov") < file.indexOf("mdat"), "it can't be played while it loads")
  })
})

describe("the sandbox", () => {
  it("answers a 202 that is already succeeded", async () => {
    const prompt = "dunes [studio: at-once]"
    const task = await submit(PICTURE, { prompt, size: "square" })
    assert.equal(task.status, "succeeded")
    assert.equal((await list(task)).length, 1)
  })

  it("fails a task by the code that a client wants to see", async () => {
    const prompt = "dunes [studio: fail provider_rejected]"
    const task = await finish(await submit(PICTURE, { prompt, size: "square" }))
    assert.deepEqual(
      [task.status, task.error?.code, task.error?.type],
      ["failed", "provider_rejected", "generation_error"],
    )
  })
})
