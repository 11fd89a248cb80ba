/**
 * The Gemini API, not Vertex. The edit is not served: the API takes no `output_format`.
 *
 * - Images of a video are fetched first, at most 20 MiB each, and sent in base64. One is the first frame, two are
 *   the first and the last, three are references.
 * - A video takes 4, 6 or 8 seconds; 1080p and three images need 8. It is kept for two days.
 * - Any other model is one of images or a Veo by what it makes. `aspectRatio` and `imageSize` of an image belong
 *   to its `imageConfig`, further parameters to the `generationConfig`, those of a video to its `parameters`;
 *   `image`, `lastFrame` and `video` are the instance's own.
 * - Text in place of an image is `no_output`. After an operation's errors 4, 8, 10, 13 and 14, which are not
 *   billed, another attempt follows.
 * - A wrong key and a region that is not served are a 400 too.
 *
 * Charges in `tokens`.
 *
 * Assumed: `1:1` at `1K` has 1024 × 1024 pixels, the form of Veo's images, and videos are at `*.googleapis.com`.
 */
// An image comes in the answer to the purchase, without a handle; a video of Veo is polled and fetched with the key.
// Refusals come with a 200; an operation's error of code 3 is a refusal of content if its message speaks of policy
// or safety. No request may name sound.
import {
  parseDataUrl,
  referenceToVideo,
  textToImage,
  type Json,
  type ParameterValues,
  type PollOutcome,
  type ReferenceToVideoParameters,
  type TextToImageParameters,
} from "@safelight/core"
import {
  acceptsUnless,
  countReferences,
  findBitrateObstacle,
  findSquareObstacles,
} from "../declaration/eligibility.ts"
import { toInlineOutput } from "../declaration/inline-output.ts"
import { defineProvider, type CreateOutcome } from "../declaration/provider.ts"
import { takeMedia } from "../declaration/media-members.ts"
import type { GeneralModel, InputRule, ProviderModel } from "../declaration/provider-model.ts"
import {
  isObject,
  type Body,
  type ProviderRequest,
  type Reply,
} from "../declaration/provider-request.ts"
import {
  at,
  listAt,
  readTurnedAway,
  textAt,
  toCost,
  toRefused,
  toRejected,
} from "../declaration/read-reply.ts"

/** The API fetches nothing. */
const INLINE: InputRule = { by: "inline" }

const PICTURE_MODEL = "gemini-3-pro-image"
const FILM_MODEL = "veo-3.1-generate-preview"

/** Reasons for which a picture was withheld because of its content; after any other there is none. */
const WITHHELD =
  /^(SAFETY|RECITATION|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION)$/

const picture: ProviderModel<TextToImageParameters> = {
  upstream: PICTURE_MODEL,
  accepts: (parameters) => acceptsUnless(findSquareObstacles(parameters)),
  toRequest: ({ prompt }, _key, { upstream }) => ({
    method: "POST",
    path: `/v1beta/models/${upstream}:generateContent`,
    json: {
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: {
        responseModalities: ["IMAGE"],
        imageConfig: { aspectRatio: "1:1", imageSize: "1K" },
      },
    },
  }),
}

function readPictures(json: Json | undefined): CreateOutcome | undefined {
  const candidates = listAt(json, "candidates")
  const parts = candidates.flatMap((each) => listAt(each, "content", "parts"))
  // A picture from its thinking is no result.
  const results = parts.filter((part) => at(part, "thought") !== true)
  const outputs = results.flatMap((part) => toInlineOutput(at(part, "inlineData", "data")) ?? [])
  if (outputs.length > 0) return { kind: "completed", outputs }
  const blocked = textAt(json, "promptFeedback", "blockReason")
  const withheld = candidates
    .map((each) => textAt(each, "finishReason") ?? "")
    .find((reason) => WITHHELD.test(reason))
  const words = blocked ?? withheld
  // Tokens were read and generated; the documentation does not say which of them are billed.
  if (words !== undefined) {
    return { ...toRefused("content_policy_violation", words), billed: "maybe" }
  }
  return candidates.length > 0 ? { kind: "completed", outputs } : undefined
}

const POLL_AFTER_MS = 5_000
const OUTPUT_LIVES_MS = 2 * 86_400_000

const DURATIONS_S: ReadonlySet<number> = new Set([4, 6, 8])
const SHAPES: ReadonlySet<string> = new Set(["16:9", "9:16"])

