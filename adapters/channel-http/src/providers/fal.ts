/**
 * fal's queue. The public models are its own endpoints with `size` and `count` renamed.
 *
 * - Any other endpoint gets the parameters as its body. Outputs are read from `images`, `image`, `videos`,
 *   `video`, the names of sound and 3D models, or else every file of the answer: files with a `url`, or URLs, data
 *   URLs included. A text is read from `output` or `text`.
 * - A 5xx on the result is not billed: another attempt follows if fal says whose failure it was, or gives the same
 *   answer five times in a row. A partner's moderation may have been billed.
 *
 * Charges in `billable_units`.
 *
 * Assumed: a `400` or `422` to a create made nothing, fal checks the key before the id, keeps a request whose
 * answer is lost at `/{owner}/{app}/requests/{id}`, and calls an address with a query.
 */
// A callback is signed with a key that fal publishes. It names no endpoint, so its address does (`?app=owner/app`).
// The check asks for a request that doesn't exist: a `404` shows that the key is valid.
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type CallbackAddress,
  type CallbackRequest,
  type Completed,
  type FailureCode,
  type Json,
  type NotCreated,
  type PollOutcome,
  type ReferenceToVideoParameters,
  type Refused,
} from "@safelight/core"
import { acceptsUnless } from "../declaration/eligibility.ts"
import { defineProvider, type Unclear } from "../declaration/provider.ts"
import { toTextOutput } from "../declaration/text-output.ts"
import { toJson, type ProviderModel } from "../declaration/provider-model.ts"
import type { ProviderRequest, Reply } from "../declaration/provider-request.ts"
import {
  at,
  cancelHandle,
  findUrls,
  listAt,
  readCancelRequested,
  readQueueHandle,
  readTurnedAway,
  textAt,
  toCompleted,
  toCost,
  toRefused,
} from "../declaration/read-reply.ts"

const POLL_AFTER_MS = 2_000

/** The list of all endpoints, at a host of its own. */
const MODELS = "https://api.fal.ai/v1/models"

/** An id that no request has: a caller with a key is answered that there is none, any other is turned away. */
const NO_REQUEST = "00000000-0000-4000-8000-000000000000"

/** By fal's name for a model's fault, our code. */
const FAILURES: Readonly<Record<string, FailureCode>> = {
  content_policy_violation: "content_policy_violation",
  no_media_generated: "no_output",
  file_download_error: "media_download_failed",
  image_too_small: "media_too_small",
  image_too_large: "media_too_large",
  file_too_large: "media_too_large",
  generation_timeout: "generation_timeout",
}

/** The work was given up; `internal_error` and the like may be about any request. */
const RUNNER_FAILED = /^(runner_|request_timeout$|startup_timeout$)/

/** By public model, fal's own endpoint. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  [textToImage.id]: "recraft/v4.1/flash/text-to-image",
  [imageEdit.id]: "xai/grok-imagine-image/v2.0/edit",
  [referenceToVideo.id]: "bytedance/seedance-2.5/reference-to-video",
}

/** fal's own names take the place of ours. */
function toOwn(id: string): ProviderModel {
  return {
    upstream: ENDPOINTS[id] ?? "",
    toRequest({ count, size, sync_mode: _sync, ...others }, _key, { upstream }) {
      const json = toJson({
        ...others,
        ...(size !== undefined && { image_size: size }),
        ...(count !== undefined && { num_images: count }),
      })
      return { method: "POST", path: `/${upstream}`, json }
    },
  }
}

/** Documented for 480p and 720p alone. */
const film: ProviderModel<ReferenceToVideoParameters> = {
  ...toOwn(referenceToVideo.id),
  accepts: ({ resolution }) =>
    acceptsUnless({ resolution: resolution === "1080p" && "resolution 1080p is not offered" }),
}

/** The member of the callback's query that says to which app the purchase went: no message does. */
const APP = "app"

/** Two namespaces may precede the owner. */
const NAMESPACES: ReadonlySet<string> = new Set(["comfy", "workflows"])

/** A request is kept below its owner and app, whatever follows those in its path. */
function toApp(path: string): string {
  const [, ...parts] = path.split("/")
  return parts.slice(0, NAMESPACES.has(parts[0] ?? "") ? 3 : 2).join("/")
}

function addCallback(request: ProviderRequest, { url }: CallbackAddress): ProviderRequest {
  const hook = new URL(url)
  hook.searchParams.set(APP, toApp(request.path))
  return { ...request, query: { ...request.query, fal_webhook: hook.href } }
}

/**
 * The handle of a request whose own answer is lost. A purchase of an earlier release has no app in its
 * callback's address, and went to one of the built-in endpoints.
 */
function readWebhook(
  message: Json,
  { model, query = {} }: Pick<CallbackRequest, "model" | "query">,
): Json | undefined {
  const id = textAt(message, "request_id") ?? ""
  const app = query[APP] ?? toApp(`/${ENDPOINTS[model] ?? ""}`)
  if (!/^[\w-]{1,64}$/.test(id) || !/^\w[\w.-]*(?:\/\w[\w.-]*){1,2}$/.test(app)) return undefined
  const result = `/${app}/requests/${id}`
  return { id, state: `${result}/status`, result, cancel: `${result}/cancel` }
}

/** A refusal in fal's shape: `detail` is a list of faults, or a text. Undefined in any other. */
function toRefusal({ json }: Reply): Refused | undefined {
  const type = textAt(json, "detail", 0, "type") ?? ""
  const words = textAt(json, "detail", 0, "msg") ?? textAt(json, "detail")
  if (type === "" && words === undefined) return undefined
  const code = type.startsWith("unsupported_") ? "unsupported_media_type" : FAILURES[type]
  return toRefused(code ?? "provider_rejected", words)
}

