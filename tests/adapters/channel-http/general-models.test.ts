/**
 * Every provider's one rule for models that it knows by data alone: what is sent, and that what the provider makes is
 * found in each of the shapes that it documents.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import {
  createHttpChannel,
  PROVIDERS,
  type Provider,
  type ServedUpstream,
} from "@safelight/channel-http"
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type ArtifactKind,
  type Channel,
  type ChannelOutput,
  type Json,
  type PollOutcome,
} from "@safelight/core"
import { createSampleInputs } from "@safelight/testkit"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { EDIT, FILM, PICTURE, toRequest } from "./provider-world.ts"

const { ark, blackForestLabs, comfyRouter, fal, gemini, higgsfield, openai } = PROVIDERS
const { replicate, runware, safelight, xai } = PROVIDERS

const URL_1 = "https://media.example/1.png"
const URL_2 = "https://media.example/2.png"
const DATA = "data:image/png;base64,iVBORw0KGgo="
const LINK = "https://safelight.example/v1/inputs/i1"

interface Case {
  readonly provider: Provider
  readonly upstream: ServedUpstream
  readonly parameters: object
  /** What the provider was asked for, but for members of the purchase's own. */
  readonly body: object
  /** The types of what was made, in order. */
  readonly made: readonly string[]
}

const images = { artifacts: ["image"] } as const
const films = { artifacts: ["video"] } as const
const fog = { prompt: "fog" }

