/** `1024x1024`: as a size of the model's, by its edges, or by its shape. */
import {
  ASPECT_RATIO_NAMES,
  findParameter,
  hasNamedSizes,
  hasResolution,
  place,
  placeRatioOf,
  placeResolution,
  SIZE_NAMES,
  toNamedRatio,
  toRatioOf,
  toSize,
  type Draft,
} from "@safelight/client/parameters"
import { invalid } from "../answers/refusal.ts"
import { takes } from "./place-options.ts"

const PIXELS = /^[1-9]\d{0,4}x[1-9]\d{0,4}$/

/** Of an image. Throws a `Refusal`. */
export function placeSize(draft: Draft, size: unknown): void {
  if (size === "auto" && !SIZE_NAMES.some((name) => takes(draft, name, "auto"))) return
  const name = findParameter(draft, SIZE_NAMES)
  const isTaken = name !== undefined && takes(draft, name, size)
  if (!isPixels(size) && !isTaken) {
    throw invalid("size", "invalid_value", "size is auto, or width and height as 1024x1024.")
  }
  placePixels(draft, String(size))
}

/** Of a video, which may have a resolution and a shape. Throws a `Refusal`. */
export function placeVideoSize(draft: Draft, size: unknown): void {
  if (!isPixels(size)) {
    throw invalid("size", "invalid_value", "size is width and height as 1280x720.")
  }
  if (!hasResolution(draft)) return placePixels(draft, size)
  placeResolution(draft, "size", size)
  placeRatioOf(draft, "size", size)
}

function isPixels(size: unknown): size is string {
  return typeof size === "string" && PIXELS.test(size)
}

function placePixels(draft: Draft, size: string): void {
  const name = findParameter(draft, SIZE_NAMES)
  const { height, width } = draft.schemas
  if (name !== undefined) return place(draft, "size", [name], size, toAnySize)
  if (width !== undefined && height !== undefined) {
    const [across, down] = size.split("x").map(Number)
    place(draft, "size", ["width"], across)
    return place(draft, "size", ["height"], down)
  }
  place(
    draft,
    "size",
    ASPECT_RATIO_NAMES,
    size,
    (asked, schema) => toRatioOf(asked, schema) ?? asked,
  )
}

/** A size of these pixels, or else a named one of their shape. */
function toAnySize(size: string, schema: Parameters<typeof toSize>[1]): unknown {
  const same = toSize(size, schema)
  if (same !== size || !hasNamedSizes(schema) || schema.enum?.includes(size)) return same
  const ratio = toRatioOf(size, { enum: ["1:1", "3:4", "9:16", "4:3", "16:9"] })
  return typeof ratio === "string" ? toNamedRatio(ratio, schema) : size
}
