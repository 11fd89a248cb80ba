/** The pixels of an output, from the parameters of the request. Both sides are even. */

export interface OutputSize {
  readonly width: number
  readonly height: number
}

/** Short sides of the resolutions that films have, and of those that pictures have. */
const SHORT_SIDES: Readonly<Record<string, number>> = {
  "480p": 480,
  "720p": 720,
  "1080p": 1080,
  "1k": 1024,
  "2k": 2048,
  "4k": 2160,
}

/** `16:9` at `720p` is 1280 × 720. A text that is no ratio, such as `auto`, counts as square. */
export function toOutputSize(ratio: unknown, resolution: unknown): OutputSize {
  const short = SHORT_SIDES[String(resolution).toLowerCase()] ?? 1024
  const [, across = "1", down = "1"] = /^([\d.]+):([\d.]+)$/.exec(String(ratio)) ?? []
  const share = Number(across) / Number(down)
  return share >= 1
    ? { width: even(short * share), height: short }
    : { width: short, height: even(short / share) }
}

/** `1024x768`, or undefined. */
export function parseOutputSize(text: unknown): OutputSize | undefined {
  const [, width, height] = /^(\d{2,4})[x*](\d{2,4})$/.exec(String(text)) ?? []
  return width === undefined ? undefined : { width: Number(width), height: Number(height) }
}

function even(value: number): number {
  return Math.round(value / 2) * 2
}
