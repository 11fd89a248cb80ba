/**
 * Runware's API, whose client chooses the ids of tasks.
 *
 * - After a lost answer the task is looked up five minutes later: only if it is unknown among the running and the
 *   finished ones may another attempt follow.
 * - Text to image is FLUX.1 schnell in four steps, at exactly the asked size.
 * - One or two images alone are the first frame of a video and the last; otherwise all are references. An aspect
 *   ratio becomes the pixels that Seedance has for it.
 * - Any other model, as `bfl:5@1`, gets the parameters as members of its task, `prompt` as `positivePrompt`.
 * - A failed task is refused: it may be billed.
 *
 * Charges in US dollars.
 *
 * Assumed: the codes `unknownTaskUUID`, `insufficientCredits`, `contentModeration` and `invalidProviderContent`,
 * how long `getResponse` knows a result, and the names of a video's inputs.
 */
// Every request is a list of tasks to one path. The client chooses a task's UUID: ours is derived from the upstream
// key alone. A UUID that is in use (`conflictTaskUUID`) proves that the task exists. The running tasks
// (`getResponse`) and the finished ones (`getTaskDetails`) are asked for it.
import { createHash } from "node:crypto"
import {
  PICTURE_SIZES,
  referenceToVideo,
  textToImage,
  toUuid,
  type FailureCode,
  type Json,
  type PollOutcome,
  type ReferenceToVideoParameters,
  type Refused,
  type TextToImageParameters,
} from "@safelight/core"
import {
  acceptsUnless,
  countReferences,
  findBitrateObstacle,
  findPictureObstacles,
} from "../declaration/eligibility.ts"
import { defineProvider, type CreateOutcome } from "../declaration/provider.ts"
import type { GeneralModel, ProviderModel } from "../declaration/provider-model.ts"
import {
  addMembers,
  type Body,
  type ProviderRequest,
  type Reply,
} from "../declaration/provider-request.ts"
import {
  at,
  findUrls,
  listAt,
  numberAt,
  readTurnedAway,
  textAt,
  toCompleted,
  toCost,
  toRefused,
} from "../declaration/read-reply.ts"
import { unavailable } from "../declaration/unavailable.ts"

const PROMPT_CHARACTERS = { least: 2, most: 3_000 }

/** Of Seedance 2.5. A resolution alone leaves the shape to it. */
const FILM_PIXELS: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  "480p": {
    "16:9": [854, 480],
    "4:3": [752, 560],
    "1:1": [640, 640],
    "3:4": [560, 752],
    "9:16": [480, 854],
    "21:9": [992, 432],
  },
  "720p": {
    "16:9": [1280, 720],
    "4:3": [1112, 834],
    "1:1": [960, 960],
    "3:4": [834, 1112],
    "9:16": [720, 1280],
    "21:9": [1470, 630],
  },
}

/**
 * From the SHA-256 of `safelight:runware:` and the key, in the form of a UUID of version 4, the only one that Runware
 * documents: the same key is the same task, at every release.
 */
function toTaskId(upstreamKey: string): string {
  return toUuid(createHash("sha256").update(`safelight:runware:${upstreamKey}`).digest(), 4)
}

function toRequest(task: Body, key: string): ProviderRequest {
  const delivery = { deliveryMethod: "async", outputType: "URL", includeCost: true }
  return { method: "POST", path: "/v1", json: [{ taskUUID: toTaskId(key), ...delivery, ...task }] }
}

const PICTURE_MODEL = "runware:100@1"
const FILM_MODEL = "bytedance:seedance@2.5"

const picture: ProviderModel<TextToImageParameters> = {
  upstream: PICTURE_MODEL,
  accepts(parameters) {
    const { prompt } = parameters
    const { least, most } = PROMPT_CHARACTERS
    const isLong = prompt.length < least || prompt.length > most
    const { enable_safety_checker: _switch, ...obstacles } = findPictureObstacles(parameters)
    return acceptsUnless({
      prompt: isLong && `a prompt has ${least} to ${most} characters`,
      ...obstacles,
    })
  },
  toRequest({ enable_safety_checker, prompt, size }, key, { upstream }) {
    const task = {
      taskType: "imageInference",
      model: upstream,
      positivePrompt: prompt,
      ...PICTURE_SIZES[size],
      steps: 4,
      numberResults: 1,
      safety: { checkContent: enable_safety_checker },
    }
    return toRequest(task, key)
  },
}

