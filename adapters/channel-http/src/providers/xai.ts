/**
 * xAI's API for images and video.
 *
 * - The URLs of images are public for some hours, and the log holds them.
 * - Any other model is one of images or of video by what it makes. Images of an image become `image` or `images`,
 *   and media of a video objects with a `url`; a video in `video` is edited.
 * - No images, or `respect_moderation: false`, is `content_policy_violation`, which may be billed. Of several
 *   images those that are shown are kept.
 * - A video that `failed` ends its task, since it may have been billed.
 *
 * Charges in US dollars.
 *
 * Assumed: a 400 or 422 in xAI's format created nothing, and videos take all of our aspect ratios but `21:9`.
 */
// The URLs of images come in the answer to the purchase and are the operation. Moderation is silent; it is billed if
// a cost is reported, and may be if none is.
import {
  imageEdit,
  referenceToVideo,
  type ImageEditParameters,
  type Json,
  type ParameterValues,
  type PollOutcome,
  type ReferenceToVideoParameters,
  type Refused,
} from "@safelight/core"
import { acceptsUnless, countReferences, findBitrateObstacle } from "../declaration/eligibility.ts"
import { defineProvider, type CreateOutcome } from "../declaration/provider.ts"
import { changeAt, takeMedia } from "../declaration/media-members.ts"
import type { GeneralModel, ProviderModel } from "../declaration/provider-model.ts"
import type { Body, Reply } from "../declaration/provider-request.ts"
import {
  at,
  listAt,
  numberAt,
  progressAt,
  readTurnedAway,
  textAt,
  toCompleted,
  toCost,
  toRefused,
} from "../declaration/read-reply.ts"

/** Only its message distinguishes a 403 for content from one for the key. */
const MODERATED = /usage guidelines|content moderation/i

const TICKS_PER_USD = 10_000_000_000

const PICTURE_MODEL = "grok-imagine-image-2.0"
const FILM_MODEL = "grok-imagine-video-1.5"

const edit: ProviderModel<ImageEditParameters> = {
  upstream: PICTURE_MODEL,
  accepts: ({ image_urls: images, output_format: format }) =>
    acceptsUnless({
      image_urls: images.length > 3 && "at most 3 images are taken",
      output_format: format === "webp" && "webp is not offered",
    }),
  toRequest: ({ count, image_urls: images, sync_mode: _sync, ...same }, _key, { upstream }) => ({
    method: "POST",
    path: "/v1/images/edits",
    json: {
      ...same,
      model: upstream,
      ...toImages(images),
      n: count,
      response_format: "url",
    },
  }),
}

/** Every published client sends one image in the member `image`. */
function toImages(urls: readonly string[]): Body {
  const images = urls.map((url) => ({ url, type: "image_url" }))
  const [image] = images
  return images.length === 1 && image !== undefined ? { image } : { images }
}

const POLL_AFTER_MS = 3_000

/** With images it makes shorter and smaller films. */
const LONGEST_S = 15
const LONGEST_WITH_IMAGES_S = 10

const film: ProviderModel<ReferenceToVideoParameters> = {
  upstream: FILM_MODEL,
  accepts(asked) {
    const { films, images, sounds } = countReferences(asked)
    const longestS = images > 0 ? LONGEST_WITH_IMAGES_S : LONGEST_S
    const isLarge = images > 0 && asked.resolution === "1080p"
    return acceptsUnless({
      prompt: !asked.prompt && "a prompt is needed",
      image_urls: images > 7 && "at most 7 images are taken",
      video_urls: films > 0 && "films can't be referred to",
      audio_urls: sounds > 0 && "sounds can't be referred to",
      duration: (asked.duration ?? 0) > longestS && `at most ${longestS} seconds are offered`,
      resolution: isLarge && "resolution 1080p is not offered with images",
      aspect_ratio: asked.aspect_ratio === "21:9" && "aspect ratio 21:9 is not offered",
      ...findBitrateObstacle(asked),
    })
  },
  toRequest: ({ image_urls: images = [], prompt = "", ...asked }, _key, { upstream }) => ({
    method: "POST",
    path: "/v1/videos/generations",
    json: {
      model: upstream,
      prompt,
      reference_images: images.length > 0 ? images.map((url) => ({ url })) : undefined,
      aspect_ratio: asked.aspect_ratio,
      duration: asked.duration,
      generate_audio: asked.generate_audio,
      resolution: asked.resolution,
    },
  }),
}

/** A video if that is what the model makes; anything else is an image. */
function toModel({ artifacts: [kind = "image"], media }: GeneralModel): ProviderModel | undefined {
  if (kind === "video") {
    return {
      toRequest: (parameters, _key, { upstream }) => ({
        method: "POST",
        path: `/v1/videos/${media["video"] === "video" && parameters["video"] ? "edits" : "generations"}`,
        json: { model: upstream, ...toObjects(parameters, media) },
      }),
    }
  }
  if (kind !== "image") return undefined
  return {
    toRequest(parameters, _key, { upstream }) {
      const { found, others } = takeMedia(parameters, media)
      const images = found.length > 0 ? toImages(found.map(({ url }) => url)) : undefined
      return {
        method: "POST",
        path: `/v1/images/${images === undefined ? "generations" : "edits"}`,
        json: { response_format: "url", ...(others as Body), model: upstream, ...images },
      }
    },
  }
}

