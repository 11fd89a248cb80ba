/**
 * FLUX.2.
 *
 * - An edit has exactly the asked ratio, with sides that are multiples of 16.
 * - Any other model of images gets the parameters as its body, a list of images as `input_image`, `input_image_2`
 *   and so on if its parameter is renamed to `input_image`.
 * - An output is gone ten minutes after it was made.
 * - Moderation and failures end the task: they may be billed.
 *
 * Charges in `credits`.
 *
 * Assumed: a `422` in its form created nothing, and outputs and clusters are below `bfl.ai`.
 */
// A job is polled at the cluster that the answer to its purchase names: other hosts may not know it. A signed
// callback about a job whose cluster is unknown carries its end, which is then used.
import {
  imageEdit,
  parseDataUrl,
  PICTURE_SIZES,
  textToImage,
  type ImageEditParameters,
  type Json,
  type PollOutcome,
  type TextToImageParameters,
} from "@safelight/core"
import { toEditPixels } from "../declaration/edit-pixels.ts"
import { acceptsUnless, findPictureObstacles } from "../declaration/eligibility.ts"
import { defineProvider } from "../declaration/provider.ts"
import { takeMedia } from "../declaration/media-members.ts"
import type { GeneralModel, ProviderModel } from "../declaration/provider-model.ts"
import { addMembers, type Body, type Reply } from "../declaration/provider-request.ts"
import { at, listAt, readTurnedAway, textAt, toCost, toRefused } from "../declaration/read-reply.ts"

const POLL_AFTER_MS = 1_000
const OUTPUT_LIVES_MS = 600_000

/** Four times 1024². */
const MOST_PIXELS = 4 * 1024 * 1024

/** By our quality: the cheaper one is another model. */
const EDIT_MODELS = { low: "flux-2-klein-9b", medium: "flux-2-pro" } as const

const EDIT_UPSTREAM = `${EDIT_MODELS.medium} or ${EDIT_MODELS.low}`

/** Of a klein model. */
const MOST_KLEIN_IMAGES = 4

const MODERATED: ReadonlySet<string> = new Set(["Request Moderated", "Content Moderated"])

/** The documentation does not say whether these are billed, so they are not bought again. */
const FAILED: ReadonlySet<string> = new Set(["Error", "Failed"])

const picture: ProviderModel<TextToImageParameters> = {
  upstream: "flux-2-klein-4b",
  accepts: (parameters) => acceptsUnless(findPictureObstacles(parameters)),
  toRequest: ({ prompt, size }, _key, { upstream }) => ({
    method: "POST",
    path: `/v1/${upstream}`,
    json: { prompt, ...PICTURE_SIZES[size] },
  }),
}

const edit: ProviderModel<ImageEditParameters> = {
  upstream: EDIT_UPSTREAM,
  accepts(asked) {
    const pixels = toEditPixels(asked)
    const isLarge = pixels !== undefined && pixels.width * pixels.height > MOST_PIXELS
    const isMany = asked.quality === "low" && asked.image_urls.length > MOST_KLEIN_IMAGES
    return acceptsUnless({
      image_urls: isMany && `at most ${MOST_KLEIN_IMAGES} images are taken at quality low`,
      prompt: asked.prompt === "" && "a prompt is needed",
      count: asked.count > 1 && "one image is made at a time",
      output_format: asked.output_format === "webp" && "webp is not offered",
      aspect_ratio: pixels === undefined && "an aspect ratio is needed",
      resolution: isLarge && "2k is not offered in this shape",
    })
  },
  toRequest(asked, _key, { upstream }) {
    const { image_urls: images, output_format, prompt, quality } = asked
    const inputs = images.map((url, index) => [toInputName(index), toInput(url)] as const)
    const json = { prompt, ...toEditPixels(asked), output_format, ...Object.fromEntries(inputs) }
    const model = upstream === EDIT_UPSTREAM ? EDIT_MODELS[quality] : upstream
    return { method: "POST", path: `/v1/${model}`, json }
  },
}

function toInputName(index: number, name = "input_image"): string {
  return index === 0 ? name : `${name}_${index + 1}`
}

