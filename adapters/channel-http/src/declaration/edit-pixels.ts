/**
 * Pixels of edits, for providers that take a width and a height. An edit has none among its parameters: here
 * the shape is exact, the area is near that of a square of its resolution, and every side is a multiple of
 * 16, which most providers ask for.
 */
import type { ImageEditParameters, PictureSize } from "@safelight/core"

/** At `1k`; `2k` has twice both sides. */
const EDIT_PIXELS: Readonly<Record<string, readonly [longer: number, shorter: number]>> = {
  "2:1": [1440, 720],
  "20:9": [1600, 720],
  "19.5:9": [1456, 672],
  "16:9": [1280, 720],
  "4:3": [1152, 864],
  "3:2": [1248, 832],
  "1:1": [1024, 1024],
}

/** Undefined for `auto`: that is the shape of the first picture, which was not measured. */
export function toEditPixels({
  aspect_ratio: shape,
  resolution,
}: Pick<ImageEditParameters, "aspect_ratio" | "resolution">): PictureSize | undefined {
  const scale = resolution === "2k" ? 2 : 1
  const across = EDIT_PIXELS[shape]
  if (across !== undefined) return { width: across[0] * scale, height: across[1] * scale }
  const upright = EDIT_PIXELS[shape.split(":").toReversed().join(":")]
  return upright && { width: upright[1] * scale, height: upright[0] * scale }
}
