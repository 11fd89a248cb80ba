/**
 * A coarse picture, and how it fills a plane. A gradient of 8-bit steps shows bands, so a fixed
 * pattern of less than one step is added before rounding; it stands still, since a moving one
 * would be coded again in every frame.
 */
import type { Plane } from "../drawing/frame.ts"

/** Its corners lie on the corners of the area that it fills. */
export interface Grid {
  readonly columns: number
  readonly rows: number
  /** By component. */
  readonly values: readonly [Float32Array, Float32Array, Float32Array]
}

/** The pixels' arithmetic is in 16.16 fixed point: half the time of floats. */
const FIXED = 65_536

/** An ordered dither (Bayer) of 8 × 8, each 0 to less than a step, in place of rounding. */
const DITHER = Int32Array.from({ length: 64 }, (_, at) => {
  const [x, y] = [at & 7, at >> 3]
  const crossed = x ^ y
  let rank = 0
  for (let bit = 0; bit < 3; bit++) {
    rank |= ((crossed >> bit) & 1) << (5 - 2 * bit)
    rank |= ((y >> bit) & 1) << (4 - 2 * bit)
  }
  return ((rank + 0.5) / 64) * FIXED
})

/** Stretches the grid over the first `rows` rows of the plane, and fills those above `until`. */
export function fillFromGrid(plane: Plane, grid: Grid, rows: number, until: number): void {
  const blended = new Int32Array(grid.columns)
  const stepY = (grid.rows - 1) / rows
  for (let y = 0; y < Math.min(rows, until); y++) {
    const position = (y + 0.5) * stepY
    const top = Math.floor(position)
    blendRows(grid.values[plane.component], top * grid.columns, position - top, blended)
    fillRow(plane.bytes.subarray(y * plane.width, (y + 1) * plane.width), blended, (y & 7) * 8)
  }
}

function blendRows(values: Float32Array, start: number, share: number, blended: Int32Array): void {
  const columns = blended.length
  for (let column = 0; column < columns; column++) {
    const above = values[start + column]!
    blended[column] = (above + (values[start + columns + column]! - above) * share) * FIXED
  }
}

/** One ramp for each cell of the grid. */
function fillRow(row: Uint8ClampedArray, blended: Int32Array, dither: number): void {
  const cellWidth = row.length / (blended.length - 1)
  for (let column = 0, x = 0; x < row.length; column++) {
    const from = blended[column]!
    const slope = ((blended[column + 1]! - from) / cellWidth) | 0
    const end = Math.min(Math.ceil((column + 1) * cellWidth - 0.5), row.length)
    let value = (from + (x + 0.5 - column * cellWidth) * slope) | 0
    for (; x < end; x++, value += slope) row[x] = (value + DITHER[dither + (x & 7)]!) >> 16
  }
}
