/**
 * Comfy Router's queue. A key is honoured for 24 hours from its first request on, so a purchase whose answer
 * is lost is sent again. If a key is in use and its answer can't be replayed, the purchase stays in doubt.
 */
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type ImageEditParameters,
  type Ineligible,
  type Json,
  type ParameterValues,
  type PollOutcome,
  type TextToImageParameters,
} from "@safelight/core"
import {
  defineProvider,
  type InputWays,
  type ProviderModel,
  type Reply,
  type Unclear,
} from "../provider.ts"
import {
  at,
  cancelHandle,
  findUrls,
  readCancelRequested,
  readQueueHandle,
  readTurnedAway,
  textAt,
  toRefused,
  toToldCost,
} from "../read-reply.ts"
import { acceptsUnless, findSquareObstacles } from "../eligibility.ts"
import { findSeedanceObstacles, SEEDANCE_INPUTS, toSeedance } from "../seedance.ts"
import { findSeedreamEditObstacles, toSeedreamEdit } from "../seedream.ts"

/** An hour less than the router keeps a key: for a request on its way and the clocks' difference. */
const KEY_TTL_MS = 23 * 3_600_000
const POLL_AFTER_MS = 2_000
/** 10 MiB, less a prompt of 8,000 characters and the rest. */
const MOST_URL_CHARACTERS = 10 * 1024 * 1024 - 100_000
/** Five data URLs that are shorter fit into a request. */
const LINKED_CHARACTERS = 1024 * 1024
const BUCKET = "x-comfy-error-type"

/** By `error_type`, how failed work ends. Work that the router may have been billed for is not bought again. */
const FAILURES: Readonly<Record<string, PollOutcome>> = {
  cancelled: { kind: "refused", code: "task_cancelled" },
  content_policy_violation: { kind: "refused", code: "content_policy_violation", billed: "maybe" },
  provider_error: { kind: "refused", code: "provider_rejected", billed: "maybe" },
  provider_timeout: { kind: "refused", code: "generation_timeout", billed: "maybe" },
  queue_timeout: { kind: "not-created", reason: "provider_failed" },
}

function toModel(name: string, toBody: (parameters: ParameterValues) => Json) {
  return {
    toRequest: (parameters, key) => ({
      method: "POST",
      path: `/v2/models/${name}/requests`,
      headers: { "idempotency-key": key },
      json: toBody(parameters),
    }),
  } satisfies ProviderModel
}

/** Recraft V4.1 takes colours. Of the sizes that it makes only the square of 1024 × 1024 is one of ours. */
function acceptsRecraft(parameters: ParameterValues): true | Ineligible {
  const { background_color: _, colors: _colors, ...obstacles } = findSquareObstacles(parameters)
  return acceptsUnless(obstacles)
}

function toRecraft(parameters: ParameterValues): Json {
  const { background_color, colors, prompt } = parameters as TextToImageParameters
  const controls = {
    ...(background_color && { background_color: toRgb(background_color) }),
    ...(colors.length > 0 && { colors: colors.map(toRgb) }),
  }
  const isPlain = Object.keys(controls).length === 0
  return { prompt, n: 1, size: "1024x1024", ...(!isPlain && { controls }) }
}

function toRgb({ b, g, r }: TextToImageParameters["colors"][number]): { readonly rgb: Json } {
  return { rgb: [r, g, b] }
}

/** A request of this model may have 10 MiB, its images included. */
function acceptsEdit(parameters: ParameterValues, { canLink }: InputWays): true | Ineligible {
  const { image_urls: urls } = parameters as ImageEditParameters
  const isLarge = urls.reduce((sum, { length }) => sum + length, 0) > MOST_URL_CHARACTERS
  return acceptsUnless({
    ...findSeedreamEditObstacles(parameters),
    image_urls: !canLink && isLarge && "the images are too large to go along",
  })
}

/** Any answer but the output itself is about this request for it; 410 is the output's own end. */
function readResult(answer: Reply): PollOutcome | Unclear | undefined {
  const { headers, json, status } = answer
  if (status === 410 && headers[BUCKET] !== undefined) return { kind: "refused", code: "no_output" }
  if (status !== 200 || typeof json !== "object") return undefined
  const made = findUrls(at(json, "content", "video_url") ?? at(json, "data"))
  // Every model answers in its own provider's form.
  const urls = made.length > 0 ? made : findUrls(json)
  const completed: PollOutcome = { kind: "completed", outputs: urls.map((url) => ({ url })) }
  return urls.length === 0 ? { kind: "unclear", answer, meaning: completed } : completed
}

export const comfyRouter = defineProvider({
  name: "comfy-router",
  baseUrl: "https://api.comfy.org",
  keyVariable: "COMFY_API_KEY",
  authorize: (key) => ({ "x-api-key": key }),
  outputHosts: [
    "*.bytepluses.com",
    "*.comfy.org",
    "*.recraft.ai",
    "*.volces.com",
    "storage.googleapis.com",
  ],
  submission: { kind: "keyed", keyTtlMs: KEY_TTL_MS },
  concurrency: 2,
  submitTimeoutMs: 60_000,
  models: {
    [textToImage.id]: { ...toModel("recraft/recraftv4_1", toRecraft), accepts: acceptsRecraft },
    [imageEdit.id]: {
      ...toModel("byteplus/seedream-5-0-pro-260628", toSeedreamEdit),
      accepts: acceptsEdit,
      inputs: { image_urls: { by: "link", fromCharacters: LINKED_CHARACTERS } },
    },
    [referenceToVideo.id]: {
      ...toModel("byteplus/dreamina-seedance-2-5-260628", toSeedance),
      accepts: (parameters, ways) => acceptsUnless(findSeedanceObstacles(parameters, ways)),
      inputs: SEEDANCE_INPUTS,
    },
  },
  readCreate(reply) {
    const { headers, json, status } = reply
    const operation = status === 201 ? readQueueHandle(json) : undefined
    if (operation !== undefined) return { kind: "accepted", operation }
    const bucket = headers[BUCKET]
    if (status === 409 && bucket === "concurrency_limit_exceeded") return { kind: "pending" }
    if (status !== 422 || bucket === undefined) return readTurnedAway(reply)
    const isContent = bucket === "content_policy_violation"
    const words = textAt(json, "detail", 0, "msg") ?? textAt(json, "detail")
    return toRefused(isContent ? "content_policy_violation" : "provider_rejected", words)
  },
  async poll(operation, send) {
    const path = textAt(operation, "state") ?? ""
    const state = await send({ method: "GET", path })
    if (state.status !== 200) return undefined
    const { json, retryAfterMs } = state
    const status = textAt(json, "status")
    if (status === "IN_QUEUE" || status === "IN_PROGRESS") {
      return { kind: "running", pollAfterMs: retryAfterMs ?? POLL_AFTER_MS }
    }
    if (status !== "COMPLETED") return undefined
    const error = textAt(json, "error_type")
    if (error !== undefined)
      return FAILURES[error] ?? { kind: "refused", code: "provider_rejected", billed: "maybe" }
    return readResult(await send({ method: "GET", path: textAt(operation, "result") ?? "" }))
  },
  readCost: (reply) => toToldCost(reply?.headers["x-comfy-credits-used"], "credits"),
  cancel: (operation, send) => cancelHandle(operation, send, "PUT", readCancelRequested),
})
