/**
 * xAI. The answer to the purchase holds the URLs of the pictures, which become the operation: after a crash
 * another process finds them in the log. Moderation is silent: a success without pictures, or with some
 * whose `respect_moderation` is false.
 */
import { imageEdit, referenceToVideo, type ImageEditParameters, type Json } from "@safelight/core"
import { acceptsUnless } from "../eligibility.ts"
import { defineProvider, type CreateOutcome, type ProviderModel } from "../provider.ts"
import { at, listAt, readTurnedAway, textAt, toRefused, toToldCost } from "../read-reply.ts"
import { readFilm, toBilled, xaiFilm } from "./xai-films.ts"

/** Only its message tells a 403 for content from one for the key. */
const MODERATED = /usage guidelines|content moderation/i

const TICKS_PER_USD = 10_000_000_000

const edit: ProviderModel = {
  accepts(parameters) {
    const { image_urls: images, output_format: format } = parameters as ImageEditParameters
    return acceptsUnless({
      image_urls: images.length > 3 && "at most 3 images are taken",
      output_format: format === "webp" && "webp is not offered",
    })
  },
  toRequest(parameters) {
    const asked = parameters as ImageEditParameters
    const { count, image_urls: images, sync_mode: _sync, ...same } = asked
    const json = {
      ...same,
      model: "grok-imagine-image-2.0",
      ...toImages(images),
      n: count,
      response_format: "url",
    }
    return { method: "POST", path: "/v1/images/edits", json }
  },
}

/** One image is sent as `image`, as every published client does. */
function toImages(urls: readonly string[]): Readonly<Record<string, Json>> {
  const images = urls.map((url) => ({ url, type: "image_url" }))
  const [image] = images
  return images.length === 1 && image !== undefined ? { image } : { images }
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
  // If nothing is listed, the answer does not tell how many were made.
  const billed = { images: Math.max(1, items.length), outputVideoMs: 0 }
  const refused = toRefused("content_policy_violation", textAt(json, "block_reason"))
  return { ...refused, ...toBilled(json, billed) }
}

export const xai = defineProvider({
  name: "xai",
  baseUrl: "https://api.x.ai",
  keyVariable: "XAI_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["*.x.ai"],
  submission: { kind: "unkeyed" },
  concurrency: 4,
  // Pictures are made while the call lasts.
  submitTimeoutMs: 300_000,
  models: { [referenceToVideo.id]: xaiFilm, [imageEdit.id]: edit },
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
      const urls = listAt(operation, "urls").map(String)
      return { kind: "completed", outputs: urls.map((url) => ({ url })) }
    }
    return readFilm(await send({ method: "GET", path: `/v1/videos/${encodeURIComponent(id)}` }))
  },
  readCost(reply, operation) {
    const ticks = at(reply?.json, "usage", "cost_in_usd_ticks") ?? at(operation, "ticks")
    return toToldCost(ticks, "usd", TICKS_PER_USD)
  },
})