const CASES: readonly Case[] = [
  {
    provider: fal,
    upstream: {
      ...images,
      model: "fal-ai/flux-2-pro",
      rename: { size: "image_size", seed_text: "seed" },
      values: { image_size: { "4k": { width: 512, height: 512 } }, seed: { none: 7 } },
      constants: { output_format: "png" },
      drop: ["secret"],
    },
    parameters: { ...fog, size: "4k", seed_text: "none", num_images: 2, secret: true },
    body: {
      ...fog,
      image_size: { width: 512, height: 512 },
      seed: 7,
      num_images: 2,
      output_format: "png",
    },
    made: ["image/png", "image/png"],
  },
  {
    provider: fal,
    upstream: {
      ...films,
      model: "fal-ai/kling-video/v3/pro/image-to-video",
      media: { image_url: "image" },
    },
    parameters: { ...fog, image_url: URL_1, duration: "5" },
    body: { ...fog, image_url: URL_1, duration: "5" },
    made: ["video/mp4"],
  },
  ...(
    [
      ["fal-ai/elevenlabs/tts/eleven-v3", "audio", "audio/wav"],
      ["fal-ai/stable-audio-25/text-to-audio", "audio", "audio/wav"],
      ["fal-ai/trellis", "3d", "model/gltf-binary"],
      ["fal-ai/hunyuan3d-v3/text-to-3d", "3d", "model/gltf-binary"],
      ["fal-ai/elevenlabs/speech-to-text/scribe-v2", "text", "text/plain"],
      ["fal-ai/moondream3-preview/caption", "text", "text/plain"],
    ] as const
  ).map(([model, kind, type]): Case => ({
    provider: fal,
    upstream: { model, artifacts: [kind] },
    parameters: { text: "fog" },
    body: { text: "fog" },
    made: [type],
  })),
  {
    provider: replicate,
    upstream: {
      ...images,
      model: "black-forest-labs/flux-2-pro",
      rename: { image_urls: "input_images" },
      media: { image_urls: "image" },
    },
    parameters: { ...fog, image_urls: [URL_1, DATA], num_outputs: 2 },
    body: { input: { ...fog, input_images: [URL_1, DATA], num_outputs: 2 } },
    made: ["image/webp", "image/webp"],
  },
  {
    provider: replicate,
    upstream: { ...films, model: "acme/film-video:0123abcd" },
    parameters: fog,
    body: { version: "acme/film-video:0123abcd", input: fog },
    made: ["video/mp4"],
  },
  ...(
    [
      ["acme/speech", "audio", "audio/wav"],
      ["acme/mesh-3d", "3d", "model/gltf-binary"],
      ["acme/llm", "text", "text/plain"],
    ] as const
  ).map(([model, kind, type]): Case => ({
    provider: replicate,
    upstream: { model, artifacts: [kind] },
    parameters: fog,
    body: { input: fog },
    made: [type],
  })),
  {
    provider: replicate,
    upstream: { ...images, model: "acme/inline", constants: { inline_output: true } },
    parameters: fog,
    body: { input: { ...fog, inline_output: true } },
    made: ["image/png"],
  },
  {
    provider: replicate,
    upstream: {
      artifacts: ["audio"],
      model: "acme/speech",
      constants: { inline_output: true },
    },
    parameters: fog,
    body: { input: { ...fog, inline_output: true } },
    made: ["audio/wav"],
  },
  {
    provider: comfyRouter,
    upstream: { ...images, model: "acme/own", media: { image: "image" } },
    parameters: { ...fog, image: URL_1 },
    body: { ...fog, image: URL_1 },
    made: ["image/png"],
  },
  {
    provider: openai,
    upstream: { ...images, model: "Qwen/Qwen-Image", rename: { num_images: "n" } },
    parameters: { ...fog, num_images: 2, size: "1024x1024" },
    body: { ...fog, model: "Qwen/Qwen-Image", n: 2, size: "1024x1024" },
    made: ["image/png", "image/png"],
  },
  {
    provider: openai,
    upstream: { ...images, model: "gpt-image-1.5", media: { image_urls: "image", mask: "image" } },
    parameters: { ...fog, image_urls: [URL_1, URL_2], mask: DATA },
    body: {
      ...fog,
      model: "gpt-image-1.5",
      images: [{ image_url: URL_1 }, { image_url: URL_2 }],
      mask: { image_url: DATA },
    },
    made: ["image/png"],
  },
  {
    provider: xai,
    upstream: { ...images, model: "grok-imagine-image-3", rename: { num_images: "n" } },
    parameters: { ...fog, num_images: 2 },
    body: { ...fog, model: "grok-imagine-image-3", n: 2, response_format: "url" },
    made: ["image/jpeg", "image/jpeg"],
  },
  {
    provider: xai,
    upstream: { ...images, model: "grok-imagine-image-3", media: { image_urls: "image" } },
    parameters: { ...fog, image_urls: [URL_1] },
    body: {
      ...fog,
      model: "grok-imagine-image-3",
      image: { url: URL_1, type: "image_url" },
      response_format: "url",
    },
    made: ["image/jpeg"],
  },
  {
    provider: xai,
    upstream: {
      ...films,
      model: "grok-imagine-video",
      rename: { image_url: "image", image_urls: "reference_images" },
      media: { image_url: "image", image_urls: "image" },
    },
    parameters: { ...fog, image_url: URL_1, image_urls: [URL_2] },
    body: {
      ...fog,
      model: "grok-imagine-video",
      image: { url: URL_1 },
      reference_images: [{ url: URL_2 }],
    },
    made: ["video/mp4"],
  },
  {
    provider: ark,
    upstream: { ...images, model: "ep-20260101-abc", media: { image_urls: "image" } },
    parameters: {
      ...fog,
      size: "2K",
      image_urls: [URL_1, URL_2],
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 2 },
    },
    body: {
      ...fog,
      model: "ep-20260101-abc",
      size: "2K",
      image: [URL_1, URL_2],
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 2 },
      response_format: "url",
      watermark: false,
    },
    made: ["image/jpeg", "image/jpeg"],
  },
  {
    provider: ark,
    upstream: {
      ...films,
      model: "seedance-1-5-pro",
      rename: { end_image_url: "last_frame", image_url: "first_frame" },
      media: { image_url: "image", end_image_url: "image" },
    },
    parameters: { ...fog, end_image_url: URL_2, image_url: URL_1, resolution: "1080p" },
    body: {
      model: "seedance-1-5-pro",
      content: [
        { type: "text", text: "fog" },
        { type: "image_url", image_url: { url: URL_1 }, role: "first_frame" },
        { type: "image_url", image_url: { url: URL_2 }, role: "last_frame" },
      ],
      resolution: "1080p",
    },
    made: ["video/mp4"],
  },
  {
    provider: ark,
    upstream: { ...films, model: "seedance-2", media: { image_url: "image", audio_url: "audio" } },
    parameters: { image_url: URL_1, audio_url: "https://media.example/1.wav" },
    body: {
      model: "seedance-2",
      content: [
        { type: "image_url", image_url: { url: URL_1 }, role: "reference_image" },
        {
          type: "audio_url",
          audio_url: { url: "https://media.example/1.wav" },
          role: "reference_audio",
        },
      ],
    },
    made: ["video/mp4"],
  },
  {
    provider: gemini,
    upstream: {
      ...images,
      model: "gemini-3.1-flash-image",
      rename: { aspect_ratio: "aspectRatio", resolution: "imageSize" },
      media: { image_urls: "image" },
    },
    parameters: { ...fog, aspect_ratio: "16:9", resolution: "2K", seed: 7, image_urls: [DATA] },
    body: {
      contents: [
        {
          role: "user",
          parts: [{ text: "fog" }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
        },
      ],
      generationConfig: {
        responseModalities: ["IMAGE"],
        seed: 7,
        imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
      },
    },
    made: ["image/png"],
  },
  {
    provider: gemini,
    upstream: {
      ...films,
      model: "veo-3.1-fast-generate-preview",
      rename: { duration: "durationSeconds", end: "lastFrame", image_url: "image" },
      values: { durationSeconds: { "8s": 8 } },
      media: { image_url: "image", end: "image" },
    },
    parameters: { ...fog, duration: "8s", image_url: DATA, end: DATA },
    body: {
      instances: [
        {
          prompt: "fog",
          image: { bytesBase64Encoded: "iVBORw0KGgo=", mimeType: "image/png" },
          lastFrame: { bytesBase64Encoded: "iVBORw0KGgo=", mimeType: "image/png" },
        },
      ],
      parameters: { durationSeconds: 8 },
    },
    made: ["video/mp4"],
  },
  {
    provider: blackForestLabs,
    upstream: {
      ...images,
      model: "flux-2-max",
      rename: { image_urls: "input_image" },
      media: { image_urls: "image" },
    },
    parameters: { ...fog, image_urls: [URL_1, DATA], seed: 7 },
    body: { ...fog, input_image: URL_1, input_image_2: "iVBORw0KGgo=", seed: 7 },
    made: ["image/jpeg"],
  },
  {
    provider: runware,
    upstream: {
      ...images,
      model: "bfl:5@1",
      rename: { count: "numberResults", image_urls: "inputs/referenceImages" },
      media: { image_urls: "image" },
    },
    parameters: { ...fog, count: 2, image_urls: [URL_1] },
    body: {
      taskType: "imageInference",
      model: "bfl:5@1",
      positivePrompt: "fog",
      numberResults: 2,
      inputs: { referenceImages: [URL_1] },
    },
    made: ["image/jpeg", "image/jpeg"],
  },
  ...(
    [
      ["video", "videoInference", "video/mp4"],
      ["audio", "audioInference", "audio/wav"],
      ["3d", "3dInference", "model/gltf-binary"],
    ] as const
  ).map(([kind, taskType, type]): Case => ({
    provider: runware,
    upstream: { model: "acme:1@1", artifacts: [kind] },
    parameters: fog,
    body: { taskType, model: "acme:1@1", positivePrompt: "fog" },
    made: [type],
  })),
  {
    provider: higgsfield,
    upstream: { ...images, model: "acme/soul/standard", media: { image_url: "image" } },
    parameters: { ...fog, image_url: DATA },
    body: { ...fog, image_url: LINK },
    made: ["image/png"],
  },
  {
    provider: higgsfield,
    upstream: { ...films, model: "acme/video/standard" },
    parameters: fog,
    body: fog,
    made: ["video/mp4"],
  },
]

