/**
 * Every stub refuses what its provider's published schema refuses: a member that is not there, a value outside of
 * its list, and a member that is missing. A request that our channels should never send fails a test so.
 */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { describe, it } from "node:test"
import { STUBS } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"
import { toForm } from "./support/to-form.ts"

type Fields = Readonly<Record<string, unknown>>
type FormFields = Parameters<typeof toForm>[0]

interface Published {
  readonly stub: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** A body that is taken, with these members changed. */
  readonly toBody: (change: Fields) => unknown
  /** A member that can't be left out; absent if there is none. */
  readonly required?: string
  /** A value outside of its list, or of its range. */
  readonly outside: Fields
}

const bearer = { authorization: "Bearer test" }
const prompt = "a fox"
const URL_ONE = "https://media.example/1.png"

function bodyWith(fields: Fields): Published["toBody"] {
  return (change) => ({ ...fields, ...change })
}

const PUBLISHED: readonly Published[] = [
  {
    stub: "ark",
    path: "/api/v3/contents/generations/tasks",
    headers: bearer,
    toBody: bodyWith({
      model: "dreamina-seedance-2-5-260628",
      content: [{ type: "text", text: prompt }],
    }),
    required: "content",
    outside: { resolution: "1080p" },
  },
  {
    stub: "ark",
    path: "/api/v3/images/generations",
    headers: bearer,
    toBody: bodyWith({ model: "seedream-5-0-pro-260628", prompt }),
    required: "prompt",
    outside: { output_format: "webp" },
  },
  {
    stub: "black-forest-labs",
    path: "/v1/flux-2-pro",
    headers: { "x-key": "test" },
    toBody: bodyWith({ prompt, width: 512, height: 512 }),
    required: "prompt",
    outside: { width: 500 },
  },
  {
    stub: "comfy-router",
    path: "/v2/models/recraft/recraftv4_1/requests",
    headers: { "x-api-key": "test" },
    toBody: bodyWith({ prompt, n: 1, size: "1024x1024" }),
    required: "prompt",
    outside: { controls: { colors: [{ rgb: [256, 0, 0] }] } },
  },
  {
    stub: "fal",
    path: "/recraft/v4.1/flash/text-to-image",
    headers: { authorization: "Key test" },
    toBody: bodyWith({ prompt }),
    required: "prompt",
    outside: { image_size: "panorama" },
  },
  {
    stub: "fal",
    path: "/bytedance/seedance-2.5/reference-to-video",
    headers: { authorization: "Key test" },
    toBody: bodyWith({ prompt }),
    outside: { duration: 31 },
  },
  {
    stub: "gemini",
    path: "/v1beta/models/gemini-3-pro-image:generateContent",
    headers: { "x-goog-api-key": "test" },
    toBody: bodyWith({ contents: [{ parts: [{ text: prompt }] }] }),
    required: "contents",
    outside: { generationConfig: { imageConfig: { outputMimeType: "image/png" } } },
  },
  {
    stub: "gemini",
    path: "/v1beta/models/veo-3.1-generate-preview:predictLongRunning",
    headers: { "x-goog-api-key": "test" },
    toBody: bodyWith({ instances: [{ prompt }] }),
    required: "instances",
    outside: { parameters: { generateAudio: false } },
  },
  {
    stub: "higgsfield",
    path: "/bytedance/seedance-2.5/reference-to-video",
    headers: { authorization: "Key id:secret" },
    toBody: bodyWith({ prompt, image_urls: [URL_ONE] }),
    required: "prompt",
    outside: { resolution: "1080p" },
  },
  {
    stub: "kling",
    path: "/text-to-video/kling-3.0",
    headers: bearer,
    toBody: bodyWith({ prompt, settings: { duration: 15 } }),
    required: "prompt",
    outside: { settings: { duration: 16 } },
  },
  {
    stub: "kling",
    path: "/image-to-video/kling-3.0",
    headers: bearer,
    toBody: bodyWith({
      contents: [
        { type: "prompt", text: prompt },
        { type: "first_frame", url: URL_ONE },
      ],
    }),
    required: "contents",
    outside: { settings: { aspect_ratio: "1:1" } },
  },
  {
    stub: "kling",
    path: "/v1/videos/text2video",
    headers: bearer,
    toBody: bodyWith({ model_name: "kling-v2-6", prompt, duration: "5" }),
    required: "prompt",
    outside: { duration: 5 },
  },
  {
    stub: "openai",
    path: "/v1/images/generations",
    headers: bearer,
    toBody: bodyWith({ model: "gpt-image-2", prompt }),
    required: "prompt",
    outside: { quality: "hd" },
  },
  {
    stub: "openai",
    path: "/v1/images/edits",
    headers: bearer,
    toBody: bodyWith({ prompt, images: [{ image_url: URL_ONE }] }),
    required: "images",
    outside: { n: 11 },
  },
  {
    stub: "replicate",
    path: "/v1/models/bytedance/seedance-2.0/predictions",
    headers: bearer,
    toBody: (change) => ({ input: { prompt, ...change } }),
    required: "prompt",
    outside: { last_frame_image: URL_ONE },
  },
  {
    stub: "runware",
    path: "/v1",
    headers: bearer,
    toBody: (change) => [
      {
        taskType: "imageInference",
        taskUUID: randomUUID(),
        model: "runware:100@1",
        positivePrompt: prompt,
        deliveryMethod: "async",
        ...change,
      },
    ],
    required: "model",
    outside: { width: 1_000 },
  },
  {
    stub: "stability",
    path: "/v2beta/stable-image/generate/core",
    headers: bearer,
    toBody: (change) => toForm({ prompt, ...(change as FormFields) }),
    required: "prompt",
    outside: { aspect_ratio: "4:3" },
  },
  {
    stub: "stability",
    path: "/v2beta/stable-image/generate/sd3",
    headers: bearer,
    toBody: (change) =>
      toForm({ prompt, model: "sd3.5-large", seed: 7, ...(change as FormFields) }),
    required: "prompt",
    outside: { cfg_scale: 11 },
  },
  {
    stub: "xai",
    path: "/v1/images/edits",
    headers: bearer,
    toBody: bodyWith({ model: "grok-imagine-image-2.0", prompt, image: { url: URL_ONE } }),
    required: "image",
    outside: { images: [{ url: URL_ONE, type: "image_url" }] },
  },
  {
    stub: "xai",
    path: "/v1/videos/generations",
    headers: bearer,
    toBody: bodyWith({ model: "grok-imagine-video-1.5", prompt }),
    required: "model",
    outside: { aspect_ratio: "21:9" },
  },
]

