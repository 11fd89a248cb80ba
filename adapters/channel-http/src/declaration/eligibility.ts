/**
 * Why a provider can't express a request. A request that it can't express exactly it does not take: no
 * parameter is left out or changed without the caller's knowledge.
 */
import type { Ineligible, ReferenceToVideoParameters, TextToImageParameters } from "@safelight/core"
import type { Unaccepted } from "./provider-model.ts"

/** By parameter: why its value can't be expressed, in words for people; false if it can. */
export type Obstacles = Readonly<Record<string, string | false>>

/** Ineligible by the obstacles that have a reason, the first of them first. */
export function acceptsUnless(obstacles: Obstacles): true | Unaccepted {
  const [first, ...further] = Object.entries(obstacles).flatMap(([param, reason]): Ineligible[] =>
    reason === false ? [] : [{ kind: "ineligible", reason, param }],
  )
  if (first === undefined) return true
  return further.length === 0 ? first : { ...first, further }
}

/** For images of providers that take no colours and always check what they make. */
export function findPictureObstacles({
  background_color,
  colors,
  enable_safety_checker,
}: TextToImageParameters): Obstacles {
  return {
    background_color: background_color !== undefined && "a background colour can't be named",
    colors: colors.length > 0 && "colours can't be named",
    enable_safety_checker: !enable_safety_checker && "the safety checker can't be turned off",
  }
}

/** The same for providers that make only our `square_hd`. */
export function findSquareObstacles(parameters: TextToImageParameters): Obstacles {
  return {
    ...findPictureObstacles(parameters),
    size: parameters.size !== "square_hd" && "only size square_hd is offered",
  }
}

export interface ReferenceCounts {
  readonly images: number
  readonly films: number
  readonly sounds: number
}

/** How many references of each kind a film has. */
export function countReferences({
  audio_urls = [],
  image_urls = [],
  video_urls = [],
}: ReferenceToVideoParameters): ReferenceCounts {
  return { images: image_urls.length, films: video_urls.length, sounds: audio_urls.length }
}

/** No provider lets a caller choose the bit rate; all make `standard`. */
export function findBitrateObstacle({ bitrate_mode }: ReferenceToVideoParameters): Obstacles {
  return { bitrate_mode: bitrate_mode === "high" && "the bit rate can't be chosen" }
}
