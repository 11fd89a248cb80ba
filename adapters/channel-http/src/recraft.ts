/**
 * A picture of Recraft V4.1 in its own words. Of the sizes that it makes only the square of 1024 × 1024
 * is one of ours.
 */
import type { Ineligible, Json, ParameterValues, TextToImageParameters } from "@safelight/core"
import { acceptsUnless } from "./eligibility.ts"
import { findSquareObstacles } from "./square-picture.ts"

export function toRecraft(parameters: ParameterValues): Json {
  const { background_color, colors, prompt } = parameters as TextToImageParameters
  const controls = {
    ...(background_color && { background_color: toRgb(background_color) }),
    ...(colors.length > 0 && { colors: colors.map(toRgb) }),
  }
  const isPlain = Object.keys(controls).length === 0
  return { prompt, n: 1, size: "1024x1024", ...(!isPlain && { controls }) }
}

function toRgb({ b, g, r }: TextToImageParameters["colors"][number]): { readonly rgb: Json } {
  return { rgb: [r, g, b] }
}

export function acceptsRecraft(parameters: ParameterValues): true | Ineligible {
  const { background_color: _, colors: _colors, ...obstacles } = findSquareObstacles(parameters)
  return acceptsUnless(obstacles)
}