for (const { headers, outside, path, required, stub: name, toBody } of PUBLISHED) {
  describe(`the stub of ${name} at ${path}`, () => {
    const cases: readonly (readonly [what: string, change: Fields])[] = [
      ["a member that is not there", { nonsense: 1 }],
      ...(required === undefined
        ? []
        : [[`a body without ${required}`, { [required]: undefined }] as const]),
      [`what is outside of its list: ${JSON.stringify(outside)}`, outside],
    ]
    it("takes what is published", async () => {
      await using stub = await STUBS[name]!({ runMs: 0 })
      const { status, text } = await callJson(`${stub.url}${path}`, { headers, body: toBody({}) })
      assert.ok(status < 300, text)
      assert.equal(stub.purchases.length, 1)
    })
    for (const [what, change] of cases) {
      it(`refuses ${what}`, async () => {
        await using stub = await STUBS[name]!({ runMs: 0 })
        const answer = await callJson(`${stub.url}${path}`, { headers, body: toBody(change) })
        assert.ok([400, 422].includes(answer.status), `${answer.status} ${answer.text}`)
        assert.equal(stub.purchases.length, 0)
      })
    }
  })
}

describe("the stub of ComfyUI, for a class that it reports", () => {
  const save = { class_type: "SaveImage", inputs: { images: ["2", 0], filename_prefix: "fox" } }
  const latent = { width: 512, height: 512, batch_size: 1 }
  const cases: readonly (readonly [what: string, inputs: Fields, type: string])[] = [
    ["a missing input", { width: 512, height: 512 }, "required_input_missing"],
    ["a number below its least", { ...latent, width: 8 }, "value_smaller_than_min"],
    ["a number above its most", { ...latent, batch_size: 5_000 }, "value_bigger_than_max"],
    ["a text for a number", { ...latent, width: "wide" }, "invalid_input_type"],
  ]
  for (const [what, inputs, type] of cases) {
    it(`refuses ${what}`, async () => {
      await using stub = await STUBS["comfyui"]!({ runMs: 0 })
      const graph = { "1": save, "2": { class_type: "EmptyLatentImage", inputs } }
      const { body, status } = await callJson(`${stub.url}/prompt`, { body: { prompt: graph } })
      assert.deepEqual([status, body.node_errors["2"].errors[0].type], [400, type])
      assert.equal(stub.purchases.length, 0)
    })
  }
})
