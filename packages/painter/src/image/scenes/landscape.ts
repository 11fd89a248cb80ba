/**
 * Ridges behind ridges in haze, under a sun or a moon, perhaps over water. Depth is colour alone:
 * the farther a ridge, the nearer its tone to the sky at the horizon.
 */
import { cover, createCanvas, shine, type Canvas } from "../canvas.ts"
import { createNoise, sumOctaves, type Noise } from "../noise.ts"
import { mixTones, readRamp, toLightness, type Tone } from "../tone.ts"
import { paintRidge, type Ridge } from "./ridge.ts"
import { hasAny, toUnit, type SceneRequest } from "./scene.ts"
import { paintWater } from "./water.ts"

const NIGHT_WORDS = ["night", "moon", "moonlight", "midnight", "stars", "starry", "dark", "winter"]
const WATER_WORDS = ["sea", "ocean", "lake", "river", "water", "coast", "bay", "island", "fjord"]

interface Sky {
  readonly zenith: Tone
  readonly horizon: Tone
  readonly isNight: boolean
  /** Shares of width and height. */
  readonly lightX: number
  readonly lightY: number
  readonly lightRadius: number
}

export function paintLandscape(request: SceneRequest): Canvas {
  const { width, height, palette, random, words, report } = request
  const noise = createNoise(random)
  const sky = createSky(request)
  const horizon = random.between(0.5, 0.64)
  const hasWater = random.next() < 0.5 || hasAny(words, WATER_WORDS)
  const canvas = createCanvas(width, height, palette.ground)
  paintSky(canvas, sky, noise, horizon)
  if (sky.isNight) paintStars(canvas, request, horizon)
  paintLight(canvas, sky, palette.ground, Math.ceil(height * (horizon + 0.14)))
  report(0.35)
  const far = toRidges(request, sky, horizon, { from: 0, to: hasWater ? 0.55 : 1, count: 4 })
  for (const ridge of far) paintRidge(canvas, ridge, noise)
  report(0.6)
  if (hasWater) {
    const shore = Math.round(height * (horizon + 0.09))
    paintWater(canvas, { shore, tone: palette.inks[0], light: sky.horizon, noise })
    const near = toRidges(request, sky, 0.93, { from: 0.85, to: 1, count: 1 })
    for (const ridge of near) paintRidge(canvas, ridge, noise)
  } else {
    const near = toRidges(request, sky, 0.9, { from: 0.9, to: 1, count: 1 })
    for (const ridge of near) paintRidge(canvas, ridge, noise)
  }
  report(1)
  return canvas
}

function createSky({ palette, random, words }: SceneRequest): Sky {
  const isNight = random.next() < 0.25 || hasAny(words, NIGHT_WORDS)
  // A dark ground mixed into a day would be dirt rather than haze.
  const haze = isNight ? 0.15 : 0.12 + 0.4 * toLightness(palette.ground) ** 2
  const glow = readRamp(palette.ramp, isNight ? 0.5 : random.between(0.78, 0.95))
  return {
    zenith: readRamp(palette.ramp, isNight ? 0.04 : random.between(0.3, 0.6)),
    horizon: mixTones(glow, palette.ground, haze),
    isNight,
    lightX: random.between(0.2, 0.8),
    lightY: isNight ? random.between(0.14, 0.3) : random.between(0.26, 0.46),
    lightRadius: isNight ? random.between(0.03, 0.05) : random.between(0.05, 0.095),
  }
}

function paintSky(canvas: Canvas, sky: Sky, noise: Noise, horizon: number): void {
  const { width, height, pixels } = canvas
  const unit = toUnit(canvas)
  // Ridges hide what lies lower.
  const lowest = Math.min(height, Math.ceil(height * (horizon + 0.14)))
  for (let y = 0; y < lowest; y++) {
    const depth = Math.min(1, y / (height * horizon))
    const tone = mixTones(sky.zenith, sky.horizon, depth ** 1.25)
    for (let x = 0; x < width; x++) {
      const streak = sumOctaves(noise, (x / unit) * 2.2 + 40, (y / unit) * 9, 4)
      const cloud = Math.max(0, streak + 0.04) * 1.5 * depth * (1.25 - depth)
      const at = (y * width + x) * 3
      pixels.set(tone, at)
      cover(pixels, at, sky.horizon, Math.min(0.75, cloud * 1.6))
    }
  }
}

function paintStars(canvas: Canvas, { random }: SceneRequest, horizon: number): void {
  const count = Math.round((canvas.width * canvas.height) / 2600)
  for (let star = 0; star < count; star++) {
    const x = random.integer(canvas.width)
    const share = random.next()
    const y = Math.floor(share * share * canvas.height * horizon)
    const at = (y * canvas.width + x) * 3
    shine(canvas.pixels, at, [1, 0.97, 0.9], random.next() ** 4 * (1 - share * 0.6))
  }
}

/** A soft-edged disc in a wide halo. */
function paintLight(canvas: Canvas, sky: Sky, ground: Tone, lowest: number): void {
  const { width, height, pixels } = canvas
  const unit = toUnit(canvas)
  const centreX = sky.lightX * width
  const centreY = sky.lightY * height
  const radius = sky.lightRadius * unit
  const disc = mixTones([1, 0.98, 0.92], ground, 0.25 * toLightness(ground) ** 2)
  for (let y = 0; y < Math.min(lowest, height); y++) {
    for (let x = 0; x < width; x++) {
      const distance = Math.sqrt((x - centreX) ** 2 + (y - centreY) ** 2)
      const at = (y * width + x) * 3
      const halo =
        Math.exp(-distance / (radius * 2.6)) * 0.6 + Math.exp(-distance / (unit * 0.4)) * 0.22
      shine(pixels, at, sky.horizon, halo)
      if (distance < radius + 1) cover(pixels, at, disc, Math.min(1, radius + 1 - distance) * 0.96)
    }
  }
}

/** Ridges from far to near between two depths (0 at the horizon, 1 at our feet). */
function toRidges(
  { palette, random, height, words }: SceneRequest,
  sky: Sky,
  horizon: number,
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
): readonly Ridge[] {
  const lightest = sky.isNight ? 0.42 : 0.72
  return Array.from(
    { length: count + 2 * Number(count > 1) },
    (_, index, total = count > 1 ? count + 1 : 1) => {
      const depth = from + ((to - from) * index) / Math.max(1, total)
      const tone = readRamp(palette.ramp, lightest * (1 - depth) ** 1.15)
      const haze = (1 - depth) ** 1.5 * 0.62
      return {
        base: height * (horizon + depth * (1 - horizon) * 0.55),
        rise: height * (0.07 + 0.12 * depth) * random.between(0.8, 1.3),
        stretch: 1.5 + 1.6 * (1 - depth),
        offset: random.between(0, 200),
        tone: mixTones(tone, sky.horizon, haze),
        mist: mixTones(tone, sky.horizon, Math.min(1, haze + 0.34 * (1 - depth * 0.8))),
        trees: depth > 0.55 && !hasAny(words, ["desert", "dune", "dunes"]) ? depth : 0,
      }
    },
  )
}
