/** Resolutions, shapes and durations of videos as models name them. */
import {
  findChoice,
  findModelOption,
  findParameter,
  place,
  type Draft,
  type ParameterSchema,
} from "./draft.ts"
import { ASPECT_RATIO_NAMES, toRatioOf, toResolution } from "./picture-shape.ts"

const RESOLUTION_NAMES = ["resolution", "size", "video_size"] as const
const DURATION_NAMES = ["duration", "duration_seconds", "seconds"] as const

/** `1280x720`, or `720p`. Does nothing for one that was not given. */
export function placeResolution(
  draft: Draft,
  feature: string,
  resolution: string | undefined,
): void {
  place(draft, feature, RESOLUTION_NAMES, resolution, toResolution)
}

export function hasResolution(draft: Draft): boolean {
  return findParameter(draft, RESOLUTION_NAMES) !== undefined
}

/**
 * The shape of that resolution, if the model has a parameter for shapes: `720p` doesn't say what `720x1280` says.
 * Where the model itself names the option's parameter, that says all.
 */
export function placeRatioOf(draft: Draft, feature: string, resolution: string | undefined): void {
  const name = findParameter(draft, ASPECT_RATIO_NAMES)
  const schema = name === undefined ? undefined : draft.schemas[name]
  if (findModelOption(draft, feature) !== undefined) return
  if (resolution === undefined || schema === undefined) return
  const ratio = toRatioOf(resolution, schema)
  if (ratio !== undefined) place(draft, feature, ASPECT_RATIO_NAMES, ratio)
}

/** In seconds. Does nothing for one that was not given. */
export function placeDuration(draft: Draft, feature: string, seconds: number | undefined): void {
  place(draft, feature, DURATION_NAMES, seconds, toDuration)
}

/** Models call five seconds `5`, `"5"` or `"5s"`. */
function toDuration(seconds: number, schema: ParameterSchema): unknown {
  const isSame = (choice: string): boolean => choice === `${seconds}` || choice === `${seconds}s`
  return findChoice(schema, isSame) ?? (schema.type === "string" ? String(seconds) : seconds)
}
