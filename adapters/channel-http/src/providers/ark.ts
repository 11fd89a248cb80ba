/**
 * ModelArk of BytePlus or, with `"baseUrl": "https://ark.cn-beijing.volces.com"`, Ark of Volcengine, which must offer
 * models of the same names.
 *
 * - An image comes in the answer to the purchase, without a watermark. Its URL is signed for a day and is the
 *   operation. An aspect ratio becomes a size of exactly that ratio: the smallest for `1k`, the largest for `2k`.
 * - One or two images alone are the first frame of a video and the last; in any other case all are references. A
 *   video is gone a day after its end.
 * - Failures are not billed: another attempt follows, unless the code begins with `Invalid` or names sensitive content.
 * - Only a waiting task can be cancelled: the same request removes the record of a finished one.
 *
 * Charges are reported in `tokens` of a video and `images`.
 *
 * Assumed: a `400` with a code created nothing, and Seedream takes every size from 1024 × 1024 to 2048 × 2048 pixels.
 */
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type CancelOutcome,
  type ImageEditParameters,
  type Json,
  type LinkedOutput,
  type ParameterValues,
  type PollOutcome,
  type ReferenceToVideoParameters,
  type TextToImageParameters,
} from "@safelight/core"
import { acceptsUnless, findSquareObstacles } from "../declaration/eligibility.ts"
import { defineProvider, type CreateOutcome } from "../declaration/provider.ts"
import type { ProviderModel } from "../declaration/provider-model.ts"
import { addMembers, type Body, type Reply } from "../declaration/provider-request.ts"
import {
  at,
  listAt,
  numberAt,
  readTurnedAway,
  textAt,
  toCost,
  toRejected,
} from "../declaration/read-reply.ts"
import { seedanceFilm, toSeedance } from "../declaration/seedance.ts"
import { findSeedreamEditObstacles, toSeedream, toSeedreamEdit } from "../declaration/seedream.ts"

const TASKS = "/api/v3/contents/generations/tasks"
const PICTURES = "/api/v3/images/generations"

/** A film takes minutes. */
const POLL_AFTER_MS = 5_000
/** A day, and the difference of two clocks. */
const KEPT_MS = 24 * 3_600_000 + 5 * 60_000
const SENSITIVE = /^(Input|Output)[A-Za-z]*SensitiveContentDetected/
const INVALID = /^Invalid/

function toModel<Parameters extends ParameterValues>(
  upstream: string,
  path: string,
  toBody: (parameters: Parameters) => Body,
) {
  return {
    upstream,
    toRequest: (parameters) => ({
      method: "POST",
      path,
      json: { model: upstream, ...toBody(parameters) },
    }),
  } satisfies ProviderModel<Parameters>
}

const film: ProviderModel<ReferenceToVideoParameters> = {
  ...toModel("dreamina-seedance-2-5-260628", TASKS, toSeedance),
  ...seedanceFilm,
}

const picture: ProviderModel<TextToImageParameters> = {
  ...toModel("seedream-5-0-pro-260628", PICTURES, toSeedream),
  accepts: (parameters) => acceptsUnless(findSquareObstacles(parameters)),
}

const edit: ProviderModel<ImageEditParameters> = {
  ...toModel("seedream-5-0-pro-260628", PICTURES, toSeedreamEdit),
  accepts: (parameters) => acceptsUnless(findSeedreamEditObstacles(parameters)),
}

/** `since` is in seconds. */
function toLinked(url: string, since: number | undefined): LinkedOutput {
  return { url, ...(since !== undefined && { expiresAt: since * 1_000 + KEPT_MS }) }
}

function readError(error: Json | undefined): CreateOutcome & PollOutcome {
  const code = textAt(error, "code") ?? ""
  const isContent = SENSITIVE.test(code)
  if (isContent || INVALID.test(code)) return toRejected(isContent, textAt(error, "message"))
  // Only successes are billed, and another attempt may succeed.
  return { kind: "not-created", reason: "provider_failed" }
}

