/**
 * The land in a landscape: its layers from far to near, and the lit windows of a city. Distance is
 * told by three things at once: paler colour, lower rise and slower travel.
 */
import type { Random } from "../drawing/random.ts"
import { fromHex, mixTones } from "../drawing/tone.ts"
import { toYuv, type Yuv } from "../drawing/yuv.ts"
import type { Colours } from "./colours.ts"
import { LINE_SPAN, shapeRidge } from "./ridge-shapes.ts"
import type { Ridge } from "./ridge.ts"
import type { Land, Theme } from "./theme.ts"

interface Layout {
  readonly layers: number
  /** Levels of the farthest and the nearest layer, in frame heights from the top. */
  readonly far: number
  readonly near: number
  readonly rises: readonly [far: number, near: number]
}

const LAYOUTS: Readonly<Record<Land, Layout>> = {
  mountains: { layers: 6, far: 0.6, near: 1.0, rises: [0.36, 0.2] },
  sea: { layers: 3, far: 0.6, near: 1.06, rises: [0.1, 0.1] },
  city: { layers: 5, far: 0.64, near: 1.04, rises: [0.12, 0.5] },
  forest: { layers: 5, far: 0.62, near: 1.04, rises: [0.24, 0.42] },
  desert: { layers: 5, far: 0.6, near: 1.02, rises: [0.12, 0.3] },
}

/** Layers nearer than this stand in front of the water. */
const FOREGROUND_DEPTH = 0.95
export const WATERLINE = 0.66

export interface LandLayer extends Ridge {
  readonly isForeground: boolean
  readonly windows: readonly Window[]
}

export interface Window {
  /** Along the outline, 0–1. */
  readonly at: number
  /** Below the crest, in frame heights. */
  readonly below: number
  readonly colour: Yuv
  readonly opacity: number
}

export interface LandOptions {
  readonly theme: Theme
  readonly colours: Colours
  readonly random: Random
  /** Whether the sun stands left of the middle. */
  readonly isLitFromLeft: boolean
}

export function createLand(options: LandOptions): readonly LandLayer[] {
  const layout = LAYOUTS[options.theme.land]
  return Array.from({ length: layout.layers }, (_, index) =>
    createLayer(options, layout, index / (layout.layers - 1)),
  )
}

function createLayer(options: LandOptions, layout: Layout, depth: number): LandLayer {
  const { theme, colours } = options
  const random = options.random.fork(`layer ${depth.toFixed(2)}`)
  const isForeground = depth >= FOREGROUND_DEPTH
  const closeness = depth ** 0.85
  const bare = mixTones(colours.haze, colours.near, 0.12 + 0.86 * closeness)
  const crest = theme.air === "snow" ? mixTones(bare, SNOW, 0.62 * (1 - depth)) : bare
  const spread = theme.hasWater && !isForeground ? WATERLINE - layout.far : layout.near - layout.far
  // with water, everything but the foreground crowds above the waterline
  const base = isForeground
    ? layout.near
    : layout.far + spread * depth + (theme.hasWater ? 0.01 : 0)
  const rise = layout.rises[0] + (layout.rises[1] - layout.rises[0]) * depth
  const relief = theme.hour === "night" ? 9 : 30
  return {
    outline: shapeRidge(theme.land, depth, random),
    offset: random.between(0, LINE_SPAN),
    base,
    rise: theme.hasWater && isForeground ? rise * 0.5 : rise,
    parallax: 0.06 + 0.94 * depth ** 1.7,
    crest: toYuv(crest),
    foot: toYuv(mixTones(crest, colours.haze, 0.5 * (1 - depth) + 0.12)),
    relief: (options.isLitFromLeft ? 1 : -1) * relief * (1 - 0.75 * depth),
    isForeground,
    windows: theme.land === "city" && depth > 0.45 ? lightWindows(theme, random, depth) : [],
  }
}

const SNOW = fromHex("f4f7fc")

const WINDOW_COLOURS = [
  toYuv(fromHex("ffd58a")),
  toYuv(fromHex("ffe9bd")),
  toYuv(fromHex("ffb765")),
  toYuv(fromHex("bfe3ff")),
] as const

function lightWindows({ hour }: Theme, random: Random, depth: number): readonly Window[] {
  const count = { night: 5200, dusk: 3000, dawn: 700, day: 0 }[hour]
  return Array.from({ length: count }, () => ({
    // a coarse raster: storeys and axes
    at: Math.round(random.next() * 700) / 700,
    below: 0.014 + Math.round(random.between(0, 26)) * 0.0125,
    colour: random.pick(WINDOW_COLOURS),
    opacity: random.between(0.3, 0.95) * (0.4 + 0.6 * depth),
  }))
}
