/**
 * What moves through the air or shines in the dark: stars, snow, fireflies, embers, lit windows.
 * Every one is a function of time alone, so that any frame can be painted without those before it.
 */
import type { Frame } from "../drawing/frame.ts"
import type { Random } from "../drawing/random.ts"
import { fromHex } from "../drawing/tone.ts"
import { toYuv, type Yuv } from "../drawing/yuv.ts"
import { paintDot } from "./dots.ts"
import type { Air } from "./theme.ts"

export type DriftPainter = (frame: Frame, elapsedS: number) => void

interface Mote {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly phase: number
  readonly speed: number
}

function scatter(random: Random, count: number, shape: number): readonly Mote[] {
  return Array.from({ length: count }, () => ({
    x: random.between(-0.05, shape + 0.05),
    y: random.next(),
    size: random.next(),
    phase: random.between(0, 2 * Math.PI),
    speed: random.between(0.6, 1.4),
  }))
}

const STARLIGHT = toYuv(fromHex("eef2ff"))

/** Twinkling, most of them faint, down to `horizon`. */
export function createStars(random: Random, shape: number, horizon: number): DriftPainter {
  const stars = scatter(random, Math.round(230 * shape), shape)
  return (frame, elapsedS) => {
    for (const { x, y, size, phase, speed } of stars) {
      const height = y ** 1.25 * horizon
      const twinkle = 0.72 + 0.28 * Math.sin(phase + elapsedS * speed * 3)
      const opacity = twinkle * (0.25 + 0.75 * size ** 4) * (1 - height / horizon) ** 0.5
      const radius = 0.0007 + 0.0013 * size ** 6
      paintDot(frame, { x, y: height, radius, colour: STARLIGHT, opacity, until: horizon })
    }
  }
}

interface AirKind {
  readonly count: number
  readonly colour: Yuv
  /** Frame heights a second; negative rises. */
  readonly fall: number
  readonly sway: number
  readonly radius: number
  readonly pulse: number
}

const AIR: Readonly<Record<Exclude<Air, "clear">, AirKind>> = {
  snow: {
    count: 170,
    colour: toYuv(fromHex("ffffff")),
    fall: 0.085,
    sway: 0.03,
    radius: 0.0042,
    pulse: 0,
  },
  fireflies: {
    count: 46,
    colour: toYuv(fromHex("f3ff9a")),
    fall: -0.012,
    sway: 0.09,
    radius: 0.0036,
    pulse: 1,
  },
  embers: {
    count: 80,
    colour: toYuv(fromHex("ffab4d")),
    fall: -0.11,
    sway: 0.05,
    radius: 0.0028,
    pulse: 0.6,
  },
}

export function createAir(air: Air, random: Random, shape: number): DriftPainter | undefined {
  if (air === "clear") return undefined
  const kind = AIR[air]
  const motes = scatter(random, Math.round(kind.count * shape), shape)
  return (frame, elapsedS) => {
    for (const mote of motes) {
      const { phase, speed, size } = mote
      const travelled = mote.y + elapsedS * kind.fall * speed * (0.5 + size)
      const y = travelled - Math.floor(travelled)
      const x = mote.x + kind.sway * Math.sin(phase + elapsedS * speed * 0.9)
      const beat = 0.5 + 0.5 * Math.sin(phase * 3 + elapsedS * speed * 2.4)
      const edge = Math.min(y * 8, (1 - y) * 8, 1)
      const opacity = (0.35 + 0.65 * size) * edge * (1 - kind.pulse * beat)
      const radius = kind.radius * (0.35 + 0.65 * size)
      if (kind.pulse > 0) {
        paintDot(frame, {
          x,
          y,
          radius: radius * 3.2,
          colour: kind.colour,
          opacity: opacity * 0.16,
        })
      }
      paintDot(frame, { x, y, radius, colour: kind.colour, opacity })
    }
  }
}
