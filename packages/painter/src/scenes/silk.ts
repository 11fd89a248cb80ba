/**
 * Folded cloth, or smoke, or marble: noise displaced by noise displaced by noise (Quilez 2002), lit
 * as a surface. It is computed at half the size and enlarged: nothing in it is sharper than that.
 */
import { createCanvas, type Canvas } from "../image/canvas.ts"
import { createNoise, sumOctaves, type Noise } from "../image/noise.ts"
import { findStep } from "../drawing/tone.ts"
import { toUnit, type SceneRequest } from "./scene.ts"

interface Field {
  readonly width: number
  readonly height: number
  readonly fold: Float32Array
  readonly drift: Float32Array
}

export function paintSilk(request: SceneRequest): Canvas {
  const { width, height, palette, random, report } = request
  const field = createField(request)
  const canvas = createCanvas(width, height, palette.ground)
  const { table } = palette.ramp
  const depth = random.between(5, 8)
  const veil = random.between(0.25, 0.5)
  const step = toUnit(field) / 512
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const u = Math.min(field.width - 2, x / 2)
      const v = Math.min(field.height - 2, y / 2)
      const fold = sample(field.fold, field.width, u, v)
      const slopeX = fold - sample(field.fold, field.width, Math.min(field.width - 2, u + step), v)
      const slopeY = fold - sample(field.fold, field.width, u, Math.min(field.height - 2, v + step))
      const drift = sample(field.drift, field.width, u, v)
      const light = (slopeX * 0.8 + slopeY) * depth * 3.2
      const ink = findStep(0.5 + fold * 0.85 + light * 0.35)
      const mist = Math.min(0.92, Math.max(0, drift * 2.2 + veil - 0.2))
      const gloss = Math.max(0, light - 0.12) * 0.9
      const at = (y * width + x) * 3
      for (let part = 0; part < 3; part++) {
        const inked =
          (table[ink + part] as number) * (1 - mist) + (palette.ground[part] as number) * mist
        canvas.pixels[at + part] = (inked + gloss * (1 - inked)) * (1 + Math.min(0, light) * 0.55)
      }
    }
  }
  report(1)
  return canvas
}

function createField({ width, height, random, report }: SceneRequest): Field {
  const noise = createNoise(random)
  const scale = random.between(0.9, 1.5)
  const strength = random.between(1.1, 1.9)
  // A few more, so that the slopes at the far edges have something to be measured against.
  const halfWidth = Math.ceil(width / 2) + 4
  const halfHeight = Math.ceil(height / 2) + 4
  const unit = toUnit({ width: halfWidth, height: halfHeight })
  const fold = new Float32Array(halfWidth * halfHeight)
  const drift = new Float32Array(halfWidth * halfHeight)
  for (let y = 0; y < halfHeight; y++) {
    for (let x = 0; x < halfWidth; x++) {
      const at = y * halfWidth + x
      const [height0, drift0] = warp(noise, (x / unit) * scale, (y / unit) * scale, strength)
      fold[at] = height0
      drift[at] = drift0
    }
    if (y % 32 === 0) report((0.8 * y) / halfHeight)
  }
  return { width: halfWidth, height: halfHeight, fold: standardise(fold), drift }
}

/** To a mean of 0 and a deviation of 0.24: calm folds get the whole palette too. */
function standardise(values: Float32Array): Float32Array {
  let sum = 0
  let squares = 0
  for (const value of values) {
    sum += value
    squares += value * value
  }
  const mean = sum / values.length
  const deviation = Math.sqrt(Math.max(1e-9, squares / values.length - mean * mean))
  return values.map((value) => ((value - mean) / deviation) * 0.24)
}

function warp(noise: Noise, u: number, v: number, strength: number): readonly [number, number] {
  const firstX = sumOctaves(noise, u, v, 3)
  const firstY = sumOctaves(noise, u + 5.2, v + 1.3, 3)
  const secondX = sumOctaves(noise, u + strength * firstX + 1.7, v + strength * firstY + 9.2, 2)
  const secondY = sumOctaves(noise, u + strength * firstX + 8.3, v + strength * firstY + 2.8, 2)
  const bend = strength * 1.4
  return [
    sumOctaves(noise, u + bend * secondX, v + bend * secondY, 4),
    secondX * 0.8 + firstY * 0.4,
  ]
}

function sample(values: Float32Array, width: number, x: number, y: number): number {
  const column = Math.floor(x)
  const row = Math.floor(y)
  const dx = x - column
  const at = row * width + column
  const left = values[at] as number
  const below = values[at + width] as number
  const upper = left + ((values[at + 1] as number) - left) * dx
  const lower = below + ((values[at + width + 1] as number) - below) * dx
  return upper + (lower - upper) * (y - row)
}