const ID = "acme/own"
const OWN_MEMBERS: readonly string[] = ["taskUUID", "deliveryMethod", "outputType", "includeCost"]

/** Opened by `before`, by the provider's name. */
const stubs = new Map<string, RunningStub>()

function open(provider: Provider, options: object = {}): Channel {
  const { url: baseUrl } = stubs.get(provider.name) ?? assert.fail(provider.name)
  return createHttpChannel({ provider, key: "key:secret", baseUrl, canLink: true, ...options })
}

async function carryOut(
  channel: Channel,
  model: string,
  parameters: object,
  made: readonly string[] = [],
) {
  const inputs = createSampleInputs({ toLink: () => LINK })
  const artifacts = made as readonly ArtifactKind[]
  const request = { ...toRequest(model, parameters), artifacts, inputs }
  const submitted = await channel.submit(request)
  const outcome = submitted.kind === "accepted" ? await follow(submitted.operation) : submitted

  async function follow(operation: Json): Promise<PollOutcome> {
    for (;;) {
      const polled = await channel.poll({ ...request, operation, progress: 0 })
      if (polled.kind !== "running") return polled
    }
  }

  assert.ok(outcome.kind === "completed", JSON.stringify(outcome))
  return outcome.outputs
}

async function readType(output: ChannelOutput): Promise<string> {
  if (!("url" in output)) {
    let bytes = 0
    for await (const piece of output.open(AbortSignal.timeout(5_000))) bytes += piece.length
    assert.ok(bytes > 0)
    return output.mimeType
  }
  const answer = await fetch(output.url, { headers: output.headers ?? {} })
  assert.equal(answer.status, 200)
  assert.ok((await answer.arrayBuffer()).byteLength > 0)
  return answer.headers.get("content-type") ?? ""
}

