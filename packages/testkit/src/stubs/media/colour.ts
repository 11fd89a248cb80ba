/**
 * The colour of a picture, derived from its seed, so that two outputs never have the same bytes by chance, and one
 * output has the same bytes whenever it is fetched.
 */
import { createHash } from "node:crypto"

export interface Colour {
  readonly red: number
  readonly green: number
  readonly blue: number
}

export interface Luminance {
  readonly y: number
  readonly cb: number
  readonly cr: number
}

export function toColour(seed: string): Colour {
  const [red = 0, green = 0, blue = 0] = createHash("sha256").update(seed).digest()
  return { red, green, blue }
}

/** Full range, BT.601, as JPEG has it; a player of the film sees a slightly different colour. */
export function toLuminance({ red, green, blue }: Colour): Luminance {
  return {
    y: clamp(0.299 * red + 0.587 * green + 0.114 * blue),
    cb: clamp(128 - 0.168_736 * red - 0.331_264 * green + 0.5 * blue),
    cr: clamp(128 + 0.5 * red - 0.418_688 * green - 0.081_312 * blue),
  }
}

function clamp(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)))
}
