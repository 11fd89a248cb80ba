/**
 * OpenAI's image API, and servers that have the same.
 *
 * - A purchase may take ten minutes and has no handle.
 * - Text to image asks for `quality: "low"`.
 * - The edit has exactly the asked aspect ratio, with sides that are multiples of 16 and an area near 1024², and
 *   twice both sides at `2k`.
 * - Any other model of images gets the parameters as its body; images of a request make it an edit.
 *
 * A server of your own (vLLM-Omni, SGLang, LocalAI, stable-diffusion.cpp, LiteLLM) is this channel at its
 * `baseUrl`, without `/v1`, with its own model's name. If it needs no key, name a variable that isn't empty all
 * the same:
 *
 * ```json
 * {
 *   "type": "openai",
 *   "name": "local",
 *   "baseUrl": "http://127.0.0.1:8000",
 *   "keyVariable": "LOCAL_KEY",
 *   "models": { "vendor-a/v4.1/flash/text-to-image": "Qwen/Qwen-Image" }
 * }
 * ```
 *
 * Charges in `tokens`.
 *
 * Assumed: a 400 is never billed, edits take JSON, and an image of fewer than 655,360 pixels is refused.
 */
// The quality is low since the public model is a fast one.
import {
  PICTURE_SIZES,
  type PictureSize,
  imageEdit,
  textToImage,
  type ChannelOutput,
  type ImageEditParameters,
  type Json,
  type Refused,
  type TextToImageParameters,
} from "@safelight/core"
import { toEditPixels } from "../declaration/edit-pixels.ts"
import { acceptsUnless, findPictureObstacles } from "../declaration/eligibility.ts"
import { toInlineOutput } from "../declaration/inline-output.ts"
import { defineProvider } from "../declaration/provider.ts"
import { takeMedia } from "../declaration/media-members.ts"
import type { GeneralModel, ProviderModel } from "../declaration/provider-model.ts"
import type { Body, Reply } from "../declaration/provider-request.ts"
import {
  at,
  listAt,
  numberAt,
  readTurnedAway,
  textAt,
  toCost,
  toRejected,
} from "../declaration/read-reply.ts"

const MODEL = "gpt-image-2"

/** The least that a picture may have. */
const LEAST_PIXELS = 655_360

const CONTENT: ReadonlySet<string> = new Set(["moderation_blocked", "content_policy_violation"])

const picture: ProviderModel<TextToImageParameters> = {
  upstream: MODEL,
  accepts(parameters) {
    const { width, height } = PICTURE_SIZES[parameters.size]
    const isSmall = width * height < LEAST_PIXELS
    const size = isSmall && `${width} × ${height} is smaller than any picture made here`
    return acceptsUnless({ size, ...findPictureObstacles(parameters) })
  },
  toRequest: ({ prompt, size }, _key, { upstream }) => ({
    method: "POST",
    path: "/v1/images/generations",
    // The public model is a fast one at a fast one's price.
    json: { model: upstream, prompt, quality: "low", size: toSize(PICTURE_SIZES[size]) },
  }),
}

const edit: ProviderModel<ImageEditParameters> = {
  upstream: MODEL,
  accepts({ aspect_ratio: shape, prompt, resolution }) {
    const isUnsized = shape === "auto" && resolution === "2k"
    return acceptsUnless({
      prompt: prompt === "" && "a prompt is needed",
      aspect_ratio: isUnsized && "2k needs an aspect ratio",
    })
  },
  toRequest(asked, _key, { upstream }) {
    const { count, image_urls: images, output_format, prompt, quality } = asked
    const json = {
      model: upstream,
      prompt,
      images: images.map((url) => ({ image_url: url })),
      n: count,
      size: toSize(toEditPixels(asked)),
      quality,
      output_format,
    }
    return { method: "POST", path: "/v1/images/edits", json }
  },
}

/** It makes images alone. Images of a request make it an edit; one called `mask` is the mask. */
function toModel({ artifacts: [kind = "image"], media }: GeneralModel): ProviderModel | undefined {
  if (kind !== "image") return undefined
  return {
    toRequest(parameters, _key, { upstream }) {
      const { found, others } = takeMedia(parameters, media)
      const mask = found.find(({ param }) => param === "mask")
      const images = found.filter(({ param }) => param !== "mask")
      const edited = {
        ...(images.length > 0 && { images: images.map(({ url }) => ({ image_url: url })) }),
        ...(mask && { mask: { image_url: mask.url } }),
      }
      return {
        method: "POST",
        path: `/v1/images/${found.length > 0 ? "edits" : "generations"}`,
        json: { ...(others as Body), model: upstream, ...edited },
      }
    },
  }
}

function toSize(pixels: PictureSize | undefined): string {
  return pixels === undefined ? "auto" : `${pixels.width}x${pixels.height}`
}

/** OpenAI itself answers in base64; some servers of its shape hand out URLs of their own. */
function toOutput(item: Json): ChannelOutput | undefined {
  const url = textAt(item, "url")
  return url === undefined ? toInlineOutput(at(item, "b64_json")) : { url }
}

function readRefusal({ json }: Reply): Refused | undefined {
  const words = textAt(json, "error", "message")
  if (words === undefined) return undefined
  return toRejected(CONTENT.has(textAt(json, "error", "code") ?? ""), words)
}

export const openai = defineProvider({
  name: "openai",
  title: "OpenAI images, and servers with the same API",
  baseUrl: "https://api.openai.com",
  keyVariable: "OPENAI_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["api.openai.com"],
  answersHoldMedia: true,
  submission: { kind: "unkeyed" },
  concurrency: 4,
  // Its own client waits for so long.
  submitTimeoutMs: 600_000,
  models: { [textToImage.id]: picture, [imageEdit.id]: edit },
  toModel,
  async hasModel(upstream, send) {
    const { json, status } = await send({ method: "GET", path: "/v1/models" })
    const known = listAt(json, "data").map((model) => textAt(model, "id"))
    if (status !== 200 || known.length === 0) return undefined
    return known.includes(upstream)
  },
  readCreate(reply) {
    const { headers, json, status } = reply
    if (status === 200 && Array.isArray(at(json, "data"))) {
      const outputs = listAt(json, "data").flatMap((item) => toOutput(item) ?? [])
      return { kind: "completed", outputs }
    }
    if (status === 400) return readRefusal(reply)
    const waitMs = Number(headers["retry-after-ms"] ?? Number.NaN)
    return readTurnedAway(waitMs >= 0 ? { ...reply, retryAfterMs: waitMs } : reply)
  },
  // Waiting does not help: the account has to pay.
  outOfMoney: /^(?:billing_hard_limit_reached|insufficient_quota)$/,
  readCost(reply) {
    const input = numberAt(reply?.json, "usage", "input_tokens")
    const output = numberAt(reply?.json, "usage", "output_tokens")
    return input !== undefined && output !== undefined
      ? toCost(input + output, "tokens")
      : undefined
  },
  // Never called: no purchase is merely accepted.
  poll: () => Promise.resolve(undefined),
})
