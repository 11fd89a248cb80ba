/**
 * Thousands of threads carried by a current without source or sink (the curl of a noise field), so
 * that they never pile up. Each is drawn a dab at a time, thinner and fainter towards its ends.
 */
import { cover, createCanvas, type Canvas } from "../image/canvas.ts"
import { createNoise, sumOctaves, type Noise } from "../image/noise.ts"
import { mixTones, readRamp, type Tone } from "../drawing/tone.ts"
import { toUnit, type SceneRequest } from "./scene.ts"

const THREADS = 4200
const STEPS = 170

interface Thread {
  readonly x: number
  readonly y: number
  readonly tone: Tone
  readonly radius: number
}

export function paintStrands(request: SceneRequest): Canvas {
  const { width, height, palette, random, report } = request
  const canvas = createCanvas(width, height, palette.ground)
  const noise = createNoise(random)
  const hue = createNoise(random)
  const scale = random.between(0.8, 1.7)
  const unit = toUnit(request)
  for (let thread = 0; thread < THREADS; thread++) {
    const x = random.between(-0.08, 1.08) * width
    const y = random.between(-0.08, 1.08) * height
    const band = hue((x / unit) * 1.3, (y / unit) * 1.3) * 0.55 + 0.5 + random.between(-0.16, 0.16)
    const nearness = thread / THREADS
    const tone = mixTones(palette.ground, readRamp(palette.ramp, band), 0.3 + 0.7 * nearness)
    const radius = unit * 0.0007 * random.between(0.7, 2.4) * (0.6 + nearness)
    drawThread(canvas, { x, y, tone, radius }, noise, scale)
    if (thread % 200 === 0) report(thread / THREADS)
  }
  report(1)
  return canvas
}

function drawThread(canvas: Canvas, thread: Thread, noise: Noise, scale: number): void {
  const unit = toUnit(canvas)
  const stride = unit * 0.0017
  let { x, y } = thread
  for (let step = 0; step < STEPS; step++) {
    const u = (x / unit) * scale
    const v = (y / unit) * scale
    const here = sumOctaves(noise, u, v, 2)
    const flowX = sumOctaves(noise, u, v + 0.01, 2) - here
    const flowY = here - sumOctaves(noise, u + 0.01, v, 2)
    const speed = Math.sqrt(flowX * flowX + flowY * flowY) || 1
    x += (flowX / speed) * stride
    y += (flowY / speed) * stride
    const taper = Math.sin((Math.PI * step) / STEPS)
    dab(canvas, x, y, thread.radius * (0.35 + 0.65 * taper), thread.tone, 0.75 * taper)
  }
}

/** A round, soft-edged dot. */
function dab(
  canvas: Canvas,
  x: number,
  y: number,
  radius: number,
  tone: Tone,
  amount: number,
): void {
  const { width, height, pixels } = canvas
  const left = Math.max(0, Math.ceil(x - radius - 1))
  const right = Math.min(width - 1, Math.floor(x + radius + 1))
  const bottom = Math.min(height - 1, Math.floor(y + radius + 1))
  for (let row = Math.max(0, Math.ceil(y - radius - 1)); row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      const inside = radius + 0.5 - Math.sqrt((column - x) ** 2 + (row - y) ** 2)
      if (inside > 0) cover(pixels, (row * width + column) * 3, tone, Math.min(1, inside) * amount)
    }
  }
}
