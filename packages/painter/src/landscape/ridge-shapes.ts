/**
 * The outlines that land is made of: one line of heights (0–1) for each layer, long enough that a
 * whole film's camera travel does not come round to where it began.
 */
import type { Random } from "../drawing/random.ts"
import { createNoiseLine, sampleLine } from "./noise-tables.ts"
import type { Land } from "./theme.ts"

/** How many frame heights a line spans. */
export const LINE_SPAN = 8
/** One sample a pixel at 1080p. */
const LINE_LENGTH = LINE_SPAN * 1080

type Shape = (random: Random) => Float32Array

const peaks: Shape = (random) =>
  createNoiseLine({ random, length: LINE_LENGTH, waves: 13, octaves: 7, isRidged: true }).map(
    (height) => height ** 1.6,
  )

const hills: Shape = (random) =>
  createNoiseLine({ random, length: LINE_LENGTH, waves: 17, octaves: 4, isRidged: false })

const dunes: Shape = (random) => {
  const crests = { random, length: LINE_LENGTH, waves: 14, octaves: 1, isRidged: true }
  const ripples = createNoiseLine({ ...crests, waves: 60, octaves: 2, isRidged: false })
  const swells = createNoiseLine({ ...crests, waves: 9, isRidged: false })
  const sharp = createNoiseLine(crests)
  return swells.map((height, at) => height * 0.6 + sharp[at]! * 0.34 + ripples[at]! * 0.06)
}

const trees: Shape = (random) => {
  const line = hills(random).map((height) => height * 0.45)
  for (let at = 0; at < LINE_LENGTH; at += Math.floor(random.between(6, 34))) {
    plantTree(line, at, random)
  }
  return line
}

/** A spruce: a narrow triangle whose sides are saw-toothed by its branches. */
function plantTree(line: Float32Array, at: number, random: Random): void {
  const tall = random.between(0.18, 0.5)
  const halfWidth = Math.floor(random.between(18, 44) * (0.5 + tall))
  const ground = line[at]! * 0.5 + 0.1
  for (let step = -halfWidth; step <= halfWidth; step++) {
    const side = Math.abs(step) / halfWidth
    const branch = 0.05 * ((side * 7) % 1)
    const index = (at + step + LINE_LENGTH) % LINE_LENGTH
    line[index] = Math.max(line[index]!, ground + tall * (1 - side) + branch * side)
  }
}

const towers: Shape = (random) => {
  const line = new Float32Array(LINE_LENGTH)
  const district = createNoiseLine({ random, length: 256, waves: 9, octaves: 2, isRidged: false })
  for (let at = 0; at < LINE_LENGTH;) {
    const width = Math.floor(random.between(34, 110))
    const tall =
      random.between(0.12, 0.4) + 0.75 * sampleLine(district, (at / LINE_LENGTH) * 256) ** 2
    line.fill(tall, at, at + width)
    // a stepped roof, and on some an antenna
    if (random.next() < 0.5) line.fill(tall * 1.09, at + width * 0.2, at + width * 0.8)
    if (random.next() < 0.25) line.fill(tall * 1.3, at + width * 0.49, at + width * 0.49 + 3)
    at += width + Math.floor(random.between(-8, 14))
  }
  return line
}

/** For the far, middle and near layers of each land. */
const SHAPES: Readonly<Record<Land, readonly [far: Shape, middle: Shape, near: Shape]>> = {
  mountains: [peaks, peaks, trees],
  sea: [peaks, hills, hills],
  city: [hills, towers, towers],
  forest: [peaks, trees, trees],
  desert: [peaks, dunes, dunes],
}

/** An outline for a layer at `depth`: 0 is the farthest, 1 the nearest. */
export function shapeRidge(land: Land, depth: number, random: Random): Float32Array {
  const [far, middle, near] = SHAPES[land]
  if (depth < 0.45) return far(random)
  return depth < 0.95 ? middle(random) : near(random)
}