/** Whether fal bills a partner's moderation depends on the partner. */
function toLateRefusal(reply: Reply): Refused | undefined {
  const refusal = toRefusal(reply)
  const isContent = refusal?.code === "content_policy_violation"
  return isContent ? { ...refusal, billed: "maybe" } : refusal
}

const CANCELLED: Refused = { kind: "refused", code: "task_cancelled" }

/** A 5xx is not billed, and another attempt may succeed. */
const FAILED: NotCreated = { kind: "not-created", reason: "provider_failed" }

/**
 * A failure counts if fal says whose it is: the model's in `detail`, a runner's in `error_type`. Any other answer
 * is about this request for the result, which is paid for and still there.
 */
function readResult(reply: Reply, isText: boolean): PollOutcome | Unclear | undefined {
  const { json, status } = reply
  const isModels = textAt(json, "detail", 0, "type") !== undefined
  const isRunners = RUNNER_FAILED.test(textAt(json, "error_type") ?? "")
  if (status === 499) return CANCELLED
  if (status >= 500 && (isModels || isRunners)) return FAILED
  if (status >= 500 && textAt(json, "detail") !== undefined) {
    return { kind: "unclear", answer: reply, meaning: FAILED }
  }
  if (status === 422 || (status === 400 && isModels)) return toLateRefusal(reply)
  return status === 200 ? readMedia(reply, isText) : undefined
}

/** The members in which endpoints of fal name their outputs: a list of files, or one. */
const MEDIA: readonly string[] = ["images", "image", "videos", "video"]

/** The same for sound and 3D. Further files of a 3D model are other forms of it. */
const OTHER_MEDIA: readonly string[] = [
  "audio",
  "audio_file",
  "audio_url",
  "audios",
  "model_mesh",
  "model_glb",
  "model_glb_pbr",
  "mesh",
  "glb",
]
const TEXTS: readonly string[] = ["output", "text", "outputs", "results", "lyrics"]

/** An answer that names no medium may be a proxy's page. */
function readMedia(answer: Reply, isText: boolean): Completed | Unclear | undefined {
  const { json } = answer
  const [made, others] = [MEDIA, OTHER_MEDIA].map((names) =>
    names.map((name) => at(json, name)).filter((each) => each !== undefined),
  )
  if (json === undefined) return undefined
  if (made?.length) return toCompleted(findUrls([...made, ...(others ?? [])]))
  const [text] = isText ? TEXTS.flatMap((name) => toTextOutput(at(json, name)) ?? []) : []
  if (text !== undefined) return { kind: "completed", outputs: [text] }
  const urls = findUrls(others?.length ? others : json)
  if (urls.length > 0) return toCompleted(urls)
  return { kind: "unclear", answer, meaning: { kind: "completed", outputs: [] } }
}

export const fal = defineProvider({
  name: "fal",
  baseUrl: "https://queue.fal.run",
  keyVariable: "FAL_KEY",
  authorize: (key) => ({ authorization: `Key ${key}` }),
  apiHosts: ["api.fal.ai"],
  outputHosts: ["*.fal.media", "fal.media"],
  // A fault of an input may hold the input.
  answersHoldMedia: true,
  submission: { kind: "unkeyed" },
  concurrency: 2,
  submitTimeoutMs: 30_000,
  models: {
    [textToImage.id]: toOwn(textToImage.id),
    [imageEdit.id]: toOwn(imageEdit.id),
    [referenceToVideo.id]: film,
  },
  toModel: () => ({
    toRequest: (parameters, _key, { upstream }) => ({
      method: "POST",
      path: `/${upstream}`,
      json: toJson(parameters),
    }),
  }),
  async hasModel(upstream, send) {
    const { json, status } = await send({
      method: "GET",
      path: MODELS,
      query: { endpoint_id: upstream },
    })
    if (status === 404) return false
    const models = listAt(json, "models")
    if (status !== 200 || at(json, "models") === undefined) return undefined
    return models.some((model) => textAt(model, "endpoint_id") === upstream)
  },
  readCreate(reply) {
    const { json, status } = reply
    const operation = status === 200 ? readQueueHandle(json) : undefined
    if (operation !== undefined) return { kind: "accepted", operation }
    return status === 400 || status === 422 ? toRefusal(reply) : readTurnedAway(reply)
  },
  outOfMoney: /exhausted balance/i,
  async poll(operation, send, { artifacts } = { artifacts: [] }) {
    const state = await send({ method: "GET", path: textAt(operation, "state") ?? "" })
    const status = textAt(state.json, "status")
    if (status === "IN_QUEUE" || status === "IN_PROGRESS") {
      return { kind: "running", pollAfterMs: POLL_AFTER_MS }
    }
    // A request that was cancelled has no status.
    if (state.status === 499) return CANCELLED
    if (status !== "COMPLETED") return undefined
    const result = await send({ method: "GET", path: textAt(operation, "result") ?? "" })
    return readResult(result, artifacts.includes("text"))
  },
  webhook: {
    scheme: {
      kind: "ed25519",
      headerPrefix: "x-fal-webhook-",
      keySetUrl: "https://rest.fal.ai/.well-known/jwks.json",
    },
    addTo: addCallback,
    readOperation: readWebhook,
  },
  readCost: (reply) => toCost(reply?.headers["x-fal-billable-units"], "billable_units"),
  check: {
    request: { method: "GET", path: `/recraft/v4.1/requests/${NO_REQUEST}/status` },
    readKey({ json, status }) {
      if (status === 404 && textAt(json, "status") === "NOT_FOUND") return true
      return status === 401 || status === 403 ? false : undefined
    },
  },
  cancel: (operation, send) => cancelHandle(operation, send, "PUT", readCancelRequested),
})
