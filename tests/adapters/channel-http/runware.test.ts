/** The channel of Runware against its stub: tasks that are found by the UUID that we chose for them. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import { referenceToVideo, textToImage, type ChannelRequest, type Json } from "@safelight/core"
import { describeProvider, itCreates, itPolls, NO_COLOURS } from "./describe-provider.ts"
import { fetchTypes, openProviderWorld, PICTURE, toReply, turnedAway } from "./provider-world.ts"

const { runware } = PROVIDERS

const world = await openProviderWorld(runware, {
  picture: { size: "portrait_16_9", enable_safety_checker: false },
  film: { resolution: "480p", aspect_ratio: "16:9" },
})
const { channel, film, picture, toRequest } = world

const [ONE, TWO, THREE] = [1, 2, 3].map((name) => `https://media.example/${name}.png`)
const FILM_URL = "https://media.example/v.mp4"
const SOUND_URL = "https://media.example/a.mp3"
/** The task without its UUID, which differs each time. */
async function buy(request: ChannelRequest): Promise<object> {
  const { body, key } = await world.buy(request)
  const { taskUUID, ...task } = body as { readonly taskUUID: string }
  assert.equal(taskUUID, key)
  return task
}

describe("Runware's models", () => {
  const same = { deliveryMethod: "async", outputType: "URL", includeCost: true, numberResults: 1 }

  it("are asked as tasks, pictures with exact pixels", async () => {
    assert.deepEqual(await buy(picture()), {
      ...same,
      taskType: "imageInference",
      model: "runware:100@1",
      positivePrompt: "fog",
      width: 576,
      height: 1024,
      steps: 4,
      safety: { checkContent: false },
    })

    assert.deepEqual(await buy(film({ generate_audio: false, bitrate_mode: "standard" })), {
      ...same,
      taskType: "videoInference",
      model: "bytedance:seedance@2.5",
      positivePrompt: "waves",
      width: 854,
      height: 480,
      duration: 4,
      settings: { audio: false },
    })
  })

  const inputs: readonly (readonly [asked: object, inputs: object | undefined])[] = [
    [{}, undefined],
    [{ image_urls: [ONE] }, { frameImages: [{ image: ONE, frame: "first" }] }],
    [
      { image_urls: [ONE, TWO] },
      {
        frameImages: [
          { image: ONE, frame: "first" },
          { image: TWO, frame: "last" },
        ],
      },
    ],
    [{ image_urls: [ONE, TWO, THREE] }, { referenceImages: [ONE, TWO, THREE] }],
    [
      { image_urls: [ONE], video_urls: [FILM_URL], audio_urls: [SOUND_URL] },
      { referenceImages: [ONE], referenceVideos: [FILM_URL], referenceAudios: [SOUND_URL] },
    ],
  ]
  for (const [asked, expected] of inputs) {
    it(`get frames or references: ${JSON.stringify(asked)}`, async () => {
      const task = await buy(toRequest(referenceToVideo.id, { prompt: "waves", ...asked }))
      const { inputs: sent, resolution } = task as { inputs?: Json; resolution: string }
      assert.deepEqual(sent, expected)
      assert.equal(resolution, "720p")
    })
  }

  it("give their outputs by URL", async () => {
    assert.deepEqual(await fetchTypes(await world.carryOut(picture())), ["image/jpeg"])
    assert.deepEqual(await fetchTypes(await world.carryOut(film())), ["video/mp4"])
  })
})

const content = { kind: "refused", code: "content_policy_violation" }

describeProvider(world, {
  purchases: ["picture"],
  work: "picture",
  ends: { picture: { content, failed: { kind: "refused", code: "provider_rejected" } } },
  unmade: { "no-credits": turnedAway("provider_out_of_money") },
  refused: [
    ["picture", "prompt", { prompt: "a" }],
    ["picture", "prompt", { prompt: "a".repeat(3_001) }],
    ...NO_COLOURS,
    ["film", "prompt", { prompt: undefined }],
    ["film", "resolution", { resolution: "1080p" }],
    ["film", "aspect_ratio", { image_urls: [ONE] }],
    ["film", "bitrate_mode", { bitrate_mode: "high" }],
  ],
  taken: [
    film({ image_urls: [ONE, ONE, ONE] }),
    film({ image_urls: [ONE], aspect_ratio: undefined }),
  ],
})

