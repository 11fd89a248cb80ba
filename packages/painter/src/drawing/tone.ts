/**
 * Colours as three numbers from 0 to 1 in sRGB, mixed in OKLab so that a gradient keeps its
 * brightness and never turns grey halfway (Ottosson 2020). A ramp is a gradient looked up from a
 * table: mixing a pixel at a time would cost most of a rendering.
 */
export type Tone = readonly [red: number, green: number, blue: number]

type Lab = readonly [lightness: number, a: number, b: number]

/** Perceived lightness, 0 black to 1 white. */
export function toLightness(tone: Tone): number {
  return toLab(tone)[0]
}

/** From six hexadecimal digits, `rrggbb`. */
export function fromHex(hex: string): Tone {
  const value = Number.parseInt(hex, 16)
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}

/** `amount` 0 gives `from`, 1 gives `to`. */
export function mixTones(from: Tone, to: Tone, amount: number): Tone {
  const [fromL, fromA, fromB] = toLab(from)
  const [toL, toA, toB] = toLab(to)
  return fromLab([
    fromL + (toL - fromL) * amount,
    fromA + (toA - fromA) * amount,
    fromB + (toB - fromB) * amount,
  ])
}

/** The same hue at another lightness; chroma gives way towards black and white. */
export function withLightness(tone: Tone, lightness: number): Tone {
  const [own, a, b] = toLab(tone)
  const room = Math.min(lightness, 1 - lightness) / Math.max(0.05, Math.min(own, 1 - own))
  const kept = Math.min(1, room)
  return fromLab([lightness, a * kept, b * kept])
}

/** The same lightness and chroma with the hue turned. */
export function turnHue(tone: Tone, radians: number): Tone {
  const [lightness, a, b] = toLab(tone)
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)]
  return fromLab([lightness, a * cosine - b * sine, a * sine + b * cosine])
}

export interface Ramp {
  /** RGB triples, `RAMP_STEPS` of them. */
  readonly table: Float32Array
}

export const RAMP_STEPS = 1024

/** A gradient through evenly spaced stops. */
export function createRamp(stops: readonly [Tone, ...Tone[]]): Ramp {
  const table = new Float32Array(RAMP_STEPS * 3)
  for (let step = 0; step < RAMP_STEPS; step++) {
    const place = (step / (RAMP_STEPS - 1)) * (stops.length - 1)
    const index = Math.min(Math.floor(place), Math.max(0, stops.length - 2))
    const from = stops[index] ?? stops[0]
    table.set(mixTones(from, stops[index + 1] ?? from, place - index), step * 3)
  }
  return { table }
}

/** Where in the table the colour at `place` (clamped to 0..1) starts. */
export function findStep(place: number): number {
  const clamped = place < 0 ? 0 : place > 1 ? 1 : place
  return Math.round(clamped * (RAMP_STEPS - 1)) * 3
}

export function readRamp(ramp: Ramp, place: number): Tone {
  const step = findStep(place)
  const { table } = ramp
  return [table[step] as number, table[step + 1] as number, table[step + 2] as number]
}

function toLab([red, green, blue]: Tone): Lab {
  const r = toLinear(red)
  const g = toLinear(green)
  const b = toLinear(blue)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

function fromLab([lightness, a, b]: Lab): Tone {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

function fromLinear(value: number): number {
  const bound = Math.min(1, Math.max(0, value))
  return bound <= 0.0031308 ? bound * 12.92 : 1.055 * bound ** (1 / 2.4) - 0.055
}