/** By what a model makes, its task. */
const TASKS: Readonly<Record<string, string>> = {
  image: "imageInference",
  video: "videoInference",
  audio: "audioInference",
  "3d": "3dInference",
}

/** Its parameters are members of the task. */
function toModel({ artifacts: [kind = "image"] }: GeneralModel): ProviderModel | undefined {
  const taskType = Object.hasOwn(TASKS, kind) ? TASKS[kind] : undefined
  if (taskType === undefined) return undefined
  return {
    toRequest({ prompt, ...parameters }, key, { upstream: model }) {
      const words = prompt === undefined ? {} : { positivePrompt: prompt as string }
      return toRequest({ taskType, model, ...words, ...(parameters as Body) }, key)
    },
  }
}

/** Up to two images alone are the first frame and the last; with anything else they are references. */
function areFrames(asked: ReferenceToVideoParameters): boolean {
  const { films, images, sounds } = countReferences(asked)
  return images > 0 && images <= 2 && films + sounds === 0
}

const film: ProviderModel<ReferenceToVideoParameters> = {
  upstream: FILM_MODEL,
  accepts(asked) {
    const { aspect_ratio: shape, resolution = "720p" } = asked
    const isShaped = areFrames(asked) && shape !== undefined
    const isUnsized = shape !== undefined && FILM_PIXELS[resolution] === undefined
    return acceptsUnless({
      prompt: (asked.prompt ?? "").length < PROMPT_CHARACTERS.least && "a prompt is needed",
      resolution: asked.resolution === "1080p" && "resolution 1080p is not offered",
      aspect_ratio:
        (isShaped && "a film from frames has their shape") ||
        (isUnsized && "a shape has known pixels at 480p and 720p alone"),
      ...findBitrateObstacle(asked),
    })
  },
  toRequest(asked, key, { upstream }) {
    const { aspect_ratio: shape = "", duration, generate_audio: audio, resolution = "720p" } = asked
    const [width, height] = FILM_PIXELS[resolution]?.[shape] ?? []
    const inputs = toInputs(asked)
    const task = {
      taskType: "videoInference",
      model: upstream,
      positivePrompt: asked.prompt ?? "",
      numberResults: 1,
      ...(width === undefined ? { resolution } : { width, height }),
      duration,
      ...(audio !== undefined && { settings: { audio } }),
      ...(Object.keys(inputs).length > 0 && { inputs }),
    }
    return toRequest(task, key)
  },
}

function toInputs(asked: ReferenceToVideoParameters): Body {
  const { audio_urls: sounds = [], image_urls: images = [], video_urls: films = [] } = asked
  if (areFrames(asked)) {
    const frames = images.map((image, index) => ({ image, frame: index === 0 ? "first" : "last" }))
    return { frameImages: frames }
  }
  return {
    ...(images.length > 0 && { referenceImages: images }),
    ...(films.length > 0 && { referenceVideos: films }),
    ...(sounds.length > 0 && { referenceAudios: sounds }),
  }
}

const POLL_AFTER_MS = 2_000
const SUBMIT_MS = 60_000

/** A wide guess: how long after its acceptance a task can be found is not documented. */
const LIST_LAG_MS = 300_000

/** About running tasks, and about finished ones. */
const QUESTIONS: readonly string[] = ["getResponse", "getTaskDetails"]

const FAILURES: Readonly<Record<string, FailureCode>> = {
  contentModeration: "content_policy_violation",
  invalidProviderContent: "content_policy_violation",
}

function toRefusal(error: Json): Refused {
  const code = FAILURES[textAt(error, "code") ?? ""] ?? "provider_rejected"
  return toRefused(code, textAt(error, "message"))
}

function readRejection(error: Json | undefined): CreateOutcome | undefined {
  const code = textAt(error, "code")
  if (error === undefined || code === undefined) return undefined
  if (code !== "conflictTaskUUID") return toRefusal(error)
  const id = textAt(error, "taskUUID")
  return id === undefined ? undefined : { kind: "accepted", operation: { id } }
}

/** A failed task is answered with a 400. */
function isAnswer({ status }: Reply): boolean {
  return status === 200 || status === 400
}