describe("a purchase at Runware", () => {
  it("has a UUID made of its key, the same at every release", () => {
    const { toRequest: write } = runware.models[textToImage.id] ?? assert.fail()
    const idOf = (key: string): unknown =>
      (write(PICTURE, key, { model: textToImage.id, upstream: "runware:100@1" }).json as Json[])[0]
    const { taskUUID: one } = idOf("018f0c5e-7b1c-7a5e-9d3f-0123456789ab.1") as { taskUUID: string }
    const { taskUUID: two } = idOf("018f0c5e-7b1c-7a5e-9d3f-0123456789ab.2") as { taskUUID: string }
    assert.equal(one, "bfc0e2d1-8625-4f84-b8fc-fe9d822b1cd5")
    assert.notEqual(one, two)
    for (const id of [one, two]) {
      assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    }
  })

  it("is made once, however often it is sent: the conflict proves that it exists", async () => {
    const request = picture()
    const first = await channel.submit(request)
    const repeat = await world.buyWith({}, request)
    assert.deepEqual(repeat, [first, 0])
    assert.equal((await world.follow(request, first)).kind, "completed")
  })

  const faults = [{ code: "unsupportedParameter", message: "no", taskUUID: "1" }]
  itCreates(runware, [
    [400, { errors: faults }, { kind: "refused", code: "provider_rejected", providerWords: "no" }],
    [400, { detail: "no" }],
    [400, { errors: [{ code: "conflictTaskUUID" }] }],
    [409, { errors: faults }],
    [200, { errors: faults }],
    [200, { data: [] }],
  ])

  it("is found after its answer was lost, while it runs and after it ended", async () => {
    const request = picture()
    assert.deepEqual(await world.buyWith({ create: "reset" }, request), ["channel-unavailable", 1])
    const found = (await channel.find?.(request)) ?? assert.fail()
    assert.deepEqual(found, { operation: { id: world.bought().id } })
    const outcome = await channel.poll({ ...request, ...found, progress: 0 })
    assert.equal(outcome.kind, "completed")

    const failing = picture()
    await world.buyWith({ create: "reset", own: ["failed"] }, failing)
    assert.deepEqual(await channel.find?.(failing), { operation: { id: world.bought().id } })
  })

  it("is found where the record of it holds the inputs that went along", async () => {
    const image = `data:image/png;base64,${"A".repeat(2_000_000)}`
    const request = toRequest(referenceToVideo.id, { prompt: "waves", image_urls: [image] })
    await world.buyWith({ create: "reset" }, request)
    const found = await channel.find?.(request)
    assert.deepEqual(found, { operation: { id: world.bought().id } })
  })

  it("was never made where neither running nor past tasks know it", async () => {
    assert.equal(await channel.find?.(picture()), null)
  })

  const silent = ["reset", "server-error", "html", "truncated", "empty", "busy"] as const
  for (const poll of silent) {
    it(`is not given up for an answer that tells nothing: ${poll}`, async () => {
      const request = picture()
      await channel.submit(request)
      world.stub.setFaults({ poll })
      const asked = Promise.resolve(channel.find?.(request))
      await assert.rejects(asked, { retryable: true }).finally(() => world.stub.setFaults({}))
    })
  }

  it("is not given up where the key is not taken, or only one of both was heard", async () => {
    const wrong = createHttpChannel({ provider: runware, key: "invalid", baseUrl: world.stub.url })
    await assert.rejects(Promise.resolve(wrong.find?.(picture())), { retryable: true })
    await wrong.close?.()
    const { find = () => assert.fail() } = runware
    let id = ""
    const half = find({ model: "", key: "k.1" }, ({ json }) => {
      const [first] = json as { taskUUID: string; taskType: string }[]
      id = first?.taskUUID ?? ""
      return Promise.resolve(toReply(400, { errors: [{ ...first, code: "unknownTaskUUID" }] }))
    })
    await assert.rejects(half, { retryable: true })
    assert.notEqual(id, "")
    const others = find({ model: "", key: "k.1" }, ({ json }) => {
      const tasks = json as { taskType: string }[]
      const errors = tasks.map((task) => ({ ...task, taskUUID: "other", code: "unknownTaskUUID" }))
      return Promise.resolve(toReply(400, { errors }))
    })
    await assert.rejects(others, { retryable: true })
  })
})

describe("an answer of Runware", () => {
  const own = { taskUUID: "1" }
  const done = { ...own, status: "success", imageURL: "https://im.runware.ai/1.jpg" }
  itPolls(runware, { id: "1" }, [
    [200, { data: [{ ...own, status: "processing" }] }, { kind: "running", pollAfterMs: 2_000 }],
    [
      200,
      { data: [done, { ...own, status: "processing" }] },
      { kind: "running", pollAfterMs: 2_000 },
    ],
    [200, { data: [{ ...done, NSFWContent: true }] }, content],
    [
      200,
      { data: [{ ...done, NSFWContent: false }] },
      { kind: "completed", outputs: [{ url: done.imageURL }] },
    ],
    [200, { data: [{ ...done, taskUUID: "2" }] }],
    [200, { data: [{ ...own, status: "paused" }] }],
    [400, { errors: [{ taskUUID: "2", status: "error", code: "inferenceFailed" }] }],
    [400, { errors: [{ ...own, code: "unknownTaskUUID" }] }],
    [400, { errors: [{ ...own, status: "error", code: "unknownTaskUUID" }] }],
    [400, { errors: [{ ...own, status: "error", code: "any", taskType: "getResponse" }] }],
    [400, { errors: [{ ...own, status: "error", code: "any", taskType: "getTaskDetails" }] }],
    [401, { errors: [{ code: "invalidApiKey" }] }],
  ])
})
