/**
 * Why a provider can't express a request. What it can't say exactly it does not take: nothing is left
 * out or put differently behind a caller's back.
 */
import type {
  Ineligible,
  ParameterValues,
  ReferenceToVideoParameters,
  TextToImageParameters,
} from "@safelight/core"

/** By the parameter that is in the way: the reason in words for people, or false. */
export type Obstacles = Readonly<Record<string, string | false>>

/** The first of `obstacles` that there is. */
export function acceptsUnless(obstacles: Obstacles): true | Ineligible {
  const found = Object.entries(obstacles).find(([, reason]) => reason !== false)
  if (found === undefined) return true
  const [param, reason] = found
  return { kind: "ineligible", reason: String(reason), param }
}

/** What stands in the way of a picture where colours can't be named, and what is made is always checked. */
export function findPictureObstacles(parameters: ParameterValues): Obstacles {
  const { background_color, colors, enable_safety_checker } = parameters as TextToImageParameters
  return {
    background_color: background_color !== undefined && "a background colour can't be named",
    colors: colors.length > 0 && "colours can't be named",
    enable_safety_checker: !enable_safety_checker && "the safety checker can't be turned off",
  }
}

/** The same if only our `square_hd` is made. */
export function findSquareObstacles(parameters: ParameterValues): Obstacles {
  const { size } = parameters as TextToImageParameters
  return {
    ...findPictureObstacles(parameters),
    size: size !== "square_hd" && "only size square_hd is offered",
  }
}

export interface ReferenceCounts {
  readonly images: number
  readonly films: number
  readonly sounds: number
}

/** How much of each kind a film refers to. */
export function countReferences({
  audio_urls = [],
  image_urls = [],
  video_urls = [],
}: ReferenceToVideoParameters): ReferenceCounts {
  return { images: image_urls.length, films: video_urls.length, sounds: audio_urls.length }
}

/** A bit rate is what nobody lets choose; `standard` is what everybody makes. */
export function findBitrateObstacle({ bitrate_mode }: ReferenceToVideoParameters): Obstacles {
  return { bitrate_mode: bitrate_mode === "high" && "the bit rate can't be chosen" }
}
