/**
 * Still water: what stands above the shore line, mirrored, stirred by ripples that widen towards
 * us. It reads the canvas it paints on, so it comes after everything that it reflects.
 */
import { cover, type Canvas } from "../canvas.ts"
import type { Noise } from "../noise.ts"
import type { Tone } from "../tone.ts"
import { toUnit } from "./scene.ts"

export interface Water {
  /** First row of water. */
  readonly shore: number
  /** Its own colour, of which more is seen the nearer it is. */
  readonly tone: Tone
  /** What glints on the ripples. */
  readonly light: Tone
  readonly noise: Noise
}

export function paintWater(canvas: Canvas, { shore, tone, light, noise }: Water): void {
  const { width, height, pixels } = canvas
  const unit = toUnit(canvas)
  const above = pixels.slice(0, shore * width * 3)
  for (let y = shore; y < height; y++) {
    const depth = (y - shore) / (height - shore)
    // Ripples are foreshortened: their rows crowd together towards the shore.
    const row = Math.log1p(depth * 14) * 16
    for (let x = 0; x < width; x++) {
      const ripple = noise((x / unit) * (5 - 2.5 * depth), row)
      const shift = ripple * unit * (0.004 + 0.03 * depth)
      const fromY = Math.min(shore - 1, Math.max(0, Math.round(2 * shore - 1 - y + shift)))
      const fromX = Math.min(width - 1, Math.max(0, Math.round(x + shift * 0.35)))
      const from = (fromY * width + fromX) * 3
      const at = (y * width + x) * 3
      pixels[at] = above[from] as number
      pixels[at + 1] = above[from + 1] as number
      pixels[at + 2] = above[from + 2] as number
      cover(pixels, at, tone, 0.12 + 0.38 * depth)
      if (ripple > 0.34) cover(pixels, at, light, (ripple - 0.34) * 0.9 * (1 - depth * 0.5))
    }
  }
}
