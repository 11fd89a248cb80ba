/**
 * A relief of cut paper: the levels of a noise field, each a sheet of its own colour, lit from the
 * upper left. A sheet casts a shadow on those below it; without the shadows it would be a map.
 */
import { createCanvas, type Canvas } from "../image/canvas.ts"
import { createNoise, sumOctaves } from "../image/noise.ts"
import { mixTones, readRamp, type Tone } from "../drawing/tone.ts"
import { toUnit, type SceneRequest } from "./scene.ts"

/** The shadow's length in samples; more are dearer, fewer show as steps. */
const SHADOW_SAMPLES = 10

export function paintPaper(request: SceneRequest): Canvas {
  const { width, height, palette, random, report } = request
  const levels = 10 + random.integer(5)
  const heights = createRelief(request, levels)
  report(0.6)
  const canvas = createCanvas(width, height, palette.ground)
  const sheets = toSheets(request, levels)
  const reach = toUnit(request) * 0.0026
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const own = heights[y * width + x] as number
      const level = Math.floor(own)
      const shade = findShade(heights, { width, height, x, y, level, reach })
      const edge = own - level < 0.035 ? 0.1 : 0
      const tone = sheets[Math.min(sheets.length - 1, Math.max(0, level))] as Tone
      const light = 1 - shade * 0.5 + edge
      const at = (y * width + x) * 3
      canvas.pixels[at] = tone[0] * light
      canvas.pixels[at + 1] = tone[1] * light
      canvas.pixels[at + 2] = tone[2] * light
    }
  }
  report(1)
  return canvas
}

/** From the ground up: each sheet further along the ramp, one of them set off. */
function toSheets({ palette, random }: SceneRequest, levels: number): readonly Tone[] {
  const risesDark = random.next() < 0.5
  const sheets = Array.from({ length: levels - 1 }, (_, index) => {
    const share = (index + 0.5) / (levels - 1)
    return readRamp(palette.ramp, risesDark ? 1 - share : share)
  })
  const first = sheets[0] ?? palette.ground
  return [palette.ground, mixTones(palette.ground, first, 0.45), ...sheets]
}

/** Height of each pixel in sheets, 0 to `levels`; smooth, so that contours are long curves. */
function createRelief(
  { width, height, random, report }: SceneRequest,
  levels: number,
): Float32Array {
  const noise = createNoise(random)
  const unit = toUnit({ width, height })
  const scale = random.between(1.5, 2.3)
  const bend = random.between(0.35, 0.75)
  const heights = new Float32Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const u = (x / unit) * scale
      const v = (y / unit) * scale
      const warp = noise(u * 0.8 + 31, v * 0.8) * bend
      const field = sumOctaves(noise, u + warp, v + noise(u * 0.8, v * 0.8 + 57) * bend, 3)
      heights[y * width + x] = field
    }
    if (y % 64 === 0) report((0.6 * y) / height)
  }
  return stretch(heights, levels)
}

/** To the whole range of sheets, so that every ink is seen. */
function stretch(heights: Float32Array, levels: number): Float32Array {
  let lowest = Infinity
  let highest = -Infinity
  for (const height of heights) {
    if (height < lowest) lowest = height
    if (height > highest) highest = height
  }
  const scale = (levels * 0.9999) / (highest - lowest)
  return heights.map((height) => (height - lowest) * scale)
}

interface ShadePoint {
  readonly width: number
  readonly height: number
  readonly x: number
  readonly y: number
  readonly level: number
  /** Pixels from one sample to the next. */
  readonly reach: number
}

/** How far a point lies in the shadow of higher sheets, 0 to 1. */
function findShade(heights: Float32Array, point: ShadePoint): number {
  const { width, height, x, y, level, reach } = point
  for (let sample = 1; sample <= SHADOW_SAMPLES; sample++) {
    const fromX = Math.max(0, Math.round(x - sample * reach * 0.7))
    const fromY = Math.max(0, Math.round(y - sample * reach))
    const other = Math.floor(heights[Math.min(fromY, height - 1) * width + fromX] as number)
    if (other > level) return (1 - (sample - 1) / SHADOW_SAMPLES) ** 1.6
  }
  return 0
}
