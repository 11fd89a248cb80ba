/**
 * The size of an edit: `resolution` is its longer side, `aspect_ratio` the shape. `auto` keeps the
 * shape of the first image, upright, but for strips so narrow that nothing would be left of them.
 */
import type { ImageEditParameters, PictureSize } from "@safelight/core"

export const LONGER_SIDE_PIXELS = { "1k": 1024, "2k": 2048 } as const

/** The narrowest shape that `auto` keeps: one side four times the other. */
const MOST_STRETCH = 4

export function toEditSize(
  { aspect_ratio: aspect, resolution }: Pick<ImageEditParameters, "aspect_ratio" | "resolution">,
  first: PictureSize,
): PictureSize {
  const longer = LONGER_SIDE_PIXELS[resolution]
  const ratio = aspect === "auto" ? toOwnRatio(first) : parseRatio(aspect)
  return ratio >= 1
    ? { width: longer, height: Math.round(longer / ratio) }
    : { width: Math.round(longer * ratio), height: longer }
}

function toOwnRatio({ width, height }: PictureSize): number {
  return Math.min(MOST_STRETCH, Math.max(1 / MOST_STRETCH, width / height))
}

function parseRatio(aspect: string): number {
  const [width = 1, height = 1] = aspect.split(":").map(Number)
  return width / height
}
