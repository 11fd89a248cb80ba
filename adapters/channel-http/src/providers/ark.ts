/**
 * ModelArk of BytePlus or, with `"baseUrl": "https://ark.cn-beijing.volces.com"`, Ark of Volcengine, whose models
 * have names of their own.
 *
 * - One or two images alone are the first frame of a video and the last; otherwise all are references. A video is
 *   gone a day after its end.
 * - Failures are not billed: another attempt follows, unless the code begins with `Invalid` or names sensitive
 *   content.
 * - Any other model is one of images or of video by what it makes. Its parameters are members of the body. Images
 *   of an image are `image`. Media of a video are its content, with their parameter's name as the role if it is
 *   one (`first_frame`, `last_frame`, `reference_image` and the like).
 * - Only a waiting task can be cancelled.
 *
 * Charges in `tokens` of a video and `images`.
 *
 * Assumed: a `400` with a code created nothing, and Seedream takes every size from 1024 × 1024 to 2048 × 2048
 * pixels.
 */
// An image comes in the answer to the purchase; its URL is signed for a day and is the operation. An aspect ratio
// becomes a size of exactly that ratio: the smallest for `1k`, the largest for `2k`. The request that cancels
// removes the record of a finished task.
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
import { takeMedia } from "../declaration/media-members.ts"
import type { GeneralModel, ProviderModel } from "../declaration/provider-model.ts"
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

function toOwn<Parameters extends ParameterValues>(
  own: string,
  path: string,
  toBody: (parameters: Parameters) => Body,
) {
  return {
    upstream: own,
    toRequest: (parameters, _key, { upstream }) => ({
      method: "POST",
      path,
      json: { model: upstream, ...toBody(parameters) },
    }),
  } satisfies ProviderModel<Parameters>
}

/** A film if that is what the model makes; anything else is a picture. */
function toModel({ artifacts: [kind = "image"], media }: GeneralModel): ProviderModel | undefined {
  if (kind === "video") return toOwn("", TASKS, (parameters) => toContent(parameters, media))
  return kind === "image"
    ? toOwn("", PICTURES, (parameters) => toPictures(parameters, media))
    : undefined
}

/** Its images are one member, whatever they are called. */
function toPictures(parameters: ParameterValues, media: GeneralModel["media"]): Body {
  const { found, others } = takeMedia(parameters, media)
  const urls = found.map(({ url }) => url)
  return {
    response_format: "url",
    watermark: false,
    ...(others as Body),
    ...(urls.length > 0 && { image: urls.length === 1 ? urls[0] : urls }),
  }
}

/** Media whose parameter is no role are frames or references by the rule of Seedance. */
function toContent(parameters: ParameterValues, media: GeneralModel["media"]): Body {
  const { found, others } = takeMedia(parameters, media)
  const { prompt, ...rest } = others
  const isFrames = found.length <= 2 && found.every(({ kind }) => kind === "image")
  const frames = isFrames ? ["first_frame", "last_frame"] : []
  const items = found.map(({ kind, param, url }, index): Body => {
    const role = ROLES.has(param) ? param : (frames[index] ?? `reference_${kind}`)
    return { type: `${kind}_url`, [`${kind}_url`]: { url }, role }
  })
  const text = typeof prompt === "string" && prompt !== "" ? [{ type: "text", text: prompt }] : []
  return { content: [...text, ...items], ...(rest as Body) }
}

const ROLES: ReadonlySet<string> = new Set([
  "first_frame",
  "last_frame",
  "reference_image",
  "reference_video",
  "reference_audio",
])

const film: ProviderModel<ReferenceToVideoParameters> = {
  ...toOwn("dreamina-seedance-2-5-260628", TASKS, toSeedance),
  ...seedanceFilm,
}

const picture: ProviderModel<TextToImageParameters> = {
  ...toOwn("seedream-5-0-pro-260628", PICTURES, toSeedream),
  accepts: (parameters) => acceptsUnless(findSquareObstacles(parameters)),
}

const edit: ProviderModel<ImageEditParameters> = {
  ...toOwn("seedream-5-0-pro-260628", PICTURES, toSeedreamEdit),
  accepts: (parameters) => acceptsUnless(findSeedreamEditObstacles(parameters)),
}

/** `since` is in seconds. */
function toLinked(url: string, since: number | undefined): LinkedOutput {
  return { url, ...(since !== undefined && { expiresAt: since * 1_000 + KEPT_MS }) }
}

/** Of a picture in an operation. */
function toOutput(kept: Json): readonly LinkedOutput[] {
  const [url, expiresAt] = [textAt(kept, "url"), numberAt(kept, "expiresAt")]
  return url === undefined ? [] : [{ url, ...(expiresAt !== undefined && { expiresAt }) }]
}

function readError(error: Json | undefined): CreateOutcome & PollOutcome {
  const code = textAt(error, "code") ?? ""
  const isContent = SENSITIVE.test(code)
  if (isContent || INVALID.test(code)) return toRejected(isContent, textAt(error, "message"))
  // Only successes are billed, and another attempt may succeed.
  return { kind: "not-created", reason: "provider_failed" }
}

/** The pictures, or the error in their place. They can't be asked for again, so their URLs are the operation. */
function readPictures(json: Json | undefined): CreateOutcome | undefined {
  const items = listAt(json, "data")
  const [first, ...more] = items.flatMap((item) => {
    const url = textAt(item, "url")
    return url === undefined ? [] : [{ ...toLinked(url, numberAt(json, "created")) }]
  })
  if (first !== undefined) {
    const made = at(json, "usage", "generated_images") ?? null
    return {
      kind: "accepted",
      operation: { picture: first, made, ...(more.length > 0 && { more }) },
    }
  }
  const error = at(items[0], "error")
  return error === undefined ? undefined : readError(error)
}

function readFilm(json: Json | undefined): PollOutcome | undefined {
  const url = textAt(json, "content", "video_url")
  if (url !== undefined) {
    const urls = [url, textAt(json, "content", "last_frame_url") ?? []].flat()
    const since = numberAt(json, "updated_at")
    return { kind: "completed", outputs: urls.map((each) => toLinked(each, since)) }
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
  upstreamsAt: {
    "ark.cn-beijing.volces.com": {
      [referenceToVideo.id]: "doubao-seedance-2-5-260628",
      [textToImage.id]: "doubao-seedream-5-0-pro-260628",
      [imageEdit.id]: "doubao-seedream-5-0-pro-260628",
    },
  },
  toModel,
  mediaInputs: { video: { by: "link" } },
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
    if (at(operation, "picture") !== undefined) {
      const pictures = [at(operation, "picture") ?? null, ...listAt(operation, "more")]
      return { kind: "completed", outputs: pictures.flatMap(toOutput) }
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
