/**
 * Colours as the video encoder takes them: BT.709, limited range (ITU-R BT.709-6 §3). Luma is
 * limited to 16–235, colour differences to 16–240 around 128. Fractions are kept; a number is rounded
 * only when it is written to a plane.
 */
import type { Frame } from "./frame.ts"
import type { Tone } from "./tone.ts"

export type Yuv = readonly [luma: number, u: number, v: number]

const RED = 0.2126
const GREEN = 0.7152
const BLUE = 0.0722

export function toYuv([red, green, blue]: Tone): Yuv {
  const luma = RED * red + GREEN * green + BLUE * blue
  return [
    16 + 219 * luma,
    128 + (224 * (blue - luma)) / (2 - 2 * BLUE),
    128 + (224 * (red - luma)) / (2 - 2 * RED),
  ]
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
      const red = sumOfFour(rgb, at, 3, rowBytes)
      const green = sumOfFour(rgb, at + 1, 3, rowBytes)
      const blue = sumOfFour(rgb, at + 2, 3, rowBytes)
      const grey = RED * red + GREEN * green + BLUE * blue
      const to = y * uPlane.width + x
      uPlane.bytes[to] = 128 + ((blue - grey) * U_SCALE) / (4 * FIXED)
      vPlane.bytes[to] = 128 + ((red - grey) * V_SCALE) / (4 * FIXED)
    }
  }
}

/**
 * The picture at half the frame's size, RGB triples of about 0 to 1: there every pixel has a colour of
 * its own, and luma is averaged over 2 × 2 pixels, which smooths edges and the steps of 8 bits.
 */
export function readHalved(frame: Frame): Float32Array {
  const [luma, { bytes: u, width, height }, { bytes: v }] = frame.planes
  const rgb = new Float32Array(width * height * 3)
  for (let y = 0, pixel = 0; y < height; y++) {
    for (let x = 0; x < width; x++, pixel++) {
      const sum = sumOfFour(luma.bytes, y * 2 * frame.width + x * 2, 1, frame.width)
      const grey = (sum / 4 - 16) / 219
      const blue = grey + ((u[pixel]! - 128) * (2 - 2 * BLUE)) / 224
      const red = grey + ((v[pixel]! - 128) * (2 - 2 * RED)) / 224
      const at = pixel * 3
      rgb[at] = red
      rgb[at + 1] = (grey - RED * red - BLUE * blue) / GREEN
      rgb[at + 2] = blue
    }
  }
  return rgb
}

type Bytes = Uint8Array | Uint8ClampedArray

function sumOfFour(bytes: Bytes, at: number, step: number, rowBytes: number): number {
  return bytes[at]! + bytes[at + step]! + bytes[at + rowBytes]! + bytes[at + rowBytes + step]!
}
