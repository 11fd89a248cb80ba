/** Sizes and aspect ratios as models name them. */
import { findChoice, type ParameterSchema } from "./draft.ts"

export const SIZE_NAMES = ["size", "image_size"] as const

export const ASPECT_RATIO_NAMES = ["aspect_ratio", "ratio"] as const

/** The named sizes of the task API, as many providers have them too. */
const NAMED_SIZES: readonly (readonly [name: string, size: string, ratio: string])[] = [
  ["square_hd", "1024x1024", "1:1"],
  ["square", "512x512", "1:1"],
  ["portrait_4_3", "768x1024", "3:4"],
  ["portrait_16_9", "576x1024", "9:16"],
  ["landscape_4_3", "1024x768", "4:3"],
  ["landscape_16_9", "1024x576", "16:9"],
]

export function hasNamedSizes(schema: ParameterSchema): boolean {
  return NAMED_SIZES.some(([name]) => schema.enum?.includes(name))
}

/** `1024x1024` itself, or the name that the model has for it. */
export function toSize(size: string, schema: ParameterSchema): unknown {
  const names = NAMED_SIZES.filter(([, pixels]) => pixels === size).map(([name]) => name)
  return findChoice(schema, (choice) => choice === size || names.includes(choice)) ?? size
}

/** The first named size of that ratio. */
export function toNamedRatio(ratio: string, schema: ParameterSchema): unknown {
  const names = NAMED_SIZES.filter(([, , each]) => each === ratio).map(([name]) => name)
  return findChoice(schema, (choice) => names.includes(choice)) ?? ratio
}

/** `adaptive` is what most models call `auto`. */
export function toAspectRatio(ratio: string, schema: ParameterSchema): unknown {
  const isSame = (choice: string): boolean =>
    choice === ratio || (ratio === "adaptive" && choice === "auto")
  return findChoice(schema, isSame) ?? ratio
}

/** By their shorter side, as `720p` and `4k` are. */
const SHORT_SIDES: Readonly<Record<number, string>> = { 2160: "4k", 1440: "2k" }

/** `1280x720` itself, or `720p`. */
export function toResolution(resolution: string, schema: ParameterSchema): unknown {
  const side = Math.min(...toSides(resolution))
  const names = [resolution, `${side}p`, SHORT_SIDES[side]]
  return findChoice(schema, (choice) => names.includes(choice)) ?? resolution
}

/** 854x480 and 832x480 are sold as 16:9 too. */
const NEAR = 0.03

/** Of the model's ratios the one that is nearest to the resolution's, if any is near; else undefined. */
export function toRatioOf(resolution: string, schema: ParameterSchema): unknown {
  const [width, height] = toSides(resolution)
  const wanted = width / height
  let nearest: { readonly choice: unknown; readonly distance: number } | undefined
  for (const choice of schema.enum ?? []) {
    const [across = NaN, down = NaN] = String(choice).split(":").map(Number)
    const distance = Math.abs(across / down / wanted - 1)
    if (distance <= NEAR && distance < (nearest?.distance ?? Infinity))
      nearest = { choice, distance }
  }
  return nearest?.choice
}

function toSides(pixels: string): [width: number, height: number] {
  const [width = NaN, height = NaN] = pixels.split("x").map(Number)
  return [width, height]
}
