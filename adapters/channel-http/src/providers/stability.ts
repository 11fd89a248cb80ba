/**
 * Stability AI's API for images and sound.
 *
 * - A purchase has no handle.
 * - Text to image has `square_hd` alone: other ratios have other pixels than ours.
 * - Any other model is named as `core`, `ultra`, `sd3.5-large` and the like, or by its path below `/v2beta`, as
 *   `stable-image/edit/inpaint` or `audio/stable-audio-2/text-to-audio`. Its parameters are the fields of a form;
 *   `image`, `mask`, `init_image`, `style_image` and `audio` are sent as files.
 * - `CONTENT_FILTERED` is `content_policy_violation`, which may be billed; a `403` named `content_moderation` is
 *   not.
 * - Too many requests are refused for a minute.
 *
 * Charges are not reported: set `costs` to the credits' price.
 *
 * Assumed: a `400`, `413` or `422` in its form created nothing.
 */
// An image or a sound is the answer to the purchase itself: bytes, without a handle. `CONTENT_FILTERED` is a blurred
// image, which is not kept.
import {
  parseDataUrl,
  textToImage,
  type ParameterValues,
  type Refused,
  type TextToImageParameters,
} from "@safelight/core"
import { toContentOutput } from "../declaration/content-output.ts"
import { acceptsUnless, findSquareObstacles } from "../declaration/eligibility.ts"
import { defineProvider, type CreateOutcome } from "../declaration/provider.ts"
import type { GeneralModel, InputRule, ProviderModel } from "../declaration/provider-model.ts"
import type { ProviderRequest, Reply } from "../declaration/provider-request.ts"
import { readTurnedAway, textAt, toRefused, toRejected } from "../declaration/read-reply.ts"

const PICTURE_MODEL = "sd3.5-large-turbo"

/** Services of their own; any other name is a model of Stable Diffusion. */
const SERVICES: ReadonlySet<string> = new Set(["core", "ultra"])

const INLINE: InputRule = { by: "inline" }

/** A caller who asks too often is turned away for so long. */
const TURNED_AWAY_MS = 60_000

const picture: ProviderModel<TextToImageParameters> = {
  upstream: PICTURE_MODEL,
  accepts: (parameters) => acceptsUnless(findSquareObstacles(parameters)),
  toRequest: ({ prompt }, _key, { upstream }) =>
    toRequest(upstream, { prompt, aspect_ratio: "1:1", output_format: "png" }),
}

/** Named by its provider's own name. */
function toModel({ artifacts: [kind = "image"] }: GeneralModel): ProviderModel | undefined {
  if (kind !== "image" && kind !== "audio") return undefined
  return {
    inputs: { image: INLINE, mask: INLINE, init_image: INLINE, style_image: INLINE, audio: INLINE },
    toRequest: (parameters, _key, { upstream }) => toRequest(upstream, parameters, kind),
  }
}

function toRequest(
  model: string,
  parameters: ParameterValues,
  kind: "image" | "audio" = "image",
): ProviderRequest {
  const form = new FormData()
  const isDiffusion = !model.includes("/") && !SERVICES.has(model)
  if (isDiffusion) form.set("model", model)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) form.set(name, toField(value))
  }
  const service = isDiffusion ? "sd3" : model
  const path = service.includes("/") ? service : `stable-image/generate/${service}`
  return { method: "POST", path: `/v2beta/${path}`, headers: { accept: `${kind}/*` }, form }
}

/** A data URL is sent as a file. */
function toField(value: unknown): string | File {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  const { mimeType, start } = parseDataUrl(text) ?? {}
  if (mimeType === undefined) return text
  return new File([Buffer.from(text.slice(start), "base64")], "input", { type: mimeType })
}

/** The image or the sound, or what an image was blurred for. */
function readOutput({ content, headers }: Reply): CreateOutcome | undefined {
  const output = toContentOutput(content)
  if (output === undefined || !/^(?:image|audio)\//.test(output.mimeType)) return undefined
  if (headers["finish-reason"] !== "CONTENT_FILTERED") {
    return { kind: "completed", outputs: [output] }
  }
  // It was made; whether a blurred one is billed is not documented.
  return { kind: "refused", code: "content_policy_violation", billed: "maybe" }
}

function readRefusal({ json }: Reply): Refused | undefined {
  const words = textAt(json, "errors", 0)
  return words === undefined ? undefined : toRejected(false, words)
}

export const stability = defineProvider({
  name: "stability",
  title: "Stability AI",
  baseUrl: "https://api.stability.ai",
  keyVariable: "STABILITY_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  // Its outputs come as bytes.
  outputHosts: ["api.stability.ai"],
  submission: { kind: "unkeyed" },
  concurrency: 8,
  // 150 in ten seconds.
  requestsPerMinute: 900,
  // A picture is made while the call lasts.
  submitTimeoutMs: 180_000,
  models: { [textToImage.id]: picture },
  toModel,
  mediaInputs: { image: INLINE, audio: INLINE },
  readCreate(reply) {
    const { json, retryAfterMs = TURNED_AWAY_MS, status } = reply
    if (status === 200) return readOutput(reply)
    if (status === 403 && textAt(json, "name") === "content_moderation") {
      return toRefused("content_policy_violation", textAt(json, "errors", 0))
    }
    if (status === 400 || status === 413 || status === 422) return readRefusal(reply)
    return readTurnedAway(status === 429 ? { ...reply, retryAfterMs } : reply)
  },
  check: {
    request: { method: "GET", path: "/v1/user/balance" },
    readKey({ status }) {
      if (status === 200) return true
      return status === 401 || status === 403 ? false : undefined
    },
  },
  // Never called: no purchase is merely accepted.
  poll: () => Promise.resolve(undefined),
})
