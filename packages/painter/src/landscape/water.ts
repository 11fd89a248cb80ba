/**
 * Water: what stands above the waterline, upside down, broken by waves that grow towards the
 * viewer. It reads the rows painted before it, so it comes after the far land and before the near.
 */
import type { Plane } from "../drawing/frame.ts"
import type { Yuv } from "../drawing/yuv.ts"
import type { Disc } from "./sky.ts"

export interface Water {
  /** In frame heights from the top. */
  readonly waterline: number
  readonly tint: Yuv
  /** Where the sun's path glitters. */
  readonly disc: Disc
  readonly discColour: Yuv
  /** How bright that path is, 0–1. */
  readonly glitter: number
}

const WAVE_LENGTH = 1024
const WAVE_MASK = WAVE_LENGTH - 1
/** A height of 1 in the table below; the pixels' arithmetic is in integers. */
const WAVE_UNIT = 1024
/** One swell with two overtones, repeating. */
const WAVE = Int32Array.from({ length: WAVE_LENGTH }, (_, at) => {
  const angle = (at / WAVE_LENGTH) * 2 * Math.PI
  const swell = Math.sin(angle) + 0.5 * Math.sin(3 * angle + 1.3) + 0.3 * Math.sin(7 * angle + 4)
  return (swell / 1.6) * WAVE_UNIT
})
/** Positions along the table have this many fractional bits. */
const BITS = 10

/** Two trains of waves that cross, as seen in one row. */
interface Trains {
  readonly start: number
  readonly step: number
  readonly crossStart: number
  readonly crossStep: number
}

export function paintWater(plane: Plane, water: Water, elapsedS: number): void {
  const first = Math.ceil(water.waterline * plane.height)
  for (let y = first; y < plane.height; y++) {
    // 0 at the waterline
    const near = (y + 0.5 - first) / plane.height
    const trains = toTrains(near, plane.height, elapsedS)
    reflectRow(plane, water, y, first, trains)
    paintGlitter(plane, water, y, near, trains)
  }
}

/** Waves look as long as they are near. */
function toTrains(near: number, height: number, elapsedS: number): Trains {
  const far = 1 / (near + 0.012)
  return {
    start: toPosition(far * 205 + elapsedS * 190),
    step: toPosition((far * 136) / height),
    crossStart: toPosition(far * 431 - elapsedS * 260),
    crossStep: toPosition((far * 248) / height),
  }
}

function toPosition(value: number): number {
  return Math.round((value % WAVE_LENGTH) * 2 ** BITS)
}

function reflectRow(
  { component, width, height, bytes }: Plane,
  water: Water,
  y: number,
  first: number,
  trains: Trains,
): void {
  const near = (y + 0.5 - first) / height
  const mirrored = first - 1 - (y - first) * 1.12
  const last = first - 1
  const tint = Math.round(water.tint[component])
  // 8 bits of share and of swing
  const depth = Math.round(256 * (0.2 + 0.55 * Math.min(near * 2.2, 1)))
  const amplitude = Math.round(height * (0.004 + 0.07 * near) * 256)
  const middle = Math.round(mirrored * 256)
  let [position, crossPosition] = [trains.start, trains.crossStart]
  for (let at = y * width, x = 0; x < width; x++) {
    const wave = WAVE[(position >> BITS) & WAVE_MASK]! + WAVE[(crossPosition >> BITS) & WAVE_MASK]!
    position += trains.step
    crossPosition += trains.crossStep
    const source = (middle + ((wave * amplitude) >> 10)) >> 8
    const reflected = bytes[(source < 0 ? 0 : source > last ? last : source) * width + x]!
    const share = depth + ((wave * 15) >> 10)
    bytes[at + x] = reflected + (((tint - reflected) * share) >> 8)
  }
}

/** The sun's path: crests that throw its light at the viewer, within some columns of it. */
function paintGlitter(
  { component, width, height, bytes }: Plane,
  water: Water,
  y: number,
  near: number,
  trains: Trains,
): void {
  const centre = water.disc.x * height
  const spread = height * (0.022 + 0.2 * near)
  const target = water.discColour[component]
  const left = Math.max(Math.floor(centre - 4 * spread), 0)
  const right = Math.min(Math.ceil(centre + 4 * spread), width)
  for (let x = left; x < right; x++) {
    const wave =
      (WAVE[((trains.start + x * trains.step) >> BITS) & WAVE_MASK]! +
        WAVE[((trains.crossStart + x * trains.crossStep) >> BITS) & WAVE_MASK]!) /
      WAVE_UNIT
    const offset = (x + wave * spread * 0.5 - centre) / spread
    const path = ((wave - 0.12) * water.glitter) / (1 + offset * offset * 2.4)
    if (path < 0.02) continue
    const at = y * width + x
    bytes[at] = bytes[at]! + (target - bytes[at]!) * Math.min(path, 1)
  }
}
