/**
 * Why a provider can't express a request. What it can't say exactly it does not take: nothing is left
 * out or put differently behind a caller's back.
 */
import type { Ineligible, ParameterValues, TextToImageParameters } from "@safelight/core"

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