/** Each of its media is an object with the URL. */
function toObjects(parameters: ParameterValues, media: GeneralModel["media"]): Body {
  let changed: unknown = parameters
  for (const path of Object.keys(media)) changed = changeAt(changed, path, (url) => ({ url }))
  return changed as Body
}

/** A withheld success may have cost something, and usually says how much. */
function toBilled(
  json: Json | undefined,
  counts: { readonly images: number; readonly outputVideoMs: number },
): Pick<Refused, "billed"> {
  const ticks = numberAt(json, "usage", "cost_in_usd_ticks")
  if (ticks === undefined) return { billed: "maybe" }
  return ticks > 0 ? { billed: counts } : {}
}

/** The documentation does not say whether a film that failed is billed, so it is not bought again. */
function readFilm({ json, status }: Reply): PollOutcome | undefined {
  const state = textAt(json, "status")
  if (status === 202 || (status === 200 && state === "pending")) {
    return { kind: "running", pollAfterMs: POLL_AFTER_MS, ...progressAt(json, "progress") }
  }
  if (status !== 200) return undefined
  // Some answers hold the film and no state.
  const isBare = state === undefined && textAt(json, "video", "url") !== undefined
  if (state === "done" || isBare) return readDone(json)
  const billed = "maybe"
  if (state === "expired") return { kind: "refused", code: "no_output", billed }
  if (state !== "failed") return undefined
  return { ...toRefused("provider_rejected", textAt(json, "error", "message")), billed }
}

function readDone(json: Json | undefined): PollOutcome {
  if (at(json, "video", "respect_moderation") === false) {
    const outputVideoMs = Math.round(Number(at(json, "video", "duration") ?? 0) * 1_000)
    const billed = toBilled(json, { images: 0, outputVideoMs })
    return { kind: "refused", code: "content_policy_violation", ...billed }
  }
  const url = textAt(json, "video", "url")
  return toCompleted(url === undefined ? [] : [url])
}

function readPictures(json: Json | undefined): CreateOutcome {
  const items = listAt(json, "data")
  const shown = items.filter((item) => at(item, "respect_moderation") !== false)
  if (shown.length > 0) {
    return {
      kind: "accepted",
      operation: {
        urls: shown.flatMap((item) => textAt(item, "url") ?? []),
        ticks: at(json, "usage", "cost_in_usd_ticks") ?? null,
      },
    }
  }
  // If nothing is listed, the answer does not say how many were made.
  const billed = { images: Math.max(1, items.length), outputVideoMs: 0 }
  const refused = toRefused("content_policy_violation", textAt(json, "block_reason"))
  return { ...refused, ...toBilled(json, billed) }
}

export const xai = defineProvider({
  name: "xai",
  title: "xAI",
  baseUrl: "https://api.x.ai",
  keyVariable: "XAI_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["*.x.ai"],
  submission: { kind: "unkeyed" },
  concurrency: 4,
  // Pictures are made while the call lasts.
  submitTimeoutMs: 300_000,
  models: { [referenceToVideo.id]: film, [imageEdit.id]: edit },
  toModel,
  mediaInputs: { video: { by: "link" } },
  async hasModel(upstream, send) {
    const { json, status } = await send({ method: "GET", path: "/v1/models" })
    const known = listAt(json, "data").map((model) => textAt(model, "id"))
    // The list has no model of video, so only what is there proves anything.
    return status === 200 && known.includes(upstream) ? true : undefined
  },
  readCreate(reply) {
    const { json, status } = reply
    const id = textAt(json, "request_id")
    if (status === 200 && id !== undefined) return { kind: "accepted", operation: { id } }
    if (status === 200 && Array.isArray(at(json, "data"))) return readPictures(json)
    const words = textAt(json, "error")
    if ([400, 403, 422].includes(status) && words !== undefined && MODERATED.test(words)) {
      return toRefused("content_policy_violation", words)
    }
    const isInvalid = (status === 400 || status === 422) && words !== undefined
    if (!isInvalid) return readTurnedAway(reply)
    return toRefused("provider_rejected", words)
  },
  outOfMoney: /(?:any|all available) credits|spending limit/i,
  async poll(operation, send) {
    const id = textAt(operation, "id")
    if (id === undefined) {
      return toCompleted(listAt(operation, "urls").map(String))
    }
    return readFilm(await send({ method: "GET", path: `/v1/videos/${encodeURIComponent(id)}` }))
  },
  readCost(reply, operation) {
    const ticks = at(reply?.json, "usage", "cost_in_usd_ticks") ?? at(operation, "ticks")
    return toCost(ticks, "usd", TICKS_PER_USD)
  },
})
