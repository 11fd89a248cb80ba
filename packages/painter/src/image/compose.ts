/**
 * One picture from one or more images, as an arrangement has it. Pixels come out as bytes: all work
 * on tones is done afterwards, once, on the whole picture.
 */
import { arrange, type Arrangement, type Cell } from "./arrange.ts"
import { createNoise, sumOctaves } from "./noise.ts"
import type { ReadImage } from "./read-image.ts"
import type { Random } from "../drawing/random.ts"

export interface Picture {
  readonly width: number
  readonly height: number
  /** RGB triples. */
  readonly pixels: Uint8Array
}

export interface ComposeRequest {
  readonly images: readonly ReadImage[]
  readonly width: number
  readonly height: number
  readonly words: ReadonlySet<string>
  readonly random: Random
  readonly variation: number
}

/** Width of the gap between cells, as a share of the shorter side. */
const GAP = 0.008

export async function compose(request: ComposeRequest): Promise<Picture> {
  const { images, words, random, variation } = request
  const arrangement = arrange({ images: images.length, words, random, variation })
  if (arrangement.kind === "exposure") return expose(request)
  return layOut(request, arrangement)
}

async function layOut(
  request: ComposeRequest,
  { cells }: Extract<Arrangement, { kind: "cells" }>,
): Promise<Picture> {
  const { width, height } = request
  const pixels = new Uint8Array(width * height * 3).fill(246)
  const gap = cells.length === 1 ? 0 : Math.max(1, Math.round(Math.min(width, height) * GAP))
  for (const cell of cells) {
    const box = toBox(cell, request, gap)
    // One image at a time, or five decoded frames would be held at once.
    // oxlint-disable-next-line no-await-in-loop
    const part = await cut(request, cell.image, box.width, box.height)
    for (let y = 0; y < box.height; y++) {
      const row = part.subarray(y * box.width * 3, (y + 1) * box.width * 3)
      pixels.set(row, ((y + box.top) * width + box.left) * 3)
    }
  }
  return { width, height, pixels }
}

function toBox(
  cell: Cell,
  { width, height }: ComposeRequest,
  gap: number,
): {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
} {
  const left = Math.round(cell.left * width) + (cell.left > 0 ? gap : 0)
  const top = Math.round(cell.top * height) + (cell.top > 0 ? gap : 0)
  const right = Math.round((cell.left + cell.width) * width)
  const bottom = Math.round((cell.top + cell.height) * height)
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) }
}

/** An image cut to a size: all of it for the first picture, closer in for each variation. */
async function cut(
  { images, random, variation }: ComposeRequest,
  index: number,
  width: number,
  height: number,
): Promise<Uint8Array> {
  const image = images[index]
  if (image === undefined) throw new Error(`there is no image ${index}`)
  const closeness = 1 - Math.min(0.3, variation * 0.09)
  const scale = Math.min(image.width / width, image.height / height) * closeness
  const cutWidth = Math.max(1, Math.min(image.width, Math.round(width * scale)))
  const cutHeight = Math.max(1, Math.min(image.height, Math.round(height * scale)))
  const across = variation === 0 ? 0.5 : random.between(0.2, 0.8)
  const down = variation === 0 ? 0.5 : random.between(0.2, 0.8)
  return image
    .open()
    .extract({
      left: Math.round((image.width - cutWidth) * across),
      top: Math.round((image.height - cutHeight) * down),
      width: cutWidth,
      height: cutHeight,
    })
    .resize(width, height, { fit: "fill", kernel: "cubic" })
    .toColourspace("srgb")
    .raw()
    .toBuffer()
}

/** Each image shows where its own field of noise is the highest, fading into its neighbours. */
async function expose(request: ComposeRequest): Promise<Picture> {
  const { images, width, height, random } = request
  const sums = new Float32Array(width * height * 3)
  const weights = new Float32Array(width * height)
  const unit = Math.sqrt(width * height)
  for (let index = 0; index < images.length; index++) {
    const noise = createNoise(random)
    // oxlint-disable-next-line no-await-in-loop
    const part = await cut(request, index, width, height)
    for (let pixel = 0; pixel < weights.length; pixel++) {
      const y = Math.trunc(pixel / width)
      const u = ((pixel - y * width) / unit) * 1.6
      const field = sumOctaves(noise, u + index * 31.7, (y / unit) * 1.6, 3)
      const weight = Math.exp(field * 9)
      weights[pixel] = (weights[pixel] as number) + weight
      for (let at = pixel * 3; at < pixel * 3 + 3; at++) {
        sums[at] = (sums[at] as number) + (part[at] as number) * weight
      }
    }
  }
  const pixels = new Uint8Array(sums.length)
  for (let at = 0; at < sums.length; at++) {
    pixels[at] = (sums[at] as number) / (weights[Math.trunc(at / 3)] as number) + 0.5
  }
  return { width, height, pixels }
}