/** The service's own failures. It bills finished films alone, so another attempt may follow. */
const PASSING: ReadonlySet<number> = new Set([4, 8, 10, 13, 14])

const film: ProviderModel<ReferenceToVideoParameters> = {
  upstream: FILM_MODEL,
  accepts(asked) {
    const { aspect_ratio: shape = "16:9", duration = 8, image_urls: images = [] } = asked
    const { films, sounds } = countReferences(asked)
    const isWhole = images.length > 2 || asked.resolution === "1080p"
    return acceptsUnless({
      prompt: !asked.prompt && "a prompt is needed",
      image_urls: images.length > 3 && "at most 3 images are taken",
      video_urls: films > 0 && "films can't be referred to",
      audio_urls: sounds > 0 && "sounds can't be referred to",
      resolution: asked.resolution === "480p" && "resolution 480p is not offered",
      aspect_ratio: !SHAPES.has(shape) && `aspect ratio ${shape} is not offered`,
      duration: findDurationObstacle(duration, isWhole),
      // A film always has sound, and the API refuses every request that names it.
      generate_audio: asked.generate_audio === false && "a film without sound is not offered",
      ...findBitrateObstacle(asked),
    })
  },
  inputs: { image_urls: INLINE },
  toRequest: (
    { aspect_ratio, duration, image_urls = [], prompt = "", resolution },
    _key,
    { upstream },
  ) => ({
    method: "POST",
    path: `/v1beta/models/${upstream}:predictLongRunning`,
    json: {
      instances: [{ prompt, ...toImages(image_urls) }],
      parameters: { aspectRatio: aspect_ratio, durationSeconds: duration, resolution },
    },
  }),
}

/** References and 1080p are for the longest film alone. */
function findDurationObstacle(seconds: number, isWhole: boolean): string | false {
  const isOffered = isWhole ? seconds === 8 : DURATIONS_S.has(seconds)
  return !isOffered && `${seconds} seconds are not offered for it`
}

/** A video of Veo if that is what the model makes; anything else is an image. */
function toModel({ artifacts: [kind = "image"], media }: GeneralModel): ProviderModel | undefined {
  if (kind === "video") {
    return { toRequest: (parameters, _key, { upstream }) => toVeo(upstream, parameters, media) }
  }
  return kind === "image"
    ? { toRequest: (parameters, _key, { upstream }) => toContents(upstream, parameters, media) }
    : undefined
}

/** The prompt and the media are parts of the content; all others are settings. */
function toContents(
  upstream: string,
  parameters: ParameterValues,
  media: GeneralModel["media"],
): ProviderRequest {
  const { found, others } = takeMedia(parameters, media)
  const { aspectRatio, imageConfig, imageSize, prompt, ...settings } = others as Body
  const parts = [
    ...(typeof prompt === "string" ? [{ text: prompt }] : []),
    ...found.map(({ url }) => {
      const { bytesBase64Encoded: data, mimeType } = toImage(url)
      return { inlineData: { mimeType, data } }
    }),
  ]
  const image = { ...(isObject(imageConfig) ? imageConfig : {}), aspectRatio, imageSize }
  const config = { responseModalities: ["IMAGE"], ...settings, imageConfig: image }
  return {
    method: "POST",
    path: `/v1beta/models/${upstream}:generateContent`,
    json: { contents: [{ role: "user", parts }], generationConfig: config },
  }
}

/** What belongs to the instance; media of any other parameter are frames or references by their number. */
const INSTANCE: ReadonlySet<string> = new Set(["image", "lastFrame", "video"])

function toVeo(
  upstream: string,
  asked: ParameterValues,
  media: GeneralModel["media"],
): ProviderRequest {
  const { found, others } = takeMedia(asked, media)
  const { prompt = "", ...parameters } = others as Body
  const own = found.filter(({ param }) => INSTANCE.has(param))
  const named = own.map(({ param, url }) => [param, toImage(url)] as const)
  const rest = found.filter(({ param }) => !INSTANCE.has(param)).map(({ url }) => url)
  return {
    method: "POST",
    path: `/v1beta/models/${upstream}:predictLongRunning`,
    json: {
      instances: [{ prompt, ...toImages(rest), ...Object.fromEntries(named) }],
      parameters,
    },
  }
}

function toImage(url: string): { readonly bytesBase64Encoded: string; readonly mimeType: string } {
  const { mimeType = "", start = url.length } = parseDataUrl(url) ?? {}
  return { bytesBase64Encoded: url.slice(start), mimeType }
}

