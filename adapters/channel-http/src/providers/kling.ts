/**
 * Kling's own API, at Singapore or, with `"baseUrl": "https://api-beijing.klingai.com"`, at Beijing. The key is an
 * API key, or an access key and its secret, `ACCESS:SECRET`.
 *
 * - After a lost answer the task is looked up two minutes later: only if there is none may another attempt follow.
 * - One image is the first frame of a video, two are the first and the last.
 * - Any other model is named by its path, as `image-to-video/kling-3.0-turbo` or `omni-video/kling-3.0-omni`: its
 *   `prompt` and its media go to where they belong, `watermark_info` to the options, anything else to the
 *   settings. Models of the older design are named with theirs, as `v1/videos/text2video/kling-v2-6` or
 *   `v1/images/generations/kling-v2-1`, and get their parameters unchanged.
 * - A failed task is refused: it may be billed.
 * - Callbacks are requested if `KLING_WEBHOOK_SECRET` holds the account's secret. Nothing can be cancelled.
 *
 * Charges in US dollars, `cny` or `units`.
 *
 * Assumed: a token of an access key is taken by all paths, base64 of an image comes without the beginning of its
 * data URL, a refusal of content by the words of a failed task, how soon a task can be found, and the hosts of
 * outputs.
 */
// A purchase carries our upstream key as `external_task_id`, by which it is looked up. Of an access key and its
// secret every request gets a token that lasts for half an hour.
import { createHmac } from "node:crypto"
import {
  parseDataUrl,
  referenceToVideo,
  type Json,
  type ParameterValues,
  type PollOutcome,
  type ProviderCost,
  type ReferenceToVideoParameters,
} from "@safelight/core"
import { acceptsUnless, countReferences, findBitrateObstacle } from "../declaration/eligibility.ts"
import { defineProvider, type CreateOutcome } from "../declaration/provider.ts"
import type { ProviderModel } from "../declaration/provider-model.ts"
import {
  addMembers,
  isObject,
  type Body,
  type ProviderRequest,
  type Reply,
  type Send,
} from "../declaration/provider-request.ts"
import {
  at,
  listAt,
  numberAt,
  readTurnedAway,
  textAt,
  toCompleted,
  toCost,
  toRejected,
} from "../declaration/read-reply.ts"
import { unavailable } from "../declaration/unavailable.ts"

/**
 * Of a token, in seconds. It ends when the documentation recommends, and begins earlier than that says, since our clock
 * may be some minutes ahead of Kling's.
 */
const TOKEN_LIVES_S = 1_800
const TOKEN_BEGAN_S = 900

