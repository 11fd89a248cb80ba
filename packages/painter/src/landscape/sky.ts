/**
 * The sky: gradient, glow around the sun, clouds, aurora. It is soft everywhere, so it is computed
 * on a coarse grid of a fixed number of rows, whatever the resolution, and interpolated from there.
 */
import type { Plane } from "../drawing/frame.ts"
import type { Random } from "../drawing/random.ts"
import { smoothStep } from "../drawing/ease.ts"
import type { Yuv } from "../drawing/yuv.ts"
import type { Colours } from "./colours.ts"
import { createNoiseLine, createNoiseSquare, sampleLine, sampleSquare } from "./noise-tables.ts"
import { fillFromGrid, type Grid } from "./soft-grid.ts"

export interface Disc {
  /** In frame heights from the left and from the top. */
  readonly x: number
  readonly y: number
  readonly radius: number
}

export interface SkyOptions {
  readonly colours: Colours<Yuv>
  readonly random: Random
  readonly disc: Disc
  /** Width divided by height. */
  readonly shape: number
  /** Where the sky ends, in frame heights. */
  readonly horizon: number
  /** 0–1. */
  readonly clouds: number
  readonly hasAurora: boolean
  /** How far the glow reaches, 0–1. */
  readonly glow: number
}

export interface Sky {
  /** Computes the moment; `paint` shows it. */
  advance(elapsedS: number): void
  /** Fills the rows above `until`. */
  paint(plane: Plane, until: number): void
}

/** Rows of the grid from top to horizon. */
const GRID_ROWS = 112
const CLOUD_SIDE = 256

export function createSky(options: SkyOptions): Sky {
  const { horizon, shape, random } = options
  const rows = GRID_ROWS + 1
  const columns = Math.ceil((GRID_ROWS / horizon) * shape) + 1
  const size = rows * columns
  const grid: Grid = {
    columns,
    rows,
    values: [new Float32Array(size), new Float32Array(size), new Float32Array(size)],
  }
  const clear = grid.values.map((values) => values.slice()) as unknown as Grid["values"]
  paintClearSky({ ...grid, values: clear }, options)
  const cloudNoise = createNoiseSquare(random.fork("clouds"), CLOUD_SIDE, 6)
  const aurora = options.hasAurora ? createAurora(random.fork("aurora")) : undefined
  return {
    advance(elapsedS) {
      for (const component of [0, 1, 2] as const) grid.values[component].set(clear[component])
      aurora?.(grid, elapsedS)
      if (options.clouds > 0) paintClouds(grid, options, cloudNoise, elapsedS)
    },
    paint: (plane, until) => fillFromGrid(plane, grid, Math.ceil(horizon * plane.height), until),
  }
}

/** What does not move: three colours from top to horizon, and the glow. */
function paintClearSky(grid: Grid, { colours, disc, horizon, glow }: SkyOptions): void {
  const cell = horizon / GRID_ROWS
  for (let row = 0; row < grid.rows; row++) {
    const down = row / GRID_ROWS
    const upper = smoothStep(0, 0.62, down)
    const lower = smoothStep(0.42, 1.02, down)
    for (let column = 0; column < grid.columns; column++) {
      const distance = Math.hypot(column * cell - disc.x, (row * cell - disc.y) * 1.25)
      const halo = glow * (0.62 / (1 + (distance / 0.16) ** 2) + 0.38 / (1 + (distance / 0.5) ** 2))
      const at = row * grid.columns + column
      for (const component of [0, 1, 2] as const) {
        const high = colours.zenith[component] * (1 - upper) + colours.sky[component] * upper
        const base = high * (1 - lower) + colours.horizon[component] * lower
        grid.values[component][at] = base + (colours.disc[component] - base) * halo
      }
    }
  }
}

/** Two sheets of noise drifting at different speeds; flatter and denser towards the horizon. */
function paintClouds(
  grid: Grid,
  { colours, clouds, disc, horizon }: SkyOptions,
  noise: Float32Array,
  elapsedS: number,
): void {
  const cell = horizon / GRID_ROWS
  const [luma, u, v] = grid.values
  const threshold = 0.68 - 0.3 * clouds
  for (let row = 0; row < grid.rows; row++) {
    // a deck seen from below: rows near the horizon are farther away
    const far = 1 / (0.22 + 1.05 * (1 - row / GRID_ROWS))
    const fade = smoothStep(0, 0.25, 1 - row / GRID_ROWS) * 0.92
    for (let column = 0; column < grid.columns; column++) {
      const across = (column - grid.columns / 2) * far
      const high = sampleSquare(noise, CLOUD_SIDE, across * 0.55 + elapsedS * 1.3, far * 62)
      const low = sampleSquare(
        noise,
        CLOUD_SIDE,
        across * 1.2 + elapsedS * 2.6 + 91,
        far * 118 + 40,
      )
      const density = high * 0.68 + low * 0.32
      const cover = smoothStep(threshold, threshold + 0.24, density) * fade
      if (cover === 0) continue
      const distance = Math.sqrt((column * cell - disc.x) ** 2 + (row * cell - disc.y) ** 2)
      const lit = (1.25 - smoothStep(threshold, threshold + 0.34, density)) / (1 + distance * 0.9)
      const share = Math.min(Math.max(lit, 0), 1)
      const at = row * grid.columns + column
      luma[at]! += (mix(colours.cloudShade[0], colours.cloudLit[0], share) - luma[at]!) * cover
      u[at]! += (mix(colours.cloudShade[1], colours.cloudLit[1], share) - u[at]!) * cover
      v[at]! += (mix(colours.cloudShade[2], colours.cloudLit[2], share) - v[at]!) * cover
    }
  }
}

/** Curtains: bright and sharp below, fading upwards, folded by noise that wanders. */
function createAurora(random: Random): (grid: Grid, elapsedS: number) => void {
  const line = { random, length: 1024, octaves: 4, isRidged: false }
  const folds = createNoiseLine({ ...line, waves: 6 })
  const rays = createNoiseLine({ ...line, waves: 48, isRidged: true })
  return ({ columns, rows, values: [luma, u, v] }, elapsedS) => {
    for (let column = 0; column < columns; column++) {
      for (const curtain of [0, 1] as const) {
        const along = column * 1.5 + curtain * 370
        const fold = sampleLine(folds, along + elapsedS * (5 - 9 * curtain))
        const ray = sampleLine(rays, along * 1.4 + fold * 220 + elapsedS * 7)
        const strength = (0.25 + 0.75 * ray) * smoothStep(0.25, 0.75, fold + 0.12)
        const foot = rows * (0.3 + 0.55 * fold - 0.1 * curtain)
        for (let row = 0; row < Math.min(rows, foot + 6); row++) {
          const above = foot - row
          const light = strength * (above < 0 ? 1 + above / 6 : Math.exp(-above / (rows * 0.2)))
          const at = row * columns + column
          luma[at]! += light * 84
          // green at the foot, violet above
          const violet = Math.min(Math.max(above, 0) / (rows * 0.36), 1)
          u[at]! += light * (-14 + 40 * violet)
          v[at]! += light * (-44 + 66 * violet)
        }
      }
    }
  }
}

function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share
}
