/**
 * One mountain ridge: a skyline a column, the slope below it fading into the mist that hides the
 * foot of the next. Edges are smoothed by how much of a pixel the ridge covers.
 */
import { cover, type Canvas } from "../canvas.ts"
import { sumRidges, type Noise } from "../noise.ts"
import { mixTones, type Tone } from "../tone.ts"
import { toUnit } from "./scene.ts"

export interface Ridge {
  /** Mean row of the skyline, and how far it swings. */
  readonly base: number
  readonly rise: number
  /** Crests in a picture's width, about. */
  readonly stretch: number
  /** Where in the noise it lies. */
  readonly offset: number
  readonly tone: Tone
  readonly mist: Tone
  /** 0: bare; up to 1: tall conifers on the skyline. */
  readonly trees: number
}

/** Steps of the fade into the mist. */
const FADE_STEPS = 64

export function paintRidge(canvas: Canvas, ridge: Ridge, noise: Noise): void {
  const { width, height, pixels } = canvas
  const fadeRows = ridge.rise * 2.4
  const fade = Array.from({ length: FADE_STEPS + 1 }, (_, step) =>
    mixTones(ridge.tone, ridge.mist, step / FADE_STEPS),
  )
  for (let x = 0; x < width; x++) {
    const slope = findSlope(canvas, ridge, noise, x)
    const trees = ridge.trees > 0 ? findTree(noise, ridge, x / toUnit(canvas)) : 0
    const top = slope - trees * toUnit(canvas)
    const first = Math.max(0, Math.floor(top))
    for (let y = first; y < height; y++) {
      const depth = Math.min(1, Math.max(0, (y - slope) / fadeRows))
      const tone = fade[Math.round(depth * FADE_STEPS)] ?? ridge.tone
      cover(pixels, (y * width + x) * 3, tone, Math.min(1, y + 1 - top))
    }
  }
}

function findSlope(canvas: Canvas, ridge: Ridge, noise: Noise, x: number): number {
  const place = (x / toUnit(canvas)) * ridge.stretch + ridge.offset
  const crest = sumRidges(noise, place, ridge.offset, 6)
  return ridge.base + ridge.rise * (0.62 - crest) * 2.4
}

/** Height of the trees above the slope in units: overlapping cones with uneven branches. */
function findTree(noise: Noise, ridge: Ridge, share: number): number {
  const spacing = 0.0115
  const tall = 0.052 * ridge.trees
  const own = Math.floor(share / spacing)
  let highest = 0
  for (let tree = own - 2; tree <= own + 2; tree++) {
    const chance = noise(tree * 0.71 + ridge.offset, 3.3) * 0.5 + 0.5
    const growth = Math.min(1, Math.max(0, noise(tree * 0.13 + ridge.offset, 8.1) * 1.6 + 0.7))
    const height = tall * growth * (0.45 + 0.75 * chance)
    const middle = (tree + 0.5 + noise(tree * 0.37, ridge.offset) * 0.6) * spacing
    const away = Math.abs(share - middle)
    const branches = 1 + 0.3 * Math.sin(away * 4200)
    highest = Math.max(highest, height - away * 6.5 * branches)
  }
  return highest
}
