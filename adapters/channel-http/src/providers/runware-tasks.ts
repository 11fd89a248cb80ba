/**
 * Our models as tasks of Runware. The client chooses a task's UUID, by which alone the task is found again:
 * so it is derived from the upstream key, and from nothing else.
 */
import { createHash } from "node:crypto"
import {
  PICTURE_SIZES,
  toUuid,
  type Json,
  type ReferenceToVideoParameters,
  type TextToImageParameters,
} from "@safelight/core"
import {
  acceptsUnless,
  countReferences,
  findBitrateObstacle,
  findPictureObstacles,
} from "../eligibility.ts"
import type { ProviderModel, ProviderRequest } from "../provider.ts"

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
 * From the SHA-256 of `safelight:runware:` and the key, as a UUID of version 4, the only one that Runware
 * documents: the same key is the same task, at every release.
 */
export function toTaskId(upstreamKey: string): string {
  return toUuid(createHash("sha256").update(`safelight:runware:${upstreamKey}`).digest(), 4)
}

function toRequest(task: Readonly<Record<string, Json>>, key: string): ProviderRequest {
  const delivery = { deliveryMethod: "async", outputType: "URL", includeCost: true }
  return { method: "POST", path: "/v1", json: [{ taskUUID: toTaskId(key), ...delivery, ...task }] }
}

export const runwarePicture: ProviderModel = {
  accepts(parameters) {
    const { prompt } = parameters as TextToImageParameters
    const { least, most } = PROMPT_CHARACTERS
    const isLong = prompt.length < least || prompt.length > most
    const { enable_safety_checker: _switch, ...obstacles } = findPictureObstacles(parameters)
    return acceptsUnless({
      prompt: isLong && `a prompt has ${least} to ${most} characters`,
      ...obstacles,
    })
  },
  toRequest(parameters, key) {
    const { enable_safety_checker, prompt, size } = parameters as TextToImageParameters
    const task = {
      taskType: "imageInference",
      // FLUX.1 schnell, which is made for four steps.
      model: "runware:100@1",
      positivePrompt: prompt,
      ...PICTURE_SIZES[size],
      steps: 4,
      numberResults: 1,
      safety: { checkContent: enable_safety_checker },
    }
    return toRequest(task, key)
  },
}

/** Up to two images alone are the first frame and the last; with anything else they are references. */
function areFrames(asked: ReferenceToVideoParameters): boolean {
  const { films, images, sounds } = countReferences(asked)
  return images > 0 && images <= 2 && films + sounds === 0
}

export const runwareFilm: ProviderModel = {
  accepts(parameters) {
    const asked = parameters as ReferenceToVideoParameters
    const isShaped = areFrames(asked) && asked.aspect_ratio !== undefined
    return acceptsUnless({
      prompt: (asked.prompt ?? "").length < PROMPT_CHARACTERS.least && "a prompt is needed",
      resolution: asked.resolution === "1080p" && "resolution 1080p is not offered",
      aspect_ratio: isShaped && "a film from frames has their shape",
      ...findBitrateObstacle(asked),
    })
  },
  toRequest(parameters, key) {
    const asked = parameters as ReferenceToVideoParameters
    const { aspect_ratio: shape = "", duration, generate_audio: audio, resolution = "720p" } = asked
    const [width, height] = FILM_PIXELS[resolution]?.[shape] ?? []
    const inputs = toInputs(asked)
    const task = {
      taskType: "videoInference",
      model: "bytedance:seedance@2.5",
      positivePrompt: asked.prompt ?? "",
      numberResults: 1,
      ...(width !== undefined && height !== undefined ? { width, height } : { resolution }),
      ...(duration !== undefined && { duration }),
      ...(audio !== undefined && { settings: { audio } }),
      ...(Object.keys(inputs).length > 0 && { inputs }),
    }
    return toRequest(task, key)
  },
}

function toInputs(asked: ReferenceToVideoParameters): Readonly<Record<string, Json>> {
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
