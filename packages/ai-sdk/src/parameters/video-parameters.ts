/** The SDK's options of a video as parameters of a model. */
import {
  ASPECT_RATIO_NAMES,
  COUNT_NAMES,
  createDraft,
  type Draft,
  findCount,
  place,
  placeDuration,
  placeRatioOf,
  placeResolution,
  toAspectRatio,
} from "@safelight/client/parameters"
import type { Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions } from "@ai-sdk/provider"
import type { ModelInfo } from "@safelight/client"
import { placeFrames, placeReferences } from "./video-media.ts"

export type VideoOptions = Omit<VideoModelV4CallOptions, "n" | "providerOptions">

const FPS_NAMES = ["fps", "frame_rate", "frames_per_second"] as const

/** `n` is of one task. */
export function toVideoParameters(info: ModelInfo, options: VideoOptions, n: number): Draft {
  const draft = createDraft(info)
  place(draft, "prompt", ["prompt", "text"], options.prompt)
  if (n > 1 || findCount(draft) !== undefined) place(draft, "n", COUNT_NAMES, n)
  place(draft, "aspectRatio", ASPECT_RATIO_NAMES, options.aspectRatio, toAspectRatio)
  placeResolution(draft, "resolution", options.resolution)
  if (options.aspectRatio === undefined) placeRatioOf(draft, "resolution", options.resolution)
  placeDuration(draft, "duration", options.duration)
  place(draft, "fps", FPS_NAMES, options.fps)
  place(draft, "seed", ["seed"], options.seed)
  place(draft, "generateAudio", ["generate_audio"], options.generateAudio)
  placeFrames(draft, options)
  placeReferences(draft, options.inputReferences)
  return draft
}
