/**
 * Colours as the encoder wants them: BT.709, limited range (ITU-R BT.709-6 §3). Mixing happens on
 * these numbers, fractions included; they are rounded only when a plane is written.
 */
import type { Frame } from "./frame.ts"

/** Luma 16–235, colour differences 16–240 around 128. */
export type Yuv = readonly [number, number, number]

const RED = 0.2126
const GREEN = 0.7152
const BLUE = 0.0722

/** From `#rrggbb`. */
export function toYuv(hex: string): Yuv {
  const value = Number.parseInt(hex.slice(1), 16)
  const red = (value >> 16) / 255
  const green = ((value >> 8) & 255) / 255
  const blue = (value & 255) / 255
  const luma = RED * red + GREEN * green + BLUE * blue
  return [
    16 + 219 * luma,
    128 + (224 * (blue - luma)) / (2 - 2 * BLUE),
    128 + (224 * (red - luma)) / (2 - 2 * RED),
  ]
}

export function mixYuv(from: Yuv, to: Yuv, share: number): Yuv {
  return [
    from[0] + (to[0] - from[0]) * share,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
  ]
}

/** The same brightness with the hue turned. */
export function turnHue(colour: Yuv, radians: number): Yuv {
  const [luma, u, v] = [colour[0], colour[1] - 128, colour[2] - 128]
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)]
  return [luma, 128 + u * cosine - v * sine, 128 + u * sine + v * cosine]
}

/** 16.16 fixed point: the matrix of `toYuv` for whole pictures. */
const FIXED = 65_536
const fixed = (share: number) => Math.round(share * FIXED)
const LUMA = [
  fixed((RED * 219) / 255),
  fixed((GREEN * 219) / 255),
  fixed((BLUE * 219) / 255),
] as const
const U_SCALE = fixed(224 / 255 / (2 - 2 * BLUE))
const V_SCALE = fixed(224 / 255 / (2 - 2 * RED))

/** Writes packed RGB, 3 bytes a pixel, as large as the frame. Colour is averaged over 2 × 2 pixels. */
export function writeRgb(frame: Frame, rgb: Uint8Array): void {
  const [luma, uPlane, vPlane] = frame.planes
  const pixels = frame.width * frame.height
  for (let pixel = 0, at = 0; pixel < pixels; pixel++, at += 3) {
    const weighted = LUMA[0] * rgb[at]! + LUMA[1] * rgb[at + 1]! + LUMA[2] * rgb[at + 2]!
    luma.bytes[pixel] = 16 + ((weighted + FIXED / 2) >> 16)
  }
  const rowBytes = frame.width * 3
  for (let y = 0; y < uPlane.height; y++) {
    for (let x = 0; x < uPlane.width; x++) {
      const at = y * 2 * rowBytes + x * 6
      const red = sumOfFour(rgb, at, rowBytes)
      const green = sumOfFour(rgb, at + 1, rowBytes)
      const blue = sumOfFour(rgb, at + 2, rowBytes)
      const grey = RED * red + GREEN * green + BLUE * blue
      const to = y * uPlane.width + x
      uPlane.bytes[to] = 128 + ((blue - grey) * U_SCALE) / (4 * FIXED)
      vPlane.bytes[to] = 128 + ((red - grey) * V_SCALE) / (4 * FIXED)
    }
  }
}

function sumOfFour(rgb: Uint8Array, at: number, rowBytes: number): number {
  return rgb[at]! + rgb[at + 3]! + rgb[at + rowBytes]! + rgb[at + rowBytes + 3]!
}