/** The key itself, or a token by HS256 (RFC 7519) of an access key and its secret. */
function toToken(key: string, now: number): string {
  const [access = "", secret] = key.split(":")
  if (secret === undefined) return key
  if (access === "" || secret === "") throw new TypeError("the key is no ACCESS:SECRET")
  const seconds = Math.floor(now / 1_000)
  const claims = { iss: access, exp: seconds + TOKEN_LIVES_S, nbf: seconds - TOKEN_BEGAN_S }
  const signed = [{ alg: "HS256", typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".")
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

const FILM_MODEL = "kling-3.0"

const MOST_CHARACTERS = 3_072
const LONGEST_S = 15
const SHAPES: ReadonlySet<string> = new Set(["16:9", "9:16", "1:1"])

const film: ProviderModel<ReferenceToVideoParameters> = {
  upstream: FILM_MODEL,
  accepts(asked) {
    const { films, images, sounds } = countReferences(asked)
    return acceptsUnless({
      prompt: findPromptObstacle(asked.prompt),
      image_urls: images > 2 && "at most 2 images are taken",
      video_urls: films > 0 && "films can't be referred to",
      audio_urls: sounds > 0 && "sounds can't be referred to",
      duration: (asked.duration ?? 0) > LONGEST_S && `at most ${LONGEST_S} seconds are offered`,
      resolution: asked.resolution === "480p" && "resolution 480p is not offered",
      aspect_ratio: findShapeObstacle(asked.aspect_ratio, images),
      ...findBitrateObstacle(asked),
    })
  },
  inputs: { image_urls: { by: "link" } },
  toRequest(
    { generate_audio: audio, image_urls: [first, last] = [], prompt, ...asked },
    key,
    { upstream },
  ) {
    const { aspect_ratio, duration, resolution } = asked
    const path = first === undefined ? "text-to-video" : "image-to-video"
    return toRequest(
      `${path}/${upstream}`,
      {
        prompt,
        first_frame: first,
        last_frame: last,
        aspect_ratio,
        duration,
        resolution,
        audio: audio === undefined ? undefined : audio ? "native" : "off",
      },
      key,
    )
  },
}

function findPromptObstacle(prompt = ""): string | false {
  if (prompt === "") return "a prompt is needed"
  return prompt.length > MOST_CHARACTERS && `a prompt has at most ${MOST_CHARACTERS} characters`
}

function findShapeObstacle(shape: string | undefined, images: number): string | false {
  if (shape === undefined) return false
  if (!SHAPES.has(shape)) return `aspect ratio ${shape} is not offered`
  return images > 0 && "a film from images has their shape"
}

/** Named by its provider's own name. */
const other: ProviderModel = {
  toRequest: (parameters, key, { upstream }) =>
    upstream.startsWith("v1/")
      ? toOlderRequest(upstream, parameters, key)
      : toRequest(upstream, parameters, key),
}

/** The kinds of media that a request's contents name, by the parameter that holds them. */
const CONTENTS: readonly string[] = [
  "first_frame",
  "last_frame",
  "refer_image",
  "feature_video",
  "base_video",
  "image",
  "video",
]

/** A parameter that is undefined is not sent. */
function toRequest(model: string, parameters: ParameterValues, key: string): ProviderRequest {
  const { prompt, watermark_info, ...others } = parameters
  const media = CONTENTS.flatMap((type) => toUrls(others[type]).map((url) => ({ type, url })))
  const settings = Object.entries(others).filter(([name]) => !CONTENTS.includes(name))
  const contents = [...(prompt === undefined ? [] : [{ type: "prompt", text: prompt }]), ...media]
  const json = {
    ...(model.startsWith("text-to-video/") ? { prompt } : { contents }),
    settings: Object.fromEntries(settings),
    options: { external_task_id: key, watermark_info },
  }
  return { method: "POST", path: `/${model}`, json: json as Body }
}

/** Models that are members of the body, and not of the path. */
function toOlderRequest(model: string, parameters: ParameterValues, key: string): ProviderRequest {
  const [, path = "", name = ""] = /^(.*)\/([^/]+)$/.exec(model) ?? []
  const values = Object.entries(parameters).map(([param, value]) => [param, toPlain(value)])
  const json = { model_name: name, ...Object.fromEntries(values), external_task_id: key } as Body
  return { method: "POST", path: `/${path}`, json }
}

function toUrls(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).map(toPlain)
}

/** A URL, or bare base64. */
function toPlain(value: unknown): unknown {
  return typeof value === "string" ? value.slice(parseDataUrl(value)?.start) : value
}

const POLL_AFTER_MS = 5_000
const SUBMIT_MS = 60_000

/** A guess: how long after its acceptance a task can be found is not documented. */
const LIST_LAG_MS = 120_000

const RISK = /risk control|content security|sensitive/i

/** The account has no money, or no package that pays for this. */
const UNPAID: ReadonlySet<number> = new Set([1_101, 1_102])
const REJECTED: ReadonlySet<number> = new Set([1_200, 1_201])
const CONTENT: ReadonlySet<number> = new Set([1_300, 1_301])
const BUSY: ReadonlySet<number> = new Set([1_302, 1_303])

/** Undefined for a fault of its machines, after which the task may exist. */
function readFault(reply: Reply, code: number): CreateOutcome | undefined {
  const words = textAt(reply.json, "message")
  if (code >= 5_000) return undefined
  if (UNPAID.has(code)) {
    return { kind: "not-created", reason: "provider_out_of_money", needsOperator: true }
  }
  if (BUSY.has(code)) return readTurnedAway({ ...reply, status: 429 })
  if (CONTENT.has(code)) return toRejected(true, words)
  if (!REJECTED.has(code)) {
    return { kind: "not-created", reason: `provider_answered_${reply.status}`, needsOperator: true }
  }
  // The key belongs to a task, which may be this one.
  return /external_?(?:task_?)?id/i.test(words ?? "") ? undefined : toRejected(false, words)
}

/** Of either design; the older one's is polled below the path of the purchase. */
function readHandle({ asked, json }: Reply): Json | undefined {
  const id = textAt(json, "data", "id")
  if (id !== undefined) return { id }
  const older = textAt(json, "data", "task_id")
  return older === undefined ? undefined : { id: older, path: asked?.path ?? "" }
}

function toPoll(operation: Json): ProviderRequest {
  const [id = "", path] = [textAt(operation, "id"), textAt(operation, "path")]
  if (path === undefined) return { method: "GET", path: "/tasks", query: { task_ids: id } }
  return { method: "GET", path: `${path}/${encodeURIComponent(id)}` }
}

/** The task of an answer; the older design answers with it alone. */
function findTask(json: Json | undefined, operation: Json): Json | undefined {
  const data = at(json, "data")
  if (isObject(data)) return data
  const id = textAt(operation, "id")
  return listAt(data).find((task) => textAt(task, "id") === id)
}

function readTask(task: Json | undefined): PollOutcome | undefined {
  switch (textAt(task, "status") ?? textAt(task, "task_status")) {
    case "submitted":
    case "processing":
      return { kind: "running", pollAfterMs: POLL_AFTER_MS }
    case "succeeded":
    case "succeed":
      return toCompleted(findOutputs(task))
    case "failed": {
      const words = textAt(task, "message") ?? textAt(task, "task_status_msg")
      return { ...toRejected(RISK.test(words ?? ""), words), billed: "maybe" }
    }
    case undefined:
    default:
      return undefined
  }
}

/** In order, without watermarks. Of a sound the whole wave, if there is one. */
function findOutputs(task: Json | undefined): readonly string[] {
  const older = ["videos", "images", "audios"].flatMap((kind) => listAt(task, "task_result", kind))
  return [...listAt(task, "outputs"), ...older].flatMap(
    (output) =>
      textAt(output, "url") ?? textAt(output, "wav_url") ?? textAt(output, "mp3_url") ?? [],
  )
}

/** Of money, or of a package's units; the older design tells units alone. */
function readBilling(task: Json | undefined): ProviderCost | undefined {
  const parts = listAt(task, "billing")
  const units = parts.map((part) =>
    textAt(part, "charge_type") === "cash" ? textAt(part, "currency")?.toLowerCase() : "units",
  )
  const [unit] = units
  const isOne = unit !== undefined && units.every((each) => each === unit)
  const amounts = parts.map((part) => Number(textAt(part, "amount")))
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  if (isOne) return toCost(sum, unit)
  return toCost(textAt(task, "final_unit_deduction"), "units")
}

/** By its key, at the paths of the older design. */
const OLDER: readonly string[] = [
  "/v1/videos/text2video",
  "/v1/videos/image2video",
  "/v1/images/generations",
]

/** Undefined if the path has no such task. Rejects with `channel-unavailable` if it doesn't say. */
async function findOlder(path: string, key: string, send: Send): Promise<Json | undefined> {
  const { json, status } = await send({ method: "GET", path: `${path}/${encodeURIComponent(key)}` })
  const id = textAt(json, "data", "task_id")
  if (status === 200 && id !== undefined) return { id, path }
  if (status === 404 && numberAt(json, "code") === 1_203) return undefined
  throw unavailable("kling does not say whether it has a task")
}

export const kling = defineProvider({
  name: "kling",
  title: "Kling",
  baseUrl: "https://api-singapore.klingai.com",
  keyVariable: "KLING_API_KEY",
  authorize: (key, { now }) => ({ authorization: `Bearer ${toToken(key, now)}` }),
  outputHosts: ["*.klingai.com", "*.kechuangai.com"],
  submission: { kind: "lookup", longestRequestMs: 2 * SUBMIT_MS, listLagMs: LIST_LAG_MS },
  concurrency: 5,
  submitTimeoutMs: SUBMIT_MS,
  models: { [referenceToVideo.id]: film },
  toModel: () => other,
  readCreate(reply) {
    const code = numberAt(reply.json, "code")
    if (code === undefined) return readTurnedAway(reply)
    if (code !== 0) return readFault(reply, code)
    const operation = readHandle(reply)
    return operation === undefined ? undefined : { kind: "accepted", operation }
  },
  webhook: {
    scheme: { kind: "standard-webhooks", secretVariable: "KLING_WEBHOOK_SECRET" },
    addTo(request, { url: callback_url }) {
      const { options } = request.json as { readonly options?: Body }
      const isOlder = options === undefined
      const members = isOlder ? { callback_url } : { options: { ...options, callback_url } }
      return addMembers(request, members)
    },
    // A message of the older design names no path at which its task could be polled.
    readOperation(message) {
      const id = textAt(message, "id")
      return id === undefined ? undefined : { id }
    },
  },
  async poll(operation, send) {
    const { json, status } = await send(toPoll(operation))
    return status === 200 ? readTask(findTask(json, operation)) : undefined
  },
  readCost: (reply, operation) =>
    operation === undefined ? undefined : readBilling(findTask(reply?.json, operation)),
  check: {
    // A moment of the past, since no more than the key is asked about.
    request: {
      method: "GET",
      path: "/account/costs",
      query: { start_time: "1735689600000", end_time: "1735689601000" },
    },
    readKey({ json, status }) {
      if (status === 200 && numberAt(json, "code") === 0) return true
      return status === 401 ? false : undefined
    },
  },
  async find({ key, model }, send) {
    const query = { external_task_ids: key }
    const { json, status } = await send({ method: "GET", path: "/tasks", query })
    const data = at(json, "data")
    if (status !== 200 || numberAt(json, "code") !== 0 || !Array.isArray(data)) {
      throw unavailable("kling does not say whether it has a task")
    }
    const id = listAt(data).flatMap((task) => textAt(task, "id") ?? [])[0]
    if (id !== undefined) return { operation: { id } }
    if (model === referenceToVideo.id) return null
    const found = await Promise.all(OLDER.map((path) => findOlder(path, key, send)))
    const operation = found.find((each) => each !== undefined)
    return operation === undefined ? null : { operation }
  },
})
