/**
 * The first moment of the landscape that a film of the same prompt shows, in the colours of the
 * request. It is painted as a frame of twice the size: a frame stores one colour for 2 × 2 pixels,
 * so the picture, half as large, has one for each.
 */
import { createFrame } from "../drawing/frame.ts"
import { describeLandscape, type Landscape } from "../landscape/landscape.ts"
import { createLandscapePainter } from "../landscape/landscape-painter.ts"
import { toSeed } from "../drawing/random.ts"
import type { Tone } from "../drawing/tone.ts"
import { readHalved } from "../drawing/yuv.ts"
import type { Canvas } from "../image/canvas.ts"
import type { SceneRequest } from "./scene.ts"
import { tint } from "./tint.ts"

export function paintLandscape({ width, height, palette, prompt, report }: SceneRequest): Canvas {
  const own = describe(prompt)
  const landscape = { ...own, colours: tint(own.colours, palette, own.theme.hour) }
  const size = { width: width * 2, height: height * 2 }
  const frame = createFrame(size)
  const painter = createLandscapePainter({ landscape, size, pace: 1 })
  report(0.4)
  painter.paint(frame, { elapsedS: 0, share: 0 })
  report(0.8)
  return { width, height, pixels: readHalved(frame) }
}

/** What the paper and the caption take their colours from. */
export function landscapeInks(prompt: string): readonly Tone[] {
  const { near, cloudShade, haze, sky, horizon } = describe(prompt).colours
  return [near, cloudShade, haze, sky, horizon]
}

function describe(prompt: string): Landscape {
  return describeLandscape(prompt, toSeed(prompt))
}