/** The one picture, or the error in its place. It can't be asked for again, so its URL is the operation. */
function readPictures(json: Json | undefined): CreateOutcome | undefined {
  const [first] = listAt(json, "data")
  const url = textAt(first, "url")
  if (url !== undefined) {
    const made = at(json, "usage", "generated_images") ?? null
    return {
      kind: "accepted",
      operation: { picture: { ...toLinked(url, numberAt(json, "created")) }, made },
    }
  }
  const error = at(first, "error")
  return error === undefined ? undefined : readError(error)
}

function readFilm(json: Json | undefined): PollOutcome | undefined {
  const url = textAt(json, "content", "video_url")
  if (url !== undefined) {
    return { kind: "completed", outputs: [toLinked(url, numberAt(json, "updated_at"))] }
  }
  return at(json, "content") === null ? { kind: "refused", code: "no_output" } : undefined
}

function toPath(operation: Json): string {
  return `${TASKS}/${encodeURIComponent(textAt(operation, "id") ?? "")}`
}

/** A task that has begun to run meanwhile is not removed (409). */
function readRemoved({ status }: Reply): CancelOutcome {
  if (status === 200) return "stopped"
  return status === 409 ? "too-late" : "unknown"
}

export const ark = defineProvider({
  name: "ark",
  title: "Ark",
  baseUrl: "https://ark.ap-southeast.bytepluses.com",
  keyVariable: "ARK_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["*.bytepluses.com", "*.volces.com"],
  submission: { kind: "unkeyed" },
  concurrency: 2,
  // The answer holds the picture, and one of 2K takes long.
  submitTimeoutMs: 180_000,
  models: {
    // First, since the channel contract polls the first model's operation, and a picture's is never polled.
    [referenceToVideo.id]: film,
    [textToImage.id]: picture,
    [imageEdit.id]: edit,
  },
  readCreate(reply) {
    const { json, status } = reply
    const id = textAt(json, "id")
    if (status === 200 && id !== undefined) return { kind: "accepted", operation: { id } }
    if (status === 200) return readPictures(json)
    const code = textAt(json, "error", "code") ?? ""
    if (status === 400 && code !== "") {
      return toRejected(SENSITIVE.test(code), textAt(json, "error", "message"))
    }
    if (status === 429 && code.startsWith("QuotaExceeded")) {
      return { kind: "not-created", reason: "provider_quota_exceeded" }
    }
    return readTurnedAway(reply)
  },
  outOfMoney: /^AccountOverdue/,
  pollEvery: { shortestMs: 5_000, longestMs: 20_000 },
  webhook: {
    scheme: { kind: "none" },
    addTo: (request, { url }) =>
      request.path === TASKS ? addMembers(request, { callback_url: url }) : request,
  },
  async poll(operation, send) {
    const url = textAt(operation, "picture", "url")
    if (url !== undefined) {
      const expiresAt = numberAt(operation, "picture", "expiresAt")
      const output = { url, ...(expiresAt !== undefined && { expiresAt }) }
      return { kind: "completed", outputs: [output] }
    }
    const { json, status } = await send({ method: "GET", path: toPath(operation) })
    if (status !== 200) return undefined
    switch (textAt(json, "status")) {
      case "queued":
      case "running":
        return { kind: "running", pollAfterMs: POLL_AFTER_MS }
      case "succeeded":
        return readFilm(json)
      case "failed":
        return readError(at(json, "error"))
      case "expired":
        return { kind: "not-created", reason: "provider_failed" }
      case "cancelled":
        return { kind: "refused", code: "task_cancelled" }
      case undefined:
      default:
        return undefined
    }
  },
  readCost: (reply, operation) =>
    toCost(at(reply?.json, "usage", "total_tokens"), "tokens") ??
    toCost(at(operation, "made"), "images"),
  /** On a task that has ended, DELETE removes the record and the result: so the state is asked first. */
  async cancel(operation, send) {
    if (at(operation, "picture") !== undefined) return "too-late"
    const path = toPath(operation)
    const { json } = await send({ method: "GET", path })
    switch (textAt(json, "status")) {
      case "queued":
        return readRemoved(await send({ method: "DELETE", path }))
      case "running":
      case "succeeded":
        return "too-late"
      case "cancelled":
      case "expired":
      case "failed":
        return "stopped"
      case undefined:
      default:
        return "unknown"
    }
  },
})
