/**
 * Paints a landscape as it looks at a moment: a picture is its first moment, a film many of them. Each
 * plane is painted far to near: sky, stars, the sun, far land, water, near land, and what drifts
 * through the air. The resolution changes nothing but how finely it is drawn.
 */
import type { Frame, FramePainter, FrameSize } from "../drawing/frame.ts"
import { paintDot } from "./dots.ts"
import type { Landscape } from "./landscape.ts"
import { createParts, type Parts } from "./parts.ts"
import { LINE_SPAN } from "./ridge-shapes.ts"
import { paintWater } from "./water.ts"

export interface LandscapePainterOptions {
  readonly landscape: Landscape
  readonly size: FrameSize
  /** Speed of everything that moves; 1 is usual. */
  readonly pace: number
}

export function createLandscapePainter({
  landscape,
  size,
  pace,
}: LandscapePainterOptions): FramePainter {
  const parts = createParts(landscape, size)
  return { paint: (frame, { elapsedS }) => paintParts(frame, parts, elapsedS * pace) }
}

function paintParts(frame: Frame, parts: Parts, elapsedS: number): void {
  const { air, disc, discColour, far, near, sky, stars, water } = parts
  // Far from the outlines' end, since the camera may travel to the left.
  const travel = LINE_SPAN + elapsedS * parts.cameraSpeed
  const skyUntil = far.trace(frame, travel, water?.waterline ?? 1)
  sky.advance(elapsedS)
  for (const plane of frame.planes) sky.paint(plane, Math.ceil(skyUntil * plane.height) + 1)
  stars?.(frame, elapsedS)
  paintDot(frame, { ...disc, colour: discColour, opacity: 0.96, until: skyUntil })
  far.paint(frame)
  if (water !== undefined) {
    for (const plane of frame.planes) paintWater(plane, water, elapsedS)
  }
  near.trace(frame, travel, 1)
  near.paint(frame)
  air?.(frame, elapsedS)
}