/** What was bought last, without what a purchase has of itself. */
function readBody(provider: Provider): object {
  const body = stubs.get(provider.name)?.purchases.at(-1)?.body ?? assert.fail()
  const [task] = [body].flat() as readonly object[]
  const members = Object.entries(task ?? {}).filter(([name]) => !OWN_MEMBERS.includes(name))
  return Object.fromEntries(members)
}

before(async () => {
  for (const { name } of Object.values(PROVIDERS)) {
    const start = STUBS[name]
    // oxlint-disable-next-line no-await-in-loop -- ten ports
    if (start !== undefined) stubs.set(name, await start({ queueMs: 0, runMs: 0 }))
  }
})
after(async () => {
  await Promise.all([...stubs.values()].map((stub) => stub[Symbol.asyncDispose]()))
})

describe("a model that a provider knows by data alone", () => {
  for (const { body, made, parameters, provider, upstream } of CASES) {
    it(`is made by ${provider.name}: ${upstream.model}, ${made.join(", ")}`, async () => {
      const channel = open(provider, { models: [ID], upstreams: { [ID]: upstream } })
      assert.deepEqual(channel.models, [ID])
      const ways = { model: ID, parameters: { ...parameters } }
      assert.equal(channel.accepts?.(ways), true)
      const outputs = await carryOut(channel, ID, parameters, upstream.artifacts)
      assert.deepEqual(readBody(provider), body)
      assert.deepEqual(await Promise.all(outputs.map(readType)), made)
      await channel.close?.()
    })
  }

  it("is told to another Safelight under its own name there", () => {
    const model = safelight.toModel?.({ upstream: "acme/there", artifacts: [], media: {} })
    const { json } =
      model?.toRequest(fog, "key", { model: ID, upstream: "acme/there" }) ?? assert.fail()
    assert.deepEqual(json, { model: "acme/there", parameters: fog })
  })

  it("has another id at another address of the provider's, if the data names it", async () => {
    const { url } = stubs.get(ark.name) ?? assert.fail()
    const upstream = { ...images, model: "seedream-4-5-251128", at: {} }
    for (const [at, model] of [
      [{ [new URL(url).host]: "doubao-seedream-4-5-251128" }, "doubao-seedream-4-5-251128"],
      [{ "ark.cn-beijing.volces.com": "doubao-seedream-4-5-251128" }, upstream.model],
    ] as const) {
      const channel = open(ark, { models: [ID], upstreams: { [ID]: { ...upstream, at } } })
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await carryOut(channel, ID, fog)
      const body = { ...fog, model, response_format: "url", watermark: false }
      assert.deepEqual(readBody(ark), body)
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await channel.close?.()
    }
  })

  it("is refused at the start if the provider does not make its kind", () => {
    for (const provider of [ark, blackForestLabs, gemini, openai, xai]) {
      const upstreams = { [ID]: { model: "speech-1", artifacts: ["audio"] } }
      assert.throws(() => open(provider, { models: [ID], upstreams }), {
        code: "invalid-configuration",
        message: `channel ${provider.name} has no model ${ID}`,
      })
    }
  })
})

