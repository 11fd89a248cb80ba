/** The SDK's options of a video as parameters of a model. */
import {
  ASPECT_RATIO_NAMES,
  COUNT_NAMES,
  createDraft,
  type Draft,
  findChoice,
  findParameter,
  type ParameterSchema,
  place,
  toAspectRatio,
  toRatioOf,
  toResolution,
} from "@safelight/client/parameters"
import type { Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions } from "@ai-sdk/provider"
import type { ModelInfo } from "@safelight/client"
import { placeFrames, placeReferences } from "./video-media.ts"

export type VideoOptions = Omit<VideoModelV4CallOptions, "n" | "providerOptions">

const RESOLUTION_NAMES = ["resolution", "size", "video_size"] as const
const DURATION_NAMES = ["duration", "duration_seconds", "seconds"] as const
const FPS_NAMES = ["fps", "frame_rate", "frames_per_second"] as const

/** `n` is of one task. */
export function toVideoParameters(info: ModelInfo, options: VideoOptions, n: number): Draft {
  const draft = createDraft(info)
  place(draft, "prompt", ["prompt", "text"], options.prompt)
  if (n > 1 || findParameter(draft, COUNT_NAMES) !== undefined) place(draft, "n", COUNT_NAMES, n)
  place(draft, "aspectRatio", ASPECT_RATIO_NAMES, options.aspectRatio, toAspectRatio)
  place(draft, "resolution", RESOLUTION_NAMES, options.resolution, toResolution)
  if (options.aspectRatio === undefined) placeRatioOf(draft, options.resolution)
  place(draft, "duration", DURATION_NAMES, options.duration, toDuration)
  place(draft, "fps", FPS_NAMES, options.fps)
  place(draft, "seed", ["seed"], options.seed)
  place(draft, "generateAudio", ["generate_audio"], options.generateAudio)
  placeFrames(draft, options)
  placeReferences(draft, options.inputReferences)
  return draft
}

/** `720p` says nothing of the shape that `720x1280` has. */
function placeRatioOf(draft: Draft, resolution: string | undefined): void {
  const name = findParameter(draft, ASPECT_RATIO_NAMES)
  const schema = name === undefined ? undefined : draft.schemas[name]
  if (resolution === undefined || schema === undefined) return
  const ratio = toRatioOf(resolution, schema)
  if (ratio !== undefined) place(draft, "resolution", ASPECT_RATIO_NAMES, ratio)
}

/** Models call five seconds `5`, `"5"` or `"5s"`. */
function toDuration(seconds: number, schema: ParameterSchema): unknown {
  const isSame = (choice: string): boolean => choice === `${seconds}` || choice === `${seconds}s`
  return findChoice(schema, isSame) ?? (schema.type === "string" ? String(seconds) : seconds)
}
