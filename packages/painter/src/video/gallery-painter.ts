/**
 * A film through reference images: the camera moves over each, and one dissolves into the next. The
 * first frame is the first image and the last frame the last one, both at rest and uncropped by the
 * movement; with a single image the camera ends closer to it than it began.
 */
import { ease, smoothStep } from "../drawing/ease.ts"
import type { Frame, FramePainter, FrameSize, Moment, Plane } from "../drawing/frame.ts"
import type { Random } from "../drawing/random.ts"

export interface GalleryOptions {
  /** All larger than `size` by `OVERSCAN`. */
  readonly images: readonly Frame[]
  readonly size: FrameSize
  readonly random: Random
}

/** The farthest that the camera moves in. */
export const OVERSCAN = 1.14

/** Of the time from one image to the next, how much is the dissolve. */
const DISSOLVE_SHARE = 0.5

/** Which part of an image is seen: all of it at zoom 1, else a part around a point. */
interface View {
  readonly zoom: number
  /** −1 to 1: from one edge of what the zoom leaves over to the other. */
  readonly x: number
  readonly y: number
}

export function createGalleryPainter({ images, size, random }: GalleryOptions): FramePainter {
  const paths = images.map(() => {
    const angle = random.between(0, 2 * Math.PI)
    return { x: Math.cos(angle), y: Math.sin(angle) }
  })
  const brush = createBrush(size)
  return {
    paint(frame, { share }: Moment) {
      const position = share * (images.length - 1)
      const current = Math.min(Math.floor(position), images.length - 1)
      const next = Math.min(current + 1, images.length - 1)
      const dissolved = dissolve(position - current)
      for (const index of next === current ? [current] : [current, next]) {
        const opacity = index === current ? 1 : dissolved
        if (opacity === 0 || (index === current && dissolved === 1)) continue
        const progress = images.length === 1 ? share : position - index
        const path = paths[index] as (typeof paths)[number]
        const view = images.length === 1 ? moveIn(progress, path) : moveAround(progress, path)
        for (const plane of frame.planes) brush(plane, images[index] as Frame, view, opacity)
      }
    },
  }
}

type Path = Pick<View, "x" | "y">

function moveIn(progress: number, path: Path): View {
  const eased = ease(progress)
  return { zoom: 1 + (OVERSCAN - 1) * eased, x: path.x * eased, y: path.y * eased }
}

/** At rest at 0, the image's own moment; closer and off its middle one image before and after. */
function moveAround(progress: number, path: Path): View {
  const eased = ease(Math.abs(progress))
  const side = Math.sign(progress)
  return {
    zoom: 1 + (OVERSCAN - 1) * eased,
    x: path.x * side * eased,
    y: path.y * side * eased,
  }
}

function dissolve(share: number): number {
  const start = (1 - DISSOLVE_SHARE) / 2
  return smoothStep(start, start + DISSOLVE_SHARE, share)
}

type Brush = (plane: Plane, image: Frame, view: View, opacity: number) => void

/** Draws a view over a plane, between the four nearest pixels, in 8-bit fractions. */
function createBrush({ width: widest }: FrameSize): Brush {
  const columns = new Int32Array(widest)
  const fractions = new Int32Array(widest)
  return (plane, image, view, opacity) => {
    const source = image.planes[plane.component]
    const across = toSteps(source.width, plane.width, view.zoom, view.x)
    const down = toSteps(source.height, plane.height, view.zoom, view.y)
    for (let x = 0; x < plane.width; x++) {
      const position = locate(across, x, source.width)
      columns[x] = position >> 8
      fractions[x] = position & 255
    }
    const weight = Math.round(opacity * 256)
    for (let y = 0; y < plane.height; y++) {
      const position = locate(down, y, source.height)
      const rows = source.bytes.subarray((position >> 8) * source.width)
      const target = plane.bytes.subarray(y * plane.width, (y + 1) * plane.width)
      drawRow(target, rows, source.width, position & 255, weight, columns, fractions)
    }
  }
}

interface Steps {
  readonly start: number
  readonly step: number
}

function toSteps(source: number, target: number, zoom: number, offset: number): Steps {
  const seen = source / zoom
  return { start: ((source - seen) / 2) * (1 + offset), step: seen / target }
}

/** The pixel that lies left of (above) a target pixel's middle, times 256, with its fraction. */
function locate({ start, step }: Steps, index: number, length: number): number {
  const position = start + (index + 0.5) * step - 0.5
  return Math.floor(Math.min(Math.max(position, 0), length - 1.01) * 256)
}

function drawRow(
  target: Uint8ClampedArray,
  rows: Uint8ClampedArray,
  stride: number,
  down: number,
  weight: number,
  columns: Int32Array,
  fractions: Int32Array,
): void {
  for (let x = 0; x < target.length; x++) {
    const at = columns[x]!
    const across = fractions[x]!
    const [nearer, farther] = [256 - across, across]
    const above = rows[at]! * nearer + rows[at + 1]! * farther
    const below = rows[at + stride]! * nearer + rows[at + stride + 1]! * farther
    const value = (above * (256 - down) + below * down + 32_768) >> 16
    target[x] = weight === 256 ? value : target[x]! + (((value - target[x]!) * weight) >> 8)
  }
}