/** An error about the question is not the end of the task. */
function isAboutQuestion(item: Json): boolean {
  const type = textAt(item, "taskType") ?? ""
  return textAt(item, "code") === "unknownTaskUUID" || QUESTIONS.includes(type)
}

/** The parts of an answer that are about one task: its results, and its failures. */
function findResults({ json }: Reply, id: string): readonly [results: Json[], failures: Json[]] {
  const isOwn = (item: Json) => textAt(item, "taskUUID") === id
  const failures = listAt(json, "errors").filter(
    (item) => isOwn(item) && textAt(item, "status") === "error" && !isAboutQuestion(item),
  )
  return [listAt(json, "data").filter(isOwn), failures]
}

/** The member of its kind, or else the files of a 3D model. */
function findFiles(item: Json): readonly string[] {
  const url = ["imageURL", "videoURL", "audioURL"].map((name) => textAt(item, name)).find(Boolean)
  return url === undefined ? findUrls(at(item, "outputs")) : [url]
}

function readResults(results: readonly Json[], failures: readonly Json[]): PollOutcome | undefined {
  const states = results.map((item) => textAt(item, "status"))
  if (states.includes("processing")) return { kind: "running", pollAfterMs: POLL_AFTER_MS }
  if (!states.every((state) => state === "success")) return undefined
  const [failure] = failures
  if (results.length === 0) return failure === undefined ? undefined : toRefusal(failure)
  const shown = results.filter((item) => at(item, "NSFWContent") !== true)
  if (shown.length === 0) return { kind: "refused", code: "content_policy_violation" }
  return toCompleted(shown.flatMap(findFiles))
}

export const runware = defineProvider({
  name: "runware",
  title: "Runware",
  baseUrl: "https://api.runware.ai",
  keyVariable: "RUNWARE_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["*.runware.ai"],
  // The details of a finished task hold its request.
  answersHoldMedia: true,
  submission: { kind: "lookup", longestRequestMs: 2 * SUBMIT_MS, listLagMs: LIST_LAG_MS },
  concurrency: 8,
  submitTimeoutMs: SUBMIT_MS,
  models: { [textToImage.id]: picture, [referenceToVideo.id]: film },
  toModel,
  readCreate(reply) {
    const { json, status } = reply
    const accepted = textAt(json, "data", 0, "taskUUID")
    if (status === 200 && accepted !== undefined) {
      return { kind: "accepted", operation: { id: accepted } }
    }
    return status === 400 ? readRejection(listAt(json, "errors")[0]) : readTurnedAway(reply)
  },
  outOfMoney: /^insufficientCredits$/,
  webhook: {
    scheme: { kind: "none" },
    addTo: (request, { url }) => addMembers(request, { webhookURL: url }),
  },
  async poll(operation, send) {
    const id = textAt(operation, "id") ?? ""
    const json = [{ taskType: "getResponse", taskUUID: id }]
    const reply = await send({ method: "POST", path: "/v1", json })
    return isAnswer(reply) ? readResults(...findResults(reply, id)) : undefined
  },
  readCost(reply, operation) {
    const [results] = reply === undefined ? [[]] : findResults(reply, textAt(operation, "id") ?? "")
    const costs = results.flatMap((item) => at(item, "cost") ?? [])
    const known = results.flatMap((item) => numberAt(item, "cost") ?? [])
    const isWhole = costs.length > 0 && known.length === costs.length
    const sum = known.reduce((total, each) => total + each, 0)
    return isWhole ? toCost(sum, "usd") : undefined
  },
  async find({ key }, send) {
    const id = toTaskId(key)
    const json = QUESTIONS.map((taskType) => ({ taskType, taskUUID: id }))
    const reply = await send({ method: "POST", path: "/v1", json })
    if (findResults(reply, id).some((found) => found.length > 0)) return { operation: { id } }
    const unknown = listAt(reply.json, "errors").filter(
      (item) => textAt(item, "code") === "unknownTaskUUID" && textAt(item, "taskUUID") === id,
    )
    const asked = new Set(unknown.map((item) => textAt(item, "taskType")))
    if (isAnswer(reply) && QUESTIONS.every((taskType) => asked.has(taskType))) return null
    throw unavailable("runware does not say whether it has a task")
  },
})