describe("media of a model that a provider knows by data alone", () => {
  const upstream: ServedUpstream = {
    ...films,
    model: "acme/film-video",
    media: { "elements/image_url": "image", "elements/clips": "video", image_urls: "image" },
  }
  const data = "data:video/mp4;base64,AAAAGGZ0eXBpc29tAAAAAGlzb21pc28y"
  const parameters = {
    ...fog,
    elements: [{ image_url: URL_1, clips: [data, URL_2] }, { name: "x", image_url: DATA }, null],
  }

  it("reach it as the provider takes them, in objects and lists as well", async () => {
    const channel = open(higgsfield, { models: [ID], upstreams: { [ID]: upstream } })
    await carryOut(channel, ID, parameters)
    assert.deepEqual(readBody(higgsfield), {
      ...fog,
      elements: [{ image_url: URL_1, clips: [LINK, URL_2] }, { name: "x", image_url: LINK }, null],
    })
    await channel.close?.()
  })

  it("are uploaded where the provider has a place for them", async () => {
    const channel = open(replicate, { models: [ID], upstreams: { [ID]: upstream } })
    await carryOut(channel, ID, parameters)
    const text = JSON.stringify(readBody(replicate))
    assert.equal(text.includes("data:video"), false)
    assert.ok(text.includes("/files/") && text.includes(DATA), text)
    await channel.close?.()
  })

  it("are not taken where a link is needed and there is none", async () => {
    const channel = open(ark, { canLink: false, models: [ID], upstreams: { [ID]: upstream } })
    assert.deepEqual(channel.accepts?.({ model: ID, parameters }), {
      kind: "ineligible",
      reason: "media are taken by URL alone",
      param: "elements",
    })
    assert.equal(channel.accepts?.({ model: ID, parameters: fog }), true)
    await channel.close?.()
  })
})

