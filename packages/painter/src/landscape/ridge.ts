/**
 * One layer of land: an outline, filled from its crest down to where the next layer covers it.
 * Crests are smoothed over a pixel, since a camera that travels by fractions of a pixel would
 * otherwise make them jump.
 */
import type { Component, Plane } from "../drawing/frame.ts"
import type { Yuv } from "../drawing/yuv.ts"
import { LINE_SPAN } from "./ridge-shapes.ts"

export interface Ridge {
  /** Heights 0–1 over `LINE_SPAN` frame heights. */
  readonly outline: Float32Array
  /** Where the outline begins, in frame heights. */
  readonly offset: number
  /** The level of height 0, in frame heights from the top; above it `rise` for height 1. */
  readonly base: number
  readonly rise: number
  /** How much of the camera's travel it follows: little when far. */
  readonly parallax: number
  readonly crest: Yuv
  readonly foot: Yuv
  /** How strongly the sun models its slopes, in luma steps; negative when it shines from the right. */
  readonly relief: number
}

/** Where a layer is seen in one plane. */
export interface RidgeTrace {
  /** The row of the crest, by column; fractions count. */
  readonly tops: Float32Array
  /** Brightness of the slope, by column. */
  readonly slopes: Float32Array
  /** The row where a nearer layer begins, by column: nothing below it is seen. */
  readonly covers: Float32Array
}

export function createTrace(width: number): RidgeTrace {
  return {
    tops: new Float32Array(width),
    slopes: new Float32Array(width),
    covers: new Float32Array(width),
  }
}

/**
 * Traces layers, given from far to near, when the camera has travelled `travel` frame heights.
 * Nothing is seen from row `until` on. Returns the row from which land covers every column.
 */
export function traceRidges(
  ridges: readonly Ridge[],
  traces: readonly RidgeTrace[],
  height: number,
  travel: number,
  until: number,
): number {
  const width = traces[0]?.tops.length ?? 0
  const nearest = new Float32Array(width).fill(until)
  for (let index = ridges.length - 1; index >= 0; index--) {
    const trace = traces[index]!
    trace.covers.set(nearest)
    traceCrest(ridges[index]!, height, travel, trace.tops)
    shadeSlopes(ridges[index]!, height, trace)
    for (let x = 0; x < width; x++) nearest[x] = Math.min(nearest[x]!, trace.tops[x]!)
  }
  return Math.ceil(nearest.reduce((lowest, row) => Math.max(lowest, row), 0)) + 1
}

function traceCrest(ridge: Ridge, height: number, travel: number, tops: Float32Array): void {
  const { outline } = ridge
  const length = outline.length | 0
  const perPixel = length / LINE_SPAN / height
  const start = ((ridge.offset + travel * ridge.parallax) / LINE_SPAN) * length
  for (let x = 0; x < tops.length; x++) {
    const position = start + x * perPixel
    const floor = position | 0
    const left = floor % length
    const from = outline[left]!
    const to = outline[left + 1 === length ? 0 : left + 1]!
    tops[x] = (ridge.base - ridge.rise * (from + (to - from) * (position - floor))) * height
  }
}

/** Light follows the steepness over a few pixels, so that single samples do not flicker. */
function shadeSlopes(ridge: Ridge, height: number, { tops, slopes }: RidgeTrace): void {
  const reach = Math.max(Math.round(height / 120), 1)
  const last = tops.length - 1
  for (let x = 0; x <= last; x++) {
    const rise = tops[Math.max(x - reach, 0)]! - tops[Math.min(x + reach, last)]!
    const steepness = rise / (2 * reach)
    slopes[x] = (ridge.relief * steepness) / (1 + Math.abs(steepness))
  }
}

/** How far light on a slope reaches below the crest, in frame heights. */
const FADE = 0.22
/** Eight fractional bits: the pixels' arithmetic is in integers. */
const FIXED = 256

/** Column by column, since what is seen of a layer differs in each; every pixel is written once. */
export function paintRidge(plane: Plane, ridge: Ridge, trace: RidgeTrace): void {
  const { component, width, height, bytes } = plane
  const colours = toColours(ridge, component, height)
  // slopes are modelled in luma only
  const fadeRows = component === 0 ? Math.round(height * FADE) : 0
  for (let x = 0; x < width; x++) {
    const top = trace.tops[x]!
    const first = Math.floor(top)
    const end = Math.min(Math.ceil(trace.covers[x]!), height)
    if (first >= end) continue
    const edge = first * width + x
    const cover = first + 1 - top
    if (first >= 0) bytes[edge] = bytes[edge]! + (colours[first]! / FIXED - bytes[edge]!) * cover
    const start = Math.max(first + 1, 0)
    const flat = Math.min(Math.max(first + fadeRows, start), end)
    paintSlope(plane, trace.slopes, colours, x, { start, flat, first, fadeRows })
    for (let y = flat, at = flat * width + x; y < end; y++, at += width) {
      bytes[at] = colours[y]! >> 8
    }
  }
}

/** By row. */
function toColours(ridge: Ridge, component: Component, height: number): Int32Array {
  const depth = Math.max(ridge.rise + 0.12, 0.001) * height
  const from = (ridge.base - ridge.rise) * height
  const [crest, foot] = [ridge.crest[component], ridge.foot[component]]
  return Int32Array.from({ length: height }, (_, y) => {
    const down = Math.min(Math.max((y - from) / depth, 0), 1)
    return (crest + (foot - crest) * down + 0.5) * FIXED
  })
}

interface Slope {
  /** Rows from `start` up to `flat` are lit; the light fades over `fadeRows` below `first`. */
  readonly start: number
  readonly flat: number
  readonly first: number
  readonly fadeRows: number
}

function paintSlope(
  { width, bytes }: Plane,
  slopes: Float32Array,
  colours: Int32Array,
  x: number,
  { start, flat, first, fadeRows }: Slope,
): void {
  const own = slopes[x]! * 0.6
  const last = width - 1
  for (let y = start, at = start * width + x; y < flat; y++, at += width) {
    const below = y - first
    // slanted, so that the light runs down along spurs
    const spur = x + ((below * 9) >> 4)
    const light = own + slopes[spur < last ? spur : last]! * 0.4
    const faded = (light * (fadeRows - below) * FIXED) / fadeRows
    bytes[at] = (colours[y]! + faded) >> 8
  }
}
