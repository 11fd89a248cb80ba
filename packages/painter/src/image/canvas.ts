/**
 * A picture in the making: floating RGB from 0 to 1, so that many faint layers add up without
 * banding; it becomes bytes once, at the end, with the grain that hides the last steps. Values may
 * leave 0..1 on the way.
 */
import type { Tone } from "../drawing/tone.ts"

export interface Canvas {
  readonly width: number
  readonly height: number
  /** RGB triples, row by row. */
  readonly pixels: Float32Array
}

export function createCanvas(width: number, height: number, ground: Tone): Canvas {
  const pixels = new Float32Array(width * height * 3)
  const [red, green, blue] = ground
  for (let at = 0; at < pixels.length; at += 3) {
    pixels[at] = red
    pixels[at + 1] = green
    pixels[at + 2] = blue
  }
  return { width, height, pixels }
}

/** Covers the pixel that starts at `at` with `tone` by `amount` (0 to 1). */
export function cover(pixels: Float32Array, at: number, tone: Tone, amount: number): void {
  const kept = 1 - amount
  pixels[at] = (pixels[at] as number) * kept + tone[0] * amount
  pixels[at + 1] = (pixels[at + 1] as number) * kept + tone[1] * amount
  pixels[at + 2] = (pixels[at + 2] as number) * kept + tone[2] * amount
}

/** Lays `art` on `canvas`, its corner at (`left`, `top`), cut off at the edges. */
export function place(canvas: Canvas, art: Canvas, left: number, top: number): void {
  const rows = Math.min(art.height, canvas.height - top)
  const values = Math.min(art.width, canvas.width - left) * 3
  for (let y = 0; y < rows; y++) {
    const from = y * art.width * 3
    const to = ((y + top) * canvas.width + left) * 3
    canvas.pixels.set(art.pixels.subarray(from, from + values), to)
  }
}

/** Bytes, with grain of `grain` levels either way, the same for the three colours of a pixel. */
export function toBytes({ pixels, width }: Canvas, grain: number): Uint8Array {
  const bytes = new Uint8Array(pixels.length)
  const stride = width * 3
  for (let at = 0; at < pixels.length; at += 3) {
    const row = Math.trunc(at / stride)
    const lift = (speckle(at - row * stride, row) - 0.5) * 2 * grain
    for (let part = at; part < at + 3; part++) {
      const value = (pixels[part] as number) * 255 + lift
      bytes[part] = value < 0 ? 0 : value > 255 ? 255 : value + 0.5
    }
  }
  return bytes
}

/** White noise of 0 to 1 from whole coordinates alone. */
export function speckle(x: number, y: number): number {
  let value = (Math.imul(x, 374_761_393) + Math.imul(y, 668_265_263)) | 0
  value = Math.imul(value ^ (value >>> 13), 1_274_126_177)
  return ((value ^ (value >>> 16)) >>> 0) / 4_294_967_296
}
