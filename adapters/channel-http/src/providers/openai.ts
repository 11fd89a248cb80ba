/**
 * OpenAI's images, and every server with the same API by its `baseUrl`. The answer to the purchase holds the
 * picture itself and no handle: a picture whose answer is lost can't be asked for again.
 */
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
import { acceptsUnless, findPictureObstacles } from "../eligibility.ts"
import { toInlineOutput } from "../inline-output.ts"
import { toEditPixels } from "../edit-pixels.ts"
import { defineProvider, type ProviderModel, type Reply } from "../provider.ts"
import { at, listAt, readTurnedAway, textAt, toRefused, toToldCost } from "../read-reply.ts"

const MODEL = "gpt-image-2"

/** The least that a picture may have. */
const LEAST_PIXELS = 655_360

const CONTENT: ReadonlySet<string> = new Set(["moderation_blocked", "content_policy_violation"])

const picture: ProviderModel = {
  accepts(parameters) {
    const { width, height } = PICTURE_SIZES[(parameters as TextToImageParameters).size]
    const isSmall = width * height < LEAST_PIXELS
    const size = isSmall && `${width} × ${height} is smaller than any picture made here`
    return acceptsUnless({ size, ...findPictureObstacles(parameters) })
  },
  toRequest(parameters) {
    const { prompt, size } = parameters as TextToImageParameters
    // The model that is asked for is a fast one at a fast one's price.
    const json = { model: MODEL, prompt, quality: "low", size: toSize(PICTURE_SIZES[size]) }
    return { method: "POST", path: "/v1/images/generations", json }
  },
}

const edit: ProviderModel = {
  accepts(parameters) {
    const { aspect_ratio: shape, prompt, resolution } = parameters as ImageEditParameters
    const isUnsized = shape === "auto" && resolution === "2k"
    return acceptsUnless({
      prompt: prompt === "" && "a prompt is needed",
      aspect_ratio: isUnsized && "2k needs an aspect ratio",
    })
  },
  toRequest(parameters) {
    const asked = parameters as ImageEditParameters
    const { count, image_urls: images, output_format, prompt, quality } = asked
    const json = {
      model: MODEL,
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
  const isContent = CONTENT.has(textAt(json, "error", "code") ?? "")
  return toRefused(isContent ? "content_policy_violation" : "provider_rejected", words)
}

export const openai = defineProvider({
  name: "openai",
  baseUrl: "https://api.openai.com",
  keyVariable: "OPENAI_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["api.openai.com"],
  answersHoldMedia: true,
  submission: { kind: "unkeyed" },
  concurrency: 4,
  // As long as its own client waits.
  submitTimeoutMs: 600_000,
  models: { [textToImage.id]: picture, [imageEdit.id]: edit },
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
  // Waiting does not help: somebody has to pay.
  outOfMoney: /^(?:billing_hard_limit_reached|insufficient_quota)$/,
  readCost(reply) {
    const [input, output] = ["input_tokens", "output_tokens"].map((each) =>
      at(reply?.json, "usage", each),
    )
    if (typeof input !== "number" || typeof output !== "number") return undefined
    return toToldCost(input + output, "tokens")
  },
  // Never called: no purchase ends as `accepted`.
  poll: () => Promise.resolve(undefined),
})
