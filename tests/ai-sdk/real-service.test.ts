/**
 * The AI SDK's own functions over the provider and the service itself, on a socket: the studio paints the pictures
 * and the film, and what comes out is opened by decoders that know nothing of it.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createFirstKey, createKey } from "@safelight/access"
import {
  createSafelight,
  type MadeFile,
  type SafelightOptions,
  type SafelightProvider,
} from "@safelight/ai-sdk"
import { createClient, type Client } from "@safelight/client"
import {
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
  generateImage,
  createProviderRegistry,
} from "ai"
import { ALL_FORMATS, BufferSource, Input } from "mediabunny"
import { createService, loadConfiguration, type Service } from "safelight"
import sharp from "sharp"
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { muteWarnings } from "./mute-warnings.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const FILM = "vendor-c/video-2.5/reference-to-video"

muteWarnings()

function readMade(metadata: unknown): readonly MadeFile[] {
  const { safelight } = metadata as { safelight: Record<string, readonly MadeFile[]> }
  return safelight["images"] ?? safelight["videos"] ?? []
}

describe("the AI SDK over the service", () => {
  let folder: TemporaryFolder
  let service: Service
  let safelight: SafelightProvider
  let client: Client

  before(async () => {
    folder = await createTemporaryFolder()
    const flags = { data: folder.path, port: "0", sandbox: true as const }
    const configuration = await loadConfiguration({ flags, environment: {}, folder: folder.path })
    service = await createService({ configuration })
    const apiKey = (await createFirstKey(service.storage, Date.now()))?.key ?? ""
    safelight = createSafelight({ baseURL: service.url, apiKey })
    client = createClient({ url: service.url, key: apiKey })
  })

  after(async () => {
    await service.stop()
    await folder[Symbol.asyncDispose]()
  })

  it("makes a picture of the size that was asked for, and tells what it cost and where it is", async () => {
    const options: SafelightOptions = { labels: { project: "spring" }, maxCostMicros: 10_000_000 }
    const { image, providerMetadata, responses, warnings } = await generateImage({
      model: safelight.image(PICTURE),
      prompt: "a lighthouse in fog",
      size: "1024x768",
      seed: 7,
      providerOptions: { safelight: options },
    })
    const { width, height, format } = await sharp(image.uint8Array).metadata()
    assert.deepEqual([width, height, format], [1024, 768, "png"])
    assert.equal(image.mediaType, "image/png")
    const details = `${PICTURE} has no parameter for it`
    assert.deepEqual(warnings, [{ type: "unsupported", feature: "seed", details }])

    const [made] = readMade(providerMetadata)
    assert.ok(made !== undefined)
    assert.deepEqual(image.providerMetadata?.["safelight"], made)
    const usage = await client.taskUsage(made.task.id)
    assert.ok(usage.charge_micros > 0)
    assert.equal(made.task.chargeMicros, usage.charge_micros)
    assert.deepEqual(usage.labels, { project: "spring" })
    const linked = await (await fetch(made.url ?? "")).bytes()
    assert.deepEqual(linked, image.uint8Array)
    assert.ok((made.urlExpiresAt ?? 0) <= (made.expiresAt ?? 0))
    assert.equal(responses[0]?.modelId, PICTURE)
    assert.match(responses[0]?.headers?.["x-request-id"] ?? "", /^req_/)
  })

  it("edits pictures, more of them than one task makes", async () => {
    const red = { create: { width: 64, height: 64, channels: 3, background: "red" } } as const
    const picture = await sharp(red).png().toBuffer()
    const { images, providerMetadata, warnings } = await generateImage({
      model: safelight.imageModel(EDIT),
      prompt: { text: "in snow", images: [picture, picture], mask: picture },
      n: 5,
      aspectRatio: "16:9",
      providerOptions: { safelight: { parameters: { output_format: "webp" } } },
    })
    assert.deepEqual(
      images.map(({ mediaType }) => mediaType),
      Array.from({ length: 5 }, () => "image/webp"),
    )
    const tasks = readMade(providerMetadata).map(({ task }) => task.id)
    assert.deepEqual([tasks.length, new Set(tasks).size], [5, 2])
    assert.deepEqual(
      warnings.map((each) => "feature" in each && each.feature),
      ["mask"],
    )
  })

  it("makes a film from two frames, as long and as wide as was asked for", async () => {
    const frame = await sharp({
      create: { width: 320, height: 180, channels: 3, background: "navy" },
    })
      .png()
      .toBuffer()
    const { video, providerMetadata, warnings } = await generateVideo({
      model: safelight.video(FILM),
      prompt: "waves at night",
      duration: 4,
      resolution: "480x854",
      frameImages: [
        { image: frame, frameType: "first_frame" },
        { image: frame, frameType: "last_frame" },
      ],
      generateAudio: false,
    })
    const input = new Input({ source: new BufferSource(video.uint8Array), formats: ALL_FORMATS })
    const track = await input.getPrimaryVideoTrack()
    assert.ok(track !== null && track.displayHeight > track.displayWidth)
    assert.equal(Math.round(await input.computeDuration()), 4)
    assert.equal(video.mediaType, "video/mp4")
    assert.deepEqual(warnings, [])
    const [made] = readMade(providerMetadata)
    assert.ok((made?.task.chargeMicros ?? 0) > 0)
    assert.match(made?.url ?? "", /access=/)
  })

  it("lets the SDK start a film and look after it", async () => {
    let delays = 0
    const delay = async (): Promise<void> => {
      // Whoever delays longer sees the same.
      for await (const task of client.list({ limit: 1 })) await client.wait(task)
      delays += 1
    }
    const { video, providerMetadata } = await generateVideo({
      model: safelight.video(FILM),
      prompt: "a street",
      duration: 4,
      resolution: "854x480",
      poll: { intervalMs: 1, delay },
    })
    assert.equal(video.mediaType, "video/mp4")
    assert.ok(delays > 0)
    const { taskIds } = providerMetadata["safelight"] as { taskIds: readonly string[] }
    assert.deepEqual(taskIds, [readMade(providerMetadata)[0]?.task.id])
  })

  it("lets another process look after a film, and say that it failed", async () => {
    const options = { duration: 4, resolution: "854x480" } as const
    const prompt = "a street [studio: fail no_output]"
    const { operation } = await startVideo({ model: safelight.video(FILM), prompt, ...options })
    const { taskIds } = JSON.parse(JSON.stringify(operation)) as { taskIds: [string] }
    await client.wait(taskIds[0])
    const ended = await getVideoStatus(safelight.video(FILM), { operation: { taskIds } })
    assert.equal(ended.status, "error")
    assert.deepEqual(ended.providerMetadata, { safelight: { taskIds, code: "no_output" } })
    const stalled = await startVideo({
      model: safelight.video(FILM),
      prompt: "a street [studio: stall]",
      ...options,
    })
    const pending = await getVideoStatus(safelight.video(FILM), stalled)
    assert.equal(pending.status, "pending")
    await client.cancel((stalled.operation as { taskIds: [string] }).taskIds[0])
    const wrong = getVideoStatus(safelight.video(FILM), { operation: { taskIds: [] } })
    await assert.rejects(wrong, { name: "AI_InvalidArgumentError", argument: "operation" })
  })

  it("tells which models take pictures and masks", async () => {
    const [edit, picture] = [safelight.image(EDIT), safelight.image(PICTURE)]
    assert.deepEqual([await edit.supportsFileInputs, await edit.supportsMaskInputs], [true, false])
    assert.equal(await picture.supportsFileInputs, false)
    assert.equal(await safelight.image("nobody/nothing").supportsFileInputs, undefined)
  })

  it("cancels the task of a call that is aborted, and rejects with the reason", async () => {
    const aborting = new AbortController()
    const reason = new Error("enough")
    const making = generateImage({
      model: safelight.image(PICTURE),
      prompt: "a valley [studio: stall]",
      abortSignal: aborting.signal,
      providerOptions: { safelight: { labels: { aborted: "yes" } } },
    })
    const rejected = assert.rejects(making, reason)
    const find = async () => (await client.listPage({ label: ["aborted=yes"] })).tasks[0]
    await until(async () => (await find()) !== undefined)
    aborting.abort(reason)
    await rejected
    // Its channel hears of the cancellation first where the task was just being sent there.
    await until(async () => (await find())?.status === "failed")
    const cancelled = await find()
    assert.equal(cancelled?.error?.code, "task_cancelled")
  })

  it("makes the file without a link where the key may make none", async () => {
    const scopes = ["tasks:write", "tasks:read", "artifacts:read"] as const
    const { storage } = service
    const { key } = await createKey({ keys: storage, account: "me", now: Date.now(), scopes })
    const { image, providerMetadata, warnings } = await generateImage({
      model: createSafelight({ baseURL: service.url, apiKey: key }).image(PICTURE),
      prompt: "a hill",
    })
    assert.ok(image.uint8Array.length > 0)
    assert.deepEqual(warnings, [])
    assert.equal(readMade(providerMetadata)[0]?.url, undefined)
  })

  it("stands in a registry of providers", async () => {
    const registry = createProviderRegistry({ safelight })
    const { image } = await generateImage({
      model: registry.imageModel(`safelight:${PICTURE}`),
      prompt: "a boat",
    })
    assert.equal(image.mediaType, "image/png")
    assert.equal(registry.videoModel(`safelight:${FILM}`).modelId, FILM)
  })
})
