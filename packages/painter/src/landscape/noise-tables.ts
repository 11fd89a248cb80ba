/**
 * Smooth noise, made once into tables that painters look up: nothing is computed from scratch for
 * a pixel. Both tables wrap around, so a slow camera can travel along them without end.
 */
import { ease } from "../ease.ts"
import type { Random } from "../random.ts"

/** `length` values of about 0–1 that repeat; the first octave has `waves` hills in that length. */
export function createNoiseLine(options: {
  readonly random: Random
  readonly length: number
  readonly waves: number
  readonly octaves: number
  /** Folds each octave at its middle: sharp crests instead of round ones. */
  readonly isRidged: boolean
}): Float32Array {
  const { random, length, waves, octaves, isRidged } = options
  const line = new Float32Array(length)
  let [amplitude, total] = [1, 0]
  for (let octave = 0; octave < octaves; octave++) {
    const knots = Float32Array.from({ length: waves << octave }, () => random.next())
    for (let at = 0; at < length; at++) {
      const value = sampleLine(knots, (at / length) * knots.length)
      line[at]! += amplitude * (isRidged ? 1 - Math.abs(2 * value - 1) : value)
    }
    total += amplitude
    amplitude *= 0.5
  }
  return line.map((value) => value / total)
}

/** The value at a fractional position, eased between its neighbours; wraps around. */
export function sampleLine(line: Float32Array, position: number): number {
  const floor = Math.floor(position)
  const share = position - floor
  const from = line[modulo(floor, line.length)]!
  const to = line[modulo(floor + 1, line.length)]!
  return from + (to - from) * share * share * (3 - 2 * share)
}

/** A square of cloud-like noise, 0–1, that repeats in both directions. Its side is a power of two. */
export function createNoiseSquare(random: Random, side: number, octaves: number): Float32Array {
  const square = new Float32Array(side * side)
  let [amplitude, total] = [1, 0]
  for (let octave = 0; octave < octaves; octave++) {
    const cells = 4 << octave
    const knots = Float32Array.from({ length: cells * cells }, () => random.next())
    addOctave(square, side, knots, cells, amplitude)
    total += amplitude
    amplitude *= 0.55
  }
  return square.map((value) => value / total)
}

function addOctave(
  square: Float32Array,
  side: number,
  knots: Float32Array,
  cells: number,
  amplitude: number,
): void {
  for (let y = 0; y < side; y++) {
    const row = (y / side) * cells
    const top = Math.floor(row)
    const down = ease(row - top)
    const upper = top * cells
    const lower = ((top + 1) % cells) * cells
    for (let x = 0; x < side; x++) {
      const column = (x / side) * cells
      const left = Math.floor(column)
      const right = (left + 1) % cells
      const across = ease(column - left)
      const above = knots[upper + left]! + (knots[upper + right]! - knots[upper + left]!) * across
      const below = knots[lower + left]! + (knots[lower + right]! - knots[lower + left]!) * across
      square[y * side + x]! += amplitude * (above + (below - above) * down)
    }
  }
}

/** Between the four nearest values; wraps around. */
export function sampleSquare(square: Float32Array, side: number, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [across, down] = [x - left, y - top]
  const mask = side - 1
  const upper = (top & mask) * side
  const lower = ((top + 1) & mask) * side
  const [from, to] = [left & mask, (left + 1) & mask]
  const above = square[upper + from]! + (square[upper + to]! - square[upper + from]!) * across
  const below = square[lower + from]! + (square[lower + to]! - square[lower + from]!) * across
  return above + (below - above) * down
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
