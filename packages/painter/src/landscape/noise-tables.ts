/**
 * Smooth noise, made once into tables that painters look up: nothing is computed from scratch for
 * a pixel. Both tables wrap around, so a slow camera can travel along them without end.
 */
import { ease } from "../drawing/ease.ts"
import type { Random } from "../drawing/random.ts"

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
    addLine(line, knots, amplitude, isRidged)
    total += amplitude
    amplitude *= 0.5
  }
  return line.map((value) => value / total)
}

function addLine(
  line: Float32Array,
  knots: Float32Array,
  amplitude: number,
  isRidged: boolean,
): void {
  const { length } = line
  for (let at = 0; at < length; at++) {
    const position = (at / length) * knots.length
    const left = Math.floor(position)
    const from = knots[left]!
    const to = knots[left + 1 === knots.length ? 0 : left + 1]!
    const value = from + (to - from) * ease(position - left)
    line[at]! += amplitude * (isRidged ? 1 - Math.abs(2 * value - 1) : value)
  }
}

/** The value at a fractional position, eased between its neighbours; wraps around. */
export function sampleLine(line: Float32Array, position: number): number {
  const floor = Math.floor(position)
  const share = position - floor
  const from = line[modulo(floor, line.length)]!
  const to = line[modulo(floor + 1, line.length)]!
  return from + (to - from) * ease(share)
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
  const lefts = Int32Array.from({ length: side }, (_, x) => Math.floor((x / side) * cells))
  const shares = Float32Array.from(lefts, (left, x) => ease((x / side) * cells - left))
  for (let y = 0; y < side; y++) {
    const top = lefts[y]!
    const down = shares[y]! * amplitude
    const up = amplitude - down
    const upper = top * cells
    const lower = top + 1 === cells ? 0 : upper + cells
    for (let x = 0, at = y * side; x < side; x++, at++) {
      const left = lefts[x]!
      const right = left + 1 === cells ? 0 : left + 1
      const across = shares[x]!
      const above = knots[upper + left]! + (knots[upper + right]! - knots[upper + left]!) * across
      const below = knots[lower + left]! + (knots[lower + right]! - knots[lower + left]!) * across
      square[at]! += above * up + below * down
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
