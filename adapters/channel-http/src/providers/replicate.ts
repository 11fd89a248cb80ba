/**
 * The models of Replicate that are nearest to ours. Only the edit is the same model, so name those that you want
 * in `models`. Any other model, `owner/name` or `owner/name:version`, gets the parameters as its input. Callbacks
 * are requested if `REPLICATE_WEBHOOK_SECRET` holds the account's secret.
 *
 * - Another attempt follows a failure of its machines, which only the message shows (`E003`, `E004`, a code of
 *   four digits, `please retry`, `out of memory`). Any other failed prediction ends the task, since it may have
 *   been billed.
 * - Data URLs of videos, and others of 64,000 characters or more, are uploaded to Replicate's files, where they
 *   stay for a day. Outputs are gone an hour after the end.
 * - One or two images alone are the first frame of a video and the last; otherwise all are references.
 *
 * Charges in `predict_seconds`.
 *
 * Assumed: a `400`, `413` or `422` with `detail` created nothing, Grok's edit is a JPEG, and Seedance 2.0 is
 * offered at `480p` and `720p`.
 */
// A refusal of content is recognised by its text alone: `E005`, `flagged as sensitive`, `NSFW`.
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type CancelOutcome,
  type ImageEditParameters,
  type Json,
  type OpenedOutput,
  type ParameterValues,
  type PollOutcome,
  type ReferenceToVideoParameters,
  type TextToImageParameters,
} from "@safelight/core"
import { acceptsUnless, countReferences, findSquareObstacles } from "../declaration/eligibility.ts"
import { defineProvider } from "../declaration/provider.ts"
import type { InputRule, ProviderModel } from "../declaration/provider-model.ts"
import {
  addMembers,
  type Body,
  type ProviderRequest,
  type Reply,
} from "../declaration/provider-request.ts"
import {
  at,
  cancelHandle,
  findUrls,
  readTurnedAway,
  textAt,
  toCost,
  toRejected,
} from "../declaration/read-reply.ts"
import { findSeedanceObstacles, hasFramesAlone } from "../declaration/seedance.ts"
import { toTextOutput } from "../declaration/text-output.ts"
import { unavailable } from "../declaration/unavailable.ts"

/**
 * Replicate advises against data URLs above 256 KB. Its answers and webhooks repeat them, so twelve must
 * fit into the 1 MiB of a callback.
 */
const UPLOAD: InputRule = { by: "upload", fromCharacters: 64_000 }

function toOwn<Parameters extends ParameterValues>(
  own: string,
  toInput: (parameters: Parameters) => Body,
) {
  return {
    upstream: own,
    toRequest: (parameters, _key, { upstream }) => toRequest(upstream, toInput(parameters)),
  } satisfies ProviderModel<Parameters>
}

/** Official models go by their name, all others by a version: `owner/name:version`, or its id alone. */
function toRequest(upstream: string, input: Body): ProviderRequest {
  const isOfficial = /^[^/:]+\/[^/:]+$/.test(upstream)
  if (isOfficial) {
    return { method: "POST", path: `/v1/models/${upstream}/predictions`, json: { input } }
  }
  return { method: "POST", path: "/v1/predictions", json: { version: upstream, input } }
}

const picture: ProviderModel<TextToImageParameters> = {
  ...toOwn("recraft-ai/recraft-v4", ({ prompt }: TextToImageParameters) => ({
    prompt,
    size: "1024x1024",
  })),
  accepts: (parameters) => acceptsUnless(findSquareObstacles(parameters)),
}

const edit: ProviderModel<ImageEditParameters> = {
  ...toOwn(
    "xai/grok-imagine-image-2",
    ({ image_urls: [image = ""], prompt, quality, resolution }: ImageEditParameters) => ({
      prompt,
      image,
      quality,
      resolution,
    }),
  ),
  inputs: { image_urls: UPLOAD },
  accepts: (asked) =>
    acceptsUnless({
      image_urls: asked.image_urls.length > 1 && "only one image is taken",
      count: asked.count > 1 && "only one picture is made at once",
      aspect_ratio: asked.aspect_ratio !== "auto" && "the ratio of the image stays",
      output_format: asked.output_format !== "jpeg" && "only jpeg is offered",
    }),
}

/** Seedance 2.0: half of what 2.5 takes, and no sound without a picture. */
const film: ProviderModel<ReferenceToVideoParameters> = {
  ...toOwn("bytedance/seedance-2.0", toFilm),
  inputs: { image_urls: UPLOAD, video_urls: { by: "upload" }, audio_urls: UPLOAD },
  accepts(asked) {
    const { films, images, sounds } = countReferences(asked)
    const isSoundAlone = sounds > 0 && images + films === 0
    return acceptsUnless({
      ...findSeedanceObstacles(asked, { canLink: true }),
      prompt: !asked.prompt && "a prompt is needed",
      duration: (asked.duration ?? 0) > 15 && "at most 15 s are offered",
      image_urls: images > 9 && "at most 9 images are taken",
      video_urls: films > 3 && "at most 3 films are taken",
      audio_urls:
        (sounds > 3 && "at most 3 sounds are taken") ||
        (isSoundAlone && "a sound is taken with an image or a film alone"),
    })
  },
}

function toFilm(asked: ReferenceToVideoParameters): Body {
  const { audio_urls, bitrate_mode: _, image_urls, video_urls, ...others } = asked
  const [image, last_frame_image] = image_urls ?? []
  const references = {
    reference_images: image_urls,
    reference_videos: video_urls,
    reference_audios: audio_urls,
  }
  return { ...others, ...(hasFramesAlone(asked) ? { image, last_frame_image } : references) }
}