/** Up to two are the first frame and the last; three are references. */
function toImages(urls: readonly string[]): Body {
  const images = urls.map(toImage)
  if (images.length > 2) {
    return { referenceImages: images.map((image) => ({ image, referenceType: "asset" })) }
  }
  const [image, lastFrame] = images
  return { image, lastFrame }
}

function readOperation({ json, status }: Reply): PollOutcome | undefined {
  if (status !== 200 || textAt(json, "name") === undefined) return undefined
  if (at(json, "done") !== true) return { kind: "running", pollAfterMs: POLL_AFTER_MS }
  const code = at(json, "error", "code")
  if (typeof code === "number") return readFailure(code, textAt(json, "error", "message") ?? "")
  const response = at(json, "response", "generateVideoResponse")
  const urls = listAt(response, "generatedSamples").flatMap(
    (sample) => textAt(sample, "video", "uri") ?? [],
  )
  const [words] = listAt(response, "raiMediaFilteredReasons")
  if (urls.length === 0 && typeof words === "string") {
    return toRefused("content_policy_violation", words)
  }
  // The answer does not say when it was made: this is the latest moment at which it can expire.
  const expiresAt = Date.now() + OUTPUT_LIVES_MS
  return { kind: "completed", outputs: urls.map((url) => ({ url, expiresAt })) }
}

/** A refusal of content has no code of its own: only its message distinguishes it. */
function readFailure(code: number, words: string): PollOutcome {
  if (PASSING.has(code)) return { kind: "not-created", reason: "provider_failed" }
  return toRejected(code === 3 && /safety|polic(?:y|ies)|violat/i.test(words), words)
}

/** A fault of the key or the account says nothing about the request. */
function readInvalid({ json }: Reply): CreateOutcome | undefined {
  const words = textAt(json, "error", "message")
  const reasons = listAt(json, "error", "details").map((each) => textAt(each, "reason"))
  const isOurs = reasons.includes("API_KEY_INVALID")
  const state = textAt(json, "error", "status")
  if (isOurs || state === "FAILED_PRECONDITION") {
    return { kind: "not-created", reason: "provider_answered_400", needsOperator: true }
  }
  if (state !== "INVALID_ARGUMENT" || words === undefined) return undefined
  return toRefused("provider_rejected", words)
}

/** A 429 without the header has the pause in its body: `17s`. */
function toWaitMs({ json, retryAfterMs }: Reply): number | undefined {
  const delays = listAt(json, "error", "details").map((each) => textAt(each, "retryDelay") ?? "")
  const pause = delays.find((delay) => /^\d+(\.\d+)?s$/.test(delay))
  return retryAfterMs ?? (pause === undefined ? undefined : Number.parseFloat(pause) * 1_000)
}

export const gemini = defineProvider({
  name: "gemini",
  title: "Gemini and Veo",
  baseUrl: "https://generativelanguage.googleapis.com",
  keyVariable: "GEMINI_API_KEY",
  authorize: (key) => ({ "x-goog-api-key": key }),
  outputHosts: ["*.googleapis.com"],
  outputsNeedKey: true,
  answersHoldMedia: true,
  submission: { kind: "unkeyed" },
  concurrency: 4,
  // Pictures are made while the call lasts.
  submitTimeoutMs: 300_000,
  models: { [textToImage.id]: picture, [referenceToVideo.id]: film },
  toModel,
  mediaInputs: { image: INLINE, video: INLINE, audio: INLINE },
  async hasModel(upstream, send) {
    const { status } = await send({ method: "GET", path: `/v1beta/models/${upstream}` })
    if (status === 404) return false
    return status === 200 ? true : undefined
  },
  readCreate(reply) {
    const { json, status } = reply
    const name = textAt(json, "name")
    if (status === 200 && name !== undefined) return { kind: "accepted", operation: { name } }
    if (status === 200) return readPictures(json)
    if (status === 400) return readInvalid(reply)
    return readTurnedAway({ ...reply, retryAfterMs: toWaitMs(reply) })
  },
  outOfMoney: /credits are depleted/i,
  readCost: (reply) => toCost(at(reply?.json, "usageMetadata", "totalTokenCount"), "tokens"),
  async poll(operation, send) {
    const path = `/v1beta/${textAt(operation, "name") ?? ""}`
    return readOperation(await send({ method: "GET", path }))
  },
})
