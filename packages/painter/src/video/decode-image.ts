/**
 * A reference image, upright, in the sRGB colours and at the size that a film of it needs: larger
 * than the frame by `overscan`, so that a camera moving over it never shows an edge nor enlarges it.
 * Transparent parts become black. Of an animated image the first picture counts.
 */
import sharp, { type Sharp } from "sharp"
import { createFrame, type Frame, type FrameSize } from "../drawing/frame.ts"
import { MOST_IMAGE_PIXELS, unreadable } from "../drawing/reference-image.ts"
import { writeRgb } from "../drawing/yuv.ts"

/** Rejects with `media_unreadable`. */
export async function decodeImage(
  bytes: Uint8Array,
  size: FrameSize,
  overscan: number,
): Promise<Frame> {
  const toEven = (side: number) => 2 * Math.ceil((side * overscan) / 2)
  const frame = createFrame({ width: toEven(size.width), height: toEven(size.height) })
  const rgb = await open(bytes)
    .resize({ width: frame.width, height: frame.height, fit: "cover", position: "centre" })
    .flatten({ background: "#000000" })
    .toColourspace("srgb")
    .raw()
    .toBuffer()
    .catch((cause: unknown) => {
      throw unreadable(cause)
    })
  writeRgb(frame, rgb)
  return frame
}

/** Width and height as displayed. Rejects with `media_unreadable`. */
export async function measureImage(bytes: Uint8Array): Promise<FrameSize> {
  const { autoOrient } = await open(bytes)
    .metadata()
    .catch((cause: unknown) => {
      throw unreadable(cause)
    })
  return autoOrient
}

function open(bytes: Uint8Array): Sharp {
  return sharp(bytes, { limitInputPixels: MOST_IMAGE_PIXELS, failOn: "error" }).autoOrient()
}
