/**
 * Small round lights with soft edges: stars, windows, snow, fireflies, the sun's disc. They are
 * placed by fractions of a pixel, so that slow ones glide instead of jumping.
 */
import type { Frame, Plane } from "../drawing/frame.ts"
import type { Yuv } from "../drawing/yuv.ts"

export interface Dot {
  /** In frame heights from the left and from the top. */
  readonly x: number
  readonly y: number
  /** In frame heights. */
  readonly radius: number
  readonly colour: Yuv
  /** 0–1. */
  readonly opacity: number
  /** It is cut off below this row, in frame heights: where water begins, say. */
  readonly until?: number
}

export function paintDot(frame: Frame, dot: Dot): void {
  for (const plane of frame.planes) paintOn(plane, dot)
}

function paintOn(plane: Plane, { x, y, radius, colour, opacity, until = 1 }: Dot): void {
  const { width, height, bytes } = plane
  const [centreX, centreY] = [x * height - 0.5, y * height - 0.5]
  // under a pixel the dot gets fainter instead of smaller
  const exact = radius * height
  const size = Math.max(exact, 0.6)
  const strength = opacity * Math.min((exact / size) ** 2, 1)
  const reach = size + 1
  const target = colour[plane.component]
  const bottom = Math.min(Math.ceil(centreY + reach), Math.floor(until * height) - 1)
  const right = Math.min(Math.ceil(centreX + reach), width - 1)
  for (let row = Math.max(Math.floor(centreY - reach), 0); row <= bottom; row++) {
    for (let column = Math.max(Math.floor(centreX - reach), 0); column <= right; column++) {
      const distance = Math.sqrt((column - centreX) ** 2 + (row - centreY) ** 2)
      const cover = Math.min(Math.max(size + 0.5 - distance, 0), 1) * strength
      const at = row * width + column
      bytes[at] = bytes[at]! + (target - bytes[at]!) * cover
    }
  }
}
