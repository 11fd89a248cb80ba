/**
 * What every scene is given and gives: it paints one canvas, drawing all chance from `random`. Sizes
 * inside a scene are shares of `toUnit`, never pixels, so that the same prompt looks alike in every
 * size.
 */
import type { Canvas } from "../image/canvas.ts"
import type { Palette } from "../image/palette.ts"
import type { Random } from "../drawing/random.ts"

export interface SceneRequest {
  readonly width: number
  readonly height: number
  readonly palette: Palette
  readonly random: Random
  readonly prompt: string
  /** Share of the painting done, 0 to 1. */
  readonly report: (share: number) => void
}

export type Scene = (request: SceneRequest) => Canvas

/** The length that sizes are measured against: the geometric mean of the sides. */
export function toUnit({ width, height }: Pick<SceneRequest, "width" | "height">): number {
  return Math.sqrt(width * height)
}
