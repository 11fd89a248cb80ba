/**
 * Pixels of our sizes, for providers that take a width and a height. An edit has no pixels in its
 * parameters: the shape is exact, the area near that of a square of its resolution, and every side a
 * multiple of 16, which most providers ask for.
 */
import type { ImageEditParameters, TextToImageParameters } from "@safelight/core"

export interface PixelSize {
  readonly width: number
  readonly height: number
}

export const PICTURE_PIXELS: Readonly<Record<TextToImageParameters["size"], PixelSize>> = {
  square_hd: { width: 1024, height: 1024 },
  square: { width: 512, height: 512 },
  portrait_4_3: { width: 768, height: 1024 },
  portrait_16_9: { width: 576, height: 1024 },
  landscape_4_3: { width: 1024, height: 768 },
  landscape_16_9: { width: 1024, height: 576 },
}

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

/** Undefined for `auto`: its shape is the first picture's, which nobody has looked at. */
export function toEditPixels({
  aspect_ratio: shape,
  resolution,
}: Pick<ImageEditParameters, "aspect_ratio" | "resolution">): PixelSize | undefined {
  const scale = resolution === "2k" ? 2 : 1
  const across = EDIT_PIXELS[shape]
  if (across !== undefined) return { width: across[0] * scale, height: across[1] * scale }
  const upright = EDIT_PIXELS[shape.split(":").toReversed().join(":")]
  return upright && { width: upright[1] * scale, height: upright[0] * scale }
}