const POLL_AFTER_MS = 2_000
/** An hour, and the difference of two clocks. */
const KEPT_MS = 65 * 60_000
const REFUSED_FOR_CONTENT = /\bE005\b|flagged as sensitive|NSFW/i
/**
 * A failure of Replicate's machines, by its text alone: the model is too busy (E003, E004), the machine was taken
 * away or has too little memory, or a code of four digits, which are its own faults.
 */
const MACHINE_FAILED = /\bE(?:003|004|\d{4})\b|please retry \(code: |out of memory/i
/** Statuses of a request that was judged and not taken. */
const INVALID: ReadonlySet<number> = new Set([400, 413, 422])

/** A text, the pieces of one, or the object of a transcription. */
function readText(output: Json | undefined): OpenedOutput | undefined {
  return toTextOutput(output) ?? toTextOutput(at(output, "text") ?? at(output, "transcription"))
}

/** One URL, a list or an object of them: that is the model's choice. */
function readOutput(json: Json | undefined, isText: boolean): PollOutcome {
  if (at(json, "data_removed") === true) return { kind: "refused", code: "no_output" }
  const urls = findUrls(at(json, "output"))
  const text = isText && urls.length === 0 ? readText(at(json, "output")) : undefined
  if (text !== undefined) return { kind: "completed", outputs: [text] }
  const endedAt = Date.parse(textAt(json, "completed_at") ?? "")
  const expiry = Number.isNaN(endedAt) ? {} : { expiresAt: endedAt + KEPT_MS }
  return { kind: "completed", outputs: urls.map((url) => ({ url, ...expiry })) }
}

function readFailure(words: string): PollOutcome {
  const isContent = REFUSED_FOR_CONTENT.test(words)
  if (!isContent && MACHINE_FAILED.test(words)) {
    return { kind: "not-created", reason: "provider_failed" }
  }
  // Its machine ran. Which models bill that is not documented.
  return { ...toRejected(isContent, words === "" ? undefined : words), billed: "maybe" }
}

function readHandle(json: Json | undefined): Json | undefined {
  const get = textAt(json, "urls", "get")
  return get === undefined ? undefined : { get, cancel: textAt(json, "urls", "cancel") ?? null }
}

/** The answer is the prediction in its present state. */
function readCancelled({ json }: Reply): CancelOutcome {
  switch (textAt(json, "status")) {
    case "aborted":
    case "canceled":
    case "failed":
      return "stopped"
    case "succeeded":
      return "too-late"
    case undefined:
    default:
      return "unknown"
  }
}

export const replicate = defineProvider({
  name: "replicate",
  title: "Replicate",
  baseUrl: "https://api.replicate.com",
  keyVariable: "REPLICATE_API_TOKEN",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["*.replicate.delivery", "replicate.delivery"],
  // A prediction repeats its input.
  answersHoldMedia: true,
  submission: { kind: "unkeyed" },
  concurrency: 8,
  submitTimeoutMs: 30_000,
  models: { [textToImage.id]: picture, [imageEdit.id]: edit, [referenceToVideo.id]: film },
  toModel: () => ({
    toRequest: (parameters, _key, { upstream }) => toRequest(upstream, parameters as Body),
  }),
  mediaInputs: { image: UPLOAD, video: { by: "upload" }, audio: UPLOAD },
  async hasModel(upstream, send) {
    const [name = ""] = upstream.split(":")
    if (!name.includes("/")) return undefined
    const { status } = await send({ method: "GET", path: `/v1/models/${name}` })
    if (status === 404) return false
    return status === 200 ? true : undefined
  },
  async upload({ content }, send) {
    const form = new FormData()
    form.set("content", content, "input")
    const { json } = await send({ method: "POST", path: "/v1/files", form })
    const url = textAt(json, "urls", "get")
    if (url !== undefined) return url
    throw unavailable("replicate took no file")
  },
  readCreate(reply) {
    const { json, status } = reply
    const operation = readHandle(json)
    if ((status === 201 || status === 202) && operation !== undefined) {
      return { kind: "accepted", operation }
    }
    const words = textAt(json, "detail")
    if (!INVALID.has(status) || words === undefined) return readTurnedAway(reply)
    return toRejected(false, words)
  },
  webhook: {
    scheme: { kind: "standard-webhooks", secretVariable: "REPLICATE_WEBHOOK_SECRET" },
    // The first event names a lost purchase at once; Replicate delivers the last one again if that fails.
    addTo: (request, { url }) =>
      addMembers(request, { webhook: url, webhook_events_filter: ["start", "completed"] }),
    readOperation: readHandle,
  },
  async poll(operation, send, { artifacts } = { artifacts: [] }) {
    const { json, status } = await send({ method: "GET", path: textAt(operation, "get") ?? "" })
    if (status !== 200) return undefined
    switch (textAt(json, "status")) {
      case "starting":
      case "processing":
        return { kind: "running", pollAfterMs: POLL_AFTER_MS }
      case "succeeded":
        return readOutput(json, artifacts.includes("text"))
      case "failed":
        return readFailure(textAt(json, "error") ?? "")
      case "aborted":
      case "canceled":
        return { kind: "refused", code: "task_cancelled" }
      case undefined:
      default:
        return undefined
    }
  },
  readCost: (reply) => toCost(at(reply?.json, "metrics", "predict_time"), "predict_seconds"),
  cancel: (operation, send) => cancelHandle(operation, send, "POST", readCancelled),
})
