/**
 * One picture as the encoder takes it: planar YUV 4:2:0, BT.709, limited range. Painters write
 * straight into it, plane by plane; the two colour planes have half the width and half the height,
 * so a painter scales by the plane's own size and never assumes that of the picture. Writing a number
 * rounds it and cuts it off at 0 and 255: the arrays are clamped ones.
 */

/** Luma, then the two colour differences. */
export type Component = 0 | 1 | 2

export interface Plane {
  readonly component: Component
  readonly width: number
  readonly height: number
  /** Row by row, no padding; a view into the frame. */
  readonly bytes: Uint8ClampedArray
}

export interface Frame {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8ClampedArray
  readonly planes: readonly [Plane, Plane, Plane]
}

export interface FrameSize {
  readonly width: number
  readonly height: number
}

/** When in the film a frame is: what painters move by. */
export interface Moment {
  readonly elapsedS: number
  /** 0 at the first frame, 1 at the last. */
  readonly share: number
}

export interface FramePainter {
  /** Overwrites the whole frame. The same moment gives the same bytes. */
  paint(frame: Frame, moment: Moment): void
}

/** An empty frame; both sides are even. */
export function createFrame({ width, height }: FrameSize): Frame {
  const lumaBytes = width * height
  const bytes = new Uint8ClampedArray((lumaBytes * 3) / 2)
  const plane = (component: Component): Plane => {
    if (component === 0) return { component, width, height, bytes: bytes.subarray(0, lumaBytes) }
    const start = lumaBytes + ((component - 1) * lumaBytes) / 4
    const half = { width: width / 2, height: height / 2 }
    return { component, ...half, bytes: bytes.subarray(start, start + lumaBytes / 4) }
  }
  return { width, height, bytes, planes: [plane(0), plane(1), plane(2)] }
}
