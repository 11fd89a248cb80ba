/** The stubs, asked by the AI SDK's providers: what they send is what a provider takes. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createBlackForestLabs } from "@ai-sdk/black-forest-labs"
import { createFal } from "@ai-sdk/fal"
import { createGoogle } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createReplicate } from "@ai-sdk/replicate"
import { createXai } from "@ai-sdk/xai"
import { experimental_generateVideo, generateImage } from "ai"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { asProvider } from "./support/as-provider.ts"

type ImageCall = Parameters<typeof generateImage>[0]
type VideoCall = Parameters<typeof experimental_generateVideo>[0]
/** Each of the packages brings types of its own for what a model is. */
type Image = Omit<ImageCall, "model"> & { readonly model: object }
type Video = Omit<VideoCall, "model"> & { readonly model: object }

interface Client {
  /** The first is the one whose paths need no host. */
  readonly hosts: readonly string[]
  readonly image: (options: { readonly apiKey: string; readonly fetch: typeof fetch }) => Image
  readonly video?: (options: { readonly apiKey: string; readonly fetch: typeof fetch }) => Video
}

const prompt = "a fox"

const CLIENTS: Readonly<Record<string, Client>> = {
  "black-forest-labs": {
    hosts: ["api.bfl.ai", "api.us2.bfl.ai", "delivery.bfl.ai"],
    image: (options) => ({
      model: createBlackForestLabs(options).image("flux-2-pro"),
      prompt,
      aspectRatio: "16:9",
      seed: 1,
      providerOptions: { blackForestLabs: { pollIntervalMillis: 1 } },
    }),
  },
  fal: {
    hosts: ["queue.fal.run", "fal.run", "v3b.fal.media"],
    image: (options) => ({
      model: createFal(options).image("fal-ai/flux/dev"),
      prompt,
      size: "512x512",
      seed: 1,
    }),
    video: (options) => ({
      model: createFal(options).video("kling-video"),
      prompt,
    }),
  },
  gemini: {
    hosts: ["generativelanguage.googleapis.com", "signed.googleapis.stub"],
    image: (options) => ({
      model: createGoogle(options).image("gemini-3-pro-image"),
      prompt,
      aspectRatio: "16:9",
    }),
    video: (options) => ({
      model: createGoogle(options).video("veo-3.1-generate-preview"),
      prompt,
      aspectRatio: "16:9",
      duration: 4,
      seed: 1,
    }),
  },
  openai: {
    hosts: ["api.openai.com"],
    image: (options) => ({
      model: createOpenAI(options).image("gpt-image-2"),
      prompt,
      size: "1024x1024",
      n: 2,
    }),
  },
  replicate: {
    hosts: ["api.replicate.com", "replicate.delivery"],
    image: ({ apiKey, fetch: own }) => ({
      model: createReplicate({ apiToken: apiKey, fetch: own }).image(
        "black-forest-labs/flux-schnell",
      ),
      prompt,
      aspectRatio: "1:1",
      seed: 1,
    }),
    video: ({ apiKey, fetch: own }) => ({
      model: createReplicate({ apiToken: apiKey, fetch: own }).video("bytedance/seedance-2.0"),
      prompt,
      duration: 5,
      aspectRatio: "16:9",
    }),
  },
  xai: {
    hosts: ["api.x.ai", "imgen.x.ai"],
    image: (options) => ({
      model: createXai(options).image("grok-imagine-image-2.0"),
      prompt,
      aspectRatio: "16:9",
      n: 2,
      providerOptions: { xai: { resolution: "1k", quality: "low" } },
    }),
    video: (options) => ({
      model: createXai(options).video("grok-imagine-video-1.5"),
      prompt,
      duration: 6,
      aspectRatio: "16:9",
      generateAudio: false,
      providerOptions: { xai: { resolution: "480p" } },
    }),
  },
}

function connect(stub: RunningStub, { hosts }: Client) {
  return { apiKey: "test", fetch: asProvider(stub, hosts) }
}

for (const [name, client] of Object.entries(CLIENTS)) {
  describe(`the AI SDK's provider and the stub of ${name}`, () => {
    it("makes a picture", async () => {
      await using stub = await STUBS[name]!({ runMs: 1 })
      const asked = client.image(connect(stub, client))
      const { images, warnings } = await generateImage({ ...(asked as ImageCall), maxRetries: 0 })
      assert.equal(images.length, asked.n ?? 1)
      assert.deepEqual(
        images.map(({ mediaType }) => mediaType.split("/")[0]),
        images.map(() => "image"),
      )
      assert.deepEqual(warnings, [])
      assert.ok(stub.purchases.length > 0)
    })

    if (client.video === undefined) return
    const toVideo = client.video
    it("makes a film", async () => {
      await using stub = await STUBS[name]!({ runMs: 1 })
      const { fetch: own, ...rest } = connect(stub, client)
      const asked = toVideo({ fetch: own, ...rest })
      const { video } = await experimental_generateVideo({
        ...(asked as VideoCall),
        maxRetries: 0,
        poll: { intervalMs: 1 },
        download: async ({ url, abortSignal }) => {
          const response = await own(url, abortSignal === undefined ? {} : { signal: abortSignal })
          const mediaType = response.headers.get("content-type") ?? undefined
          return { data: new Uint8Array(await response.arrayBuffer()), mediaType }
        },
      })
      assert.equal(Buffer.from(video.uint8Array).subarray(4, 8).toString(), "ftyp")
      assert.equal(stub.purchases.length, 1)
    })
  })
}
