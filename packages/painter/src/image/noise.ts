/**
 * Gradient noise over the plane (Perlin 2002), and sums of it. One unit is one lattice cell; the
 * lattice repeats after 256 cells, which no picture here comes near.
 */
import type { Random } from "../drawing/random.ts"

/** About -1 to 1, smooth, 0 on every lattice point. */
export type Noise = (x: number, y: number) => number

const CELLS = 256
/** Sixteen directions: eight leave visible diagonals in slow gradients. */
const DIRECTIONS = 16

export function createNoise(random: Random): Noise {
  const order = shuffle(random)
  const gradientX = new Float32Array(CELLS)
  const gradientY = new Float32Array(CELLS)
  for (let cell = 0; cell < CELLS; cell++) {
    const angle = ((cell % DIRECTIONS) / DIRECTIONS) * 2 * Math.PI
    gradientX[cell] = Math.cos(angle) * Math.SQRT2
    gradientY[cell] = Math.sin(angle) * Math.SQRT2
  }

  function corner(cellX: number, cellY: number, x: number, y: number): number {
    const cell = order[((order[cellX & 255] as number) + cellY) & 255] as number
    return (gradientX[cell] as number) * x + (gradientY[cell] as number) * y
  }

  return (x, y) => {
    const cellX = Math.floor(x)
    const cellY = Math.floor(y)
    const dx = x - cellX
    const dy = y - cellY
    const u = dx * dx * dx * (dx * (dx * 6 - 15) + 10)
    const v = dy * dy * dy * (dy * (dy * 6 - 15) + 10)
    const top = corner(cellX, cellY, dx, dy)
    const topRight = corner(cellX + 1, cellY, dx - 1, dy)
    const bottom = corner(cellX, cellY + 1, dx, dy - 1)
    const bottomRight = corner(cellX + 1, cellY + 1, dx - 1, dy - 1)
    const upper = top + u * (topRight - top)
    return upper + v * (bottom + u * (bottomRight - bottom) - upper)
  }
}

/** Fractal sum: each octave has twice the frequency and half the height of the one before. */
export function sumOctaves(noise: Noise, x: number, y: number, octaves: number): number {
  let sum = 0
  let height = 0.5
  for (let octave = 0; octave < octaves; octave++) {
    sum += height * noise(x, y)
    // Shifted, so that the octaves' common zeros at lattice points do not show.
    x = x * 2 + 17.3
    y = y * 2 + 9.1
    height /= 2
  }
  return sum
}

function shuffle(random: Random): Uint8Array {
  const order = Uint8Array.from({ length: CELLS }, (_, index) => index)
  for (let last = CELLS - 1; last > 0; last--) {
    const other = random.integer(last + 1)
    const moved = order[last] as number
    order[last] = order[other] as number
    order[other] = moved
  }
  return order
}
