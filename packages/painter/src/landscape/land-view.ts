/**
 * Layers of land as the camera sees them. They are traced first and painted afterwards, since what is
 * seen of a layer, and of the sky behind it, follows from the nearer ones.
 */
import type { Frame, FrameSize } from "../drawing/frame.ts"
import { paintDot } from "./dots.ts"
import type { LandLayer } from "./land.ts"
import { LINE_SPAN } from "./ridge-shapes.ts"
import { createTrace, paintRidge, traceRidges, type RidgeTrace } from "./ridge.ts"

export interface LandView {
  /**
   * Finds what is seen from where the camera is, down to row `until`. Lengths are in frame heights.
   * Returns the row from which land covers every column.
   */
  trace(frame: Frame, travel: number, until: number): number
  /** Paints what was traced. */
  paint(frame: Frame): void
}

/** `layers` from far to near. */
export function createLandView(layers: readonly LandLayer[], { width }: FrameSize): LandView {
  const luma = layers.map(() => createTrace(width))
  /** The colour planes have half the width. */
  const colour = layers.map(() => createTrace(width / 2))
  let camera = { travel: 0, until: 1 }
  return {
    trace(frame, travel, until) {
      camera = { travel, until }
      const [whole, half] = frame.planes
      traceRidges(layers, colour, half.height, travel, Math.ceil(until * half.height))
      const rows = traceRidges(layers, luma, whole.height, travel, Math.ceil(until * whole.height))
      return rows / whole.height
    },
    paint(frame) {
      // Layer by layer, so that the windows of a far one are hidden by a near one.
      for (const [index, layer] of layers.entries()) {
        paintLayer(frame, layer, luma[index]!, colour[index]!)
        paintWindows(frame, layer, camera)
      }
    },
  }
}

function paintLayer(frame: Frame, layer: LandLayer, luma: RidgeTrace, colour: RidgeTrace): void {
  for (const plane of frame.planes) {
    paintRidge(plane, layer, plane.component === 0 ? luma : colour)
  }
}

interface Camera {
  readonly travel: number
  readonly until: number
}

function paintWindows(frame: Frame, layer: LandLayer, { travel, until }: Camera): void {
  const shape = frame.width / frame.height
  const start = layer.offset + travel * layer.parallax
  for (const { at, below, colour, opacity } of layer.windows) {
    const x = (((at * LINE_SPAN - start) % LINE_SPAN) + LINE_SPAN) % LINE_SPAN
    if (x > shape) continue
    const height =
      layer.outline[Math.min(Math.floor(at * layer.outline.length), layer.outline.length - 1)]!
    const y = layer.base - layer.rise * height + below
    paintDot(frame, { x, y, radius: 0.0021, colour, opacity, until })
  }
}
