/**
 * The path of one point under a map that never settles (Peter de Jong's), some millions of steps
 * long: density becomes light, direction of travel becomes colour. Many parameter choices collapse
 * to a few dots, so candidates are tried until one fills the picture.
 */
import { createCanvas, type Canvas } from "../image/canvas.ts"
import type { Random } from "../drawing/random.ts"
import { findStep, toLightness } from "../drawing/tone.ts"
import type { SceneRequest } from "./scene.ts"

/** Steps a pixel: fewer leave dust, more only time. */
const STEPS_PER_PIXEL = 3
const TRIAL_STEPS = 20_000
/** Cells of a 64 × 64 grid that a trial must visit to be worth painting. */
const LEAST_CELLS = 1500
const MOST_TRIALS = 200
/** Share of the picture that the path spans. */
const FILLED = 0.93

type Coefficients = readonly [a: number, b: number, c: number, d: number]

interface Path {
  readonly coefficients: Coefficients
  readonly centreX: number
  readonly centreY: number
  readonly spanX: number
  readonly spanY: number
  /** A tenth of its steps are shorter, a tenth longer. */
  readonly shortStep: number
  readonly longStep: number
}

interface Density {
  readonly count: Float32Array
  readonly hue: Float32Array
}

export function paintAttractor(request: SceneRequest): Canvas {
  const { width, height, palette, random, report } = request
  const path = findPath(random)
  const density = trace(request, path)
  const canvas = createCanvas(width, height, palette.ground)
  const { table } = palette.ramp
  const full = Math.log1p(findBright(density.count))
  // The half of the inks that the ground is not of.
  const first =
    toLightness(palette.ground) > 0.6 ? random.between(-0.1, 0.1) : random.between(0.25, 0.4)
  for (let pixel = 0; pixel < density.count.length; pixel++) {
    const count = density.count[pixel] as number
    if (count === 0) continue
    const light = Math.min(1, Math.log1p(count) / full)
    const hue = (density.hue[pixel] as number) / count
    const ink = findStep(first + hue * 0.85 + (first > 0.2 ? light * 0.25 : -light * 0.25))
    const amount = Math.min(1, light ** 1.25 * 1.3)
    for (let part = 0; part < 3; part++) {
      const at = pixel * 3 + part
      canvas.pixels[at] =
        (palette.ground[part] as number) * (1 - amount) + (table[ink + part] as number) * amount
    }
  }
  report(1)
  return canvas
}

function trace({ width, height, report }: SceneRequest, path: Path): Density {
  const [a, b, c, d] = path.coefficients
  const range = path.longStep - path.shortStep
  const count = new Float32Array(width * height)
  const hue = new Float32Array(width * height)
  const scale = Math.min(width / path.spanX, height / path.spanY) * FILLED
  const left = width / 2 - path.centreX * scale
  const top = height / 2 - path.centreY * scale
  const steps = width * height * STEPS_PER_PIXEL
  let x = 0.1
  let y = 0.1
  for (let step = 0; step < steps; step++) {
    const nextX = Math.sin(a * y) - Math.cos(b * x)
    const nextY = Math.sin(c * x) - Math.cos(d * y)
    const column = Math.round(left + nextX * scale)
    const row = Math.round(top + nextY * scale)
    if (column >= 0 && column < width && row >= 0 && row < height) {
      const at = row * width + column
      count[at] = (count[at] as number) + 1
      const length = Math.sqrt((nextX - x) ** 2 + (nextY - y) ** 2)
      hue[at] = (hue[at] as number) + (length - path.shortStep) / range
    }
    x = nextX
    y = nextY
    if (step % 200_000 === 0) report((0.9 * step) / steps)
  }
  return { count, hue }
}

function findPath(random: Random): Path {
  for (let trial = 0; trial < MOST_TRIALS; trial++) {
    const path = tryPath([
      random.between(-2.8, 2.8),
      random.between(-2.8, 2.8),
      random.between(-2.8, 2.8),
      random.between(-2.8, 2.8),
    ])
    if (path.cells >= LEAST_CELLS) return path
  }
  return tryPath([1.641, 1.902, 0.316, 1.525])
}

function tryPath(coefficients: Coefficients): Path & { readonly cells: number } {
  const [a, b, c, d] = coefficients
  const visited = new Set<number>()
  const xs = new Float64Array(TRIAL_STEPS)
  const ys = new Float64Array(TRIAL_STEPS)
  const lengths = new Float64Array(TRIAL_STEPS)
  let x = 0.1
  let y = 0.1
  for (let step = 0; step < TRIAL_STEPS; step++) {
    const nextX = Math.sin(a * y) - Math.cos(b * x)
    const nextY = Math.sin(c * x) - Math.cos(d * y)
    lengths[step] = Math.sqrt((nextX - x) ** 2 + (nextY - y) ** 2)
    x = nextX
    y = nextY
    xs[step] = x
    ys[step] = y
    visited.add(Math.floor((x + 2) * 16) * 64 + Math.floor((y + 2) * 16))
  }
  const [left, right] = findBounds(xs, 0)
  const [top, bottom] = findBounds(ys, 0)
  const [shortStep, longStep] = findBounds(lengths, 0.1)
  return {
    coefficients,
    centreX: (left + right) / 2,
    centreY: (top + bottom) / 2,
    spanX: right - left,
    spanY: bottom - top,
    shortStep,
    longStep,
    cells: visited.size,
  }
}

/** What lies between but for `outside` (a share) at either end. */
function findBounds(values: Float64Array, outside: number): readonly [number, number] {
  const sorted = values.toSorted()
  const first = Math.floor(outside * (sorted.length - 1))
  return [sorted[first] ?? 0, sorted[sorted.length - 1 - first] ?? 1]
}

/** A count that few pixels exceed: the brightest alone would leave all others dark. */
function findBright(count: Float32Array): number {
  const visited = count.filter((value) => value > 0).toSorted()
  return Math.max(2, visited[Math.floor(visited.length * 0.99)] ?? 2)
}