/** It makes images alone. A list of images has a member each: `input_image`, `input_image_2` and so on. */
function toModel({ artifacts: [kind = "image"], media }: GeneralModel): ProviderModel | undefined {
  if (kind !== "image") return undefined
  return {
    toRequest(parameters, _key, { upstream }) {
      const { found, others } = takeMedia(parameters, media)
      const counts = new Map<string, number>()
      const inputs = found.map(({ param, url }) => {
        const index = counts.get(param) ?? 0
        counts.set(param, index + 1)
        return [toInputName(index, param), toInput(url)] as const
      })
      const json = { ...(others as Body), ...Object.fromEntries(inputs) }
      return { method: "POST", path: `/v1/${upstream}`, json }
    },
  }
}

/** A URL or bare base64. */
function toInput(url: string): string {
  return url.slice(parseDataUrl(url)?.start)
}

function readState({ json, status }: Pick<Reply, "json" | "status">): PollOutcome | undefined {
  const state = status === 200 ? (textAt(json, "status") ?? "") : ""
  if (state === "Pending") return { kind: "running", pollAfterMs: POLL_AFTER_MS }
  const billed = "maybe"
  if (MODERATED.has(state)) return { kind: "refused", code: "content_policy_violation", billed }
  if (FAILED.has(state)) return { kind: "refused", code: "provider_rejected", billed }
  if (state !== "Ready") return undefined
  const url = textAt(json, "result", "sample")
  if (url === undefined) return { kind: "completed", outputs: [] }
  // The answer does not say when it was made: this is the latest moment at which it can expire.
  return { kind: "completed", outputs: [{ url, expiresAt: Date.now() + OUTPUT_LIVES_MS }] }
}

/**
 * The operation of a job whose own answer was lost. The signed message names no cluster that could be polled, so
 * the operation holds how the job ended.
 */
function readWebhook(message: Json): Json | undefined {
  const [id, error] = [textAt(message, "id"), textAt(message, "error") ?? ""]
  const sample = textAt(message, "result", "sample")
  if (id === undefined) return undefined
  if (sample !== undefined) return { id, told: { status: "Ready", result: { sample } } }
  const state = textAt(message, "status")
  const isEnd = state === "Error"
  return isEnd ? { id, told: { status: MODERATED.has(error) ? error : state } } : undefined
}

export const blackForestLabs = defineProvider({
  name: "black-forest-labs",
  title: "Black Forest Labs",
  baseUrl: "https://api.bfl.ai",
  keyVariable: "BFL_API_KEY",
  authorize: (key) => ({ "x-key": key }),
  apiHosts: ["*.bfl.ai"],
  outputHosts: ["*.bfl.ai"],
  submission: { kind: "unkeyed" },
  concurrency: 24,
  submitTimeoutMs: 30_000,
  models: { [textToImage.id]: picture, [imageEdit.id]: edit },
  toModel,
  readCreate(reply) {
    const { json, retryAfterMs, status } = reply
    const [id, url] = [textAt(json, "id"), textAt(json, "polling_url")]
    if (status === 200 && id !== undefined && url !== undefined) {
      return { kind: "accepted", operation: { id, url, cost: at(json, "cost") ?? null } }
    }
    const [fault] = listAt(json, "detail")
    if (status === 422 && fault !== undefined) {
      return toRefused("provider_rejected", textAt(fault, "msg"))
    }
    const waitMs = Number(at(json, "retry_after") ?? Number.NaN) * 1_000
    const isInBody = retryAfterMs === undefined && waitMs >= 0
    return readTurnedAway(isInBody ? { ...reply, retryAfterMs: waitMs } : reply)
  },
  pollEvery: { shortestMs: 1_000, longestMs: 8_000 },
  webhook: {
    scheme: { kind: "hmac", header: "x-bfl-signature", prefix: "sha256=" },
    addTo: (request, { secret, url }) =>
      addMembers(request, { webhook_url: url, webhook_secret: secret }),
    readOperation: readWebhook,
  },
  async poll(operation, send) {
    const told = at(operation, "told")
    if (told !== undefined) return readState({ json: told, status: 200 })
    return readState(await send({ method: "GET", path: textAt(operation, "url") ?? "" }))
  },
  // It is in the answer to the purchase. Whether a failed job is charged is not documented.
  readCost: (reply, operation) =>
    textAt(reply?.json, "status") === "Ready"
      ? toCost(at(operation, "cost"), "credits")
      : undefined,
})