describe("a model of the declaration", () => {
  it("keeps its exact translation under another id of the provider's", async () => {
    const { id } = referenceToVideo
    const channel = open(ark, { models: [id], upstreams: { [id]: { model: "ep-20260101-abc" } } })
    await carryOut(channel, id, { ...FILM, image_urls: [URL_1] })
    assert.deepEqual(readBody(ark), {
      model: "ep-20260101-abc",
      content: [
        { type: "text", text: "waves" },
        { type: "image_url", image_url: { url: URL_1 }, role: "first_frame" },
      ],
      resolution: "720p",
      duration: 4,
    })
    await channel.close?.()
  })

  for (const provider of Object.values(PROVIDERS)) {
    it(`is asked for under another id at ${provider.name}`, () => {
      for (const [id, parameters] of [
        [textToImage.id, PICTURE],
        [imageEdit.id, { ...EDIT, aspect_ratio: "1:1" }],
        [referenceToVideo.id, { ...FILM, image_urls: [URL_1] }],
      ] as const) {
        const model = provider.models[id]
        if (model === undefined) continue
        const ask = (upstream: string): string => {
          const request = model.toRequest({ ...parameters }, "key", { model: id, upstream })
          const form = request.form === undefined ? [] : [...request.form.entries()]
          return JSON.stringify([request.path, request.json, form])
        }
        const [own, other] = [ask(model.upstream ?? id), ask("acme-there")]
        assert.ok(other.includes("acme-there"), `${id}: ${other}`)
        assert.equal(own.includes("acme-there"), false)
      }
    })
  }

  it("has the ids of the host that it is asked at", async () => {
    const asked: string[] = []
    const provider: Provider = {
      ...ark,
      models: {
        [textToImage.id]: {
          upstream: "seedream-5-0-pro-260628",
          toRequest(_parameters, _key, { upstream }) {
            asked.push(upstream)
            return { method: "POST", path: "/" }
          },
        },
      },
    }
    for (const baseUrl of [undefined, "https://ark.cn-beijing.volces.com"]) {
      const channel = createHttpChannel({ provider, key: "key", ...(baseUrl && { baseUrl }) })
      const request = { ...toRequest(textToImage.id, PICTURE), signal: AbortSignal.abort() }
      // oxlint-disable-next-line no-await-in-loop
      await channel.submit(request)
      // oxlint-disable-next-line no-await-in-loop
      await channel.close?.()
    }
    assert.deepEqual(asked, ["seedream-5-0-pro-260628", "doubao-seedream-5-0-pro-260628"])
  })

  const film = { ...FILM, resolution: "1080p" }
  const verdict = (provider: Provider, upstream: ServedUpstream, parameters: object) => {
    const { id } = referenceToVideo
    const channel = open(provider, { upstreams: { [id]: upstream } })
    return channel.accepts?.({ model: id, parameters: { ...parameters } })
  }

  it("may be asked for what the data says, and for no more", () => {
    const widened = { resolution: { enum: ["480p", "720p", "1080p"] } }
    const narrowed = { duration: { maximum: 3 } }
    const model = "dreamina-seedance-2-5-260628"
    assert.equal(verdict(ark, { model, accepts: widened }, film), true)
    const refused = { kind: "ineligible", param: "resolution" }
    const reason = "resolution 1080p is not offered"
    assert.deepEqual(verdict(ark, { model }, film), { ...refused, reason })
    assert.deepEqual(verdict(ark, { model, accepts: narrowed }, FILM), {
      kind: "ineligible",
      param: "duration",
      reason: "at most 3 can be asked for",
    })
    // An obstacle of another parameter stays, whichever comes first.
    const high = { ...film, bitrate_mode: "high" }
    const rate = {
      kind: "ineligible",
      param: "bitrate_mode",
      reason: "the bit rate can't be chosen",
    }
    assert.deepEqual(verdict(ark, { model, accepts: widened }, high), rate)
    const both = { bitrate_mode: { enum: ["standard", "high"] }, ...widened }
    assert.equal(verdict(ark, { model, accepts: both }, high), true)
  })

  it("is translated by the general rule once the data names its parameters", async () => {
    const { id } = textToImage
    const upstream = { model: "acme/own", artifacts: ["image"], rename: { size: "image_size" } }
    const channel = open(fal, { models: [id], upstreams: { [id]: upstream } })
    await carryOut(channel, id, { prompt: "fog", size: "square", sync_mode: false })
    assert.deepEqual(readBody(fal), { prompt: "fog", image_size: "square", sync_mode: false })
    await channel.close?.()
  })
})

describe("whether a provider has a model", () => {
  for (const [provider, owner] of [
    [fal, "acme/"],
    [replicate, "acme/"],
    [gemini, ""],
  ] as const) {
    it(`is asked of ${provider.name} by its check, which buys nothing`, async () => {
      const check = (model: string) => {
        const channel = open(provider, { models: [ID], upstreams: { [ID]: { model } } })
        return channel.check?.()
      }
      assert.equal((await check(`${owner}own`))?.kind, "ready")
      assert.deepEqual(await check(`${owner}no-such-model`), {
        kind: "unavailable",
        reason: `${provider.name} has no model ${owner}no-such-model`,
      })
    })
  }
})
