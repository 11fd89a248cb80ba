/**
 * A queue for other providers' models. A purchase is sent again for 23 of the 24 hours for which it honours a key.
 *
 * - Text to image costs what Recraft V4.1 itself costs. The edit is Seedream's. Videos follow Ark's rules.
 * - Any other model, as `provider/model`, gets the parameters as its body; its outputs are all files of the
 *   answer.
 * - After `queue_timeout` another attempt follows. `provider_error`, a provider's time-out and a refusal of
 *   content may have been billed, and end the task.
 *
 * Charges in `credits`.
 *
 * Assumed: the hosts of outputs, a `422` with `X-Comfy-Error-Type` created nothing, and after a `410` a result is
 * gone.
 */
// A `409 concurrency_limit_exceeded` says that the first request is still being accepted; any other `409` leaves the
// purchase in doubt. The router lists no flash tier of Recraft and no edit by Grok. After `queue_timeout` no
// provider had the work.
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type ImageEditParameters,
  type ParameterValues,
  type PollOutcome,
  type ReferenceToVideoParameters,
  type TextToImageParameters,
} from "@safelight/core"
import { acceptsUnless, findSquareObstacles } from "../declaration/eligibility.ts"
import { defineProvider, type Unclear } from "../declaration/provider.ts"
import type { InputRule, ProviderModel } from "../declaration/provider-model.ts"
import type { Body, Reply } from "../declaration/provider-request.ts"
import {
  at,
  cancelHandle,
  findUrls,
  readCancelRequested,
  readQueueHandle,
  readTurnedAway,
  textAt,
  toCompleted,
  toCost,
  toRejected,
} from "../declaration/read-reply.ts"
import { seedanceFilm, toSeedance } from "../declaration/seedance.ts"
import { findSeedreamEditObstacles, toSeedreamEdit } from "../declaration/seedream.ts"

/** An hour less than the router keeps a key: for a request on its way and the clocks' difference. */
const KEY_TTL_MS = 23 * 3_600_000
const POLL_AFTER_MS = 2_000
/** 10 MiB, less a prompt of 8,000 characters and the rest. */
const MOST_URL_CHARACTERS = 10 * 1024 * 1024 - 100_000
/** Five shorter data URLs fit into a request. */
const LARGE: InputRule = { by: "link", fromCharacters: 1024 * 1024 }
const BUCKET = "x-comfy-error-type"

/** By `error_type`, how failed work ends. Work that the router may have been billed for is not bought again. */
const FAILURES: Readonly<Record<string, PollOutcome>> = {
  cancelled: { kind: "refused", code: "task_cancelled" },
  content_policy_violation: { kind: "refused", code: "content_policy_violation", billed: "maybe" },
  provider_error: { kind: "refused", code: "provider_rejected", billed: "maybe" },
  provider_timeout: { kind: "refused", code: "generation_timeout", billed: "maybe" },
  queue_timeout: { kind: "not-created", reason: "provider_failed" },
}

function toOwn<Parameters extends ParameterValues>(
  own: string,
  toBody: (parameters: Parameters) => Body,
) {
  return {
    upstream: own,
    toRequest: (parameters, key, { upstream }) => ({
      method: "POST",
      path: `/v2/models/${upstream}/requests`,
      headers: { "idempotency-key": key },
      json: toBody(parameters),
    }),
  } satisfies ProviderModel<Parameters>
}

/** Of the sizes that Recraft V4.1 makes only the square of 1024 × 1024 is one of ours. */
const picture: ProviderModel<TextToImageParameters> = {
  ...toOwn("recraft/recraftv4_1", toRecraft),
  accepts(parameters) {
    const { background_color: _, colors: _colors, ...obstacles } = findSquareObstacles(parameters)
    return acceptsUnless(obstacles)
  },
}

function toRecraft({ background_color, colors, prompt }: TextToImageParameters): Body {
  const hasBackground = background_color !== undefined
  const controls = {
    ...(hasBackground && { background_color: toRgb(background_color) }),
    ...(colors.length > 0 && { colors: colors.map(toRgb) }),
  }
  const isPlain = !hasBackground && colors.length === 0
  return { prompt, n: 1, size: "1024x1024", ...(!isPlain && { controls }) }
}

function toRgb({ b, g, r }: TextToImageParameters["colors"][number]): Body {
  return { rgb: [r, g, b] }
}

const edit: ProviderModel<ImageEditParameters> = {
  ...toOwn("byteplus/seedream-5-0-pro-260628", toSeedreamEdit),
  accepts(asked, { canLink }) {
    const characters = asked.image_urls.reduce((sum, { length }) => sum + length, 0)
    const isLarge = characters > MOST_URL_CHARACTERS
    return acceptsUnless({
      ...findSeedreamEditObstacles(asked),
      image_urls: !canLink && isLarge && "the images are too large to go along",
    })
  },
  inputs: { image_urls: LARGE },
}

const film: ProviderModel<ReferenceToVideoParameters> = {
  ...toOwn("byteplus/dreamina-seedance-2-5-260628", toSeedance),
  ...seedanceFilm,
}

/** Any answer but the output itself is about this request for it; 410 is the output's own end. */
function readResult(answer: Reply): PollOutcome | Unclear | undefined {
  const { headers, json, status } = answer
  if (status === 410 && headers[BUCKET] !== undefined) return { kind: "refused", code: "no_output" }
  if (status !== 200 || typeof json !== "object") return undefined
  const made = findUrls(at(json, "content", "video_url") ?? at(json, "data"))
  // Every model answers in its own provider's form.
  const urls = made.length > 0 ? made : findUrls(json)
  const completed = toCompleted(urls)
  return urls.length === 0 ? { kind: "unclear", answer, meaning: completed } : completed
}

export const comfyRouter = defineProvider({
  name: "comfy-router",
  title: "Comfy Router",
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
  models: { [textToImage.id]: picture, [imageEdit.id]: edit, [referenceToVideo.id]: film },
  toModel: () => toOwn("", (parameters) => parameters as Body),
  mediaInputs: { image: LARGE, video: { by: "link" }, audio: LARGE },
  readCreate(reply) {
    const { headers, json, status } = reply
    const operation = status === 201 ? readQueueHandle(json) : undefined
    if (operation !== undefined) return { kind: "accepted", operation }
    const bucket = headers[BUCKET]
    if (status === 409 && bucket === "concurrency_limit_exceeded") return { kind: "pending" }
    if (status !== 422 || bucket === undefined) return readTurnedAway(reply)
    const words = textAt(json, "detail", 0, "msg") ?? textAt(json, "detail")
    return toRejected(bucket === "content_policy_violation", words)
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
  readCost: (reply) => toCost(reply?.headers["x-comfy-credits-used"], "credits"),
  cancel: (operation, send) => cancelHandle(operation, send, "PUT", readCancelRequested),
})
