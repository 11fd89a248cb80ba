/**
 * Which size a video gets. A resolution names the shorter side; the longer one follows from the
 * aspect ratio, rounded to the nearest even number, since colour is stored for 2 × 2 pixels. Hence
 * 854, not 853 or 852, for 480p at 16:9.
 */
import type { ReferenceToVideoParameters } from "@safelight/core"
import type { FrameSize } from "../drawing/frame.ts"

export type Resolution = NonNullable<ReferenceToVideoParameters["resolution"]>
export type AspectRatio = NonNullable<ReferenceToVideoParameters["aspect_ratio"]>

const SHORTER_SIDE: Readonly<Record<Resolution, number>> = {
  "480p": 480,
  "720p": 720,
  "1080p": 1080,
}

const RATIOS: Readonly<Record<AspectRatio, readonly [width: number, height: number]>> = {
  "21:9": [21, 9],
  "16:9": [16, 9],
  "4:3": [4, 3],
  "1:1": [1, 1],
  "3:4": [3, 4],
  "9:16": [9, 16],
}

/** In pixels; both sides are even. */
export function toFrameSize(resolution: Resolution, aspectRatio: AspectRatio): FrameSize {
  const [width, height] = RATIOS[aspectRatio]
  const shorter = SHORTER_SIDE[resolution]
  const longer = 2 * Math.round((shorter * Math.max(width, height)) / Math.min(width, height) / 2)
  return width < height ? { width: shorter, height: longer } : { width: longer, height: shorter }
}

/** The ratio whose shape is closest to a picture's, by proportion. */
export function nearestAspectRatio(size: FrameSize): AspectRatio {
  const shape = Math.log(size.width / size.height)
  const distance = ([width, height]: readonly [number, number]) =>
    Math.abs(Math.log(width / height) - shape)
  const [nearest] = (Object.keys(RATIOS) as AspectRatio[]).toSorted(
    (one, other) => distance(RATIOS[one]) - distance(RATIOS[other]),
  )
  return nearest as AspectRatio
}
