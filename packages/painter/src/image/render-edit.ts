/**
 * Image to image (specification §2.5): the reference images composed into one frame, graded as the
 * prompt says, `count` times over with differences. `sync_mode` has nothing to decide: only `false`
 * is ever accepted.
 */
import type { ImageEditParameters } from "@safelight/core"
import sharp from "sharp"
import { toWords } from "./choose-scene.ts"
import { compose, type Picture } from "./compose.ts"
import { toEditSize } from "./edit-size.ts"
import { applyGrade, createGrade } from "./grade.ts"
import type { MediaReading, ReadMedia } from "../drawing/read-media.ts"
import { readImage, type ReadImage } from "./read-image.ts"
import { createRandom } from "../drawing/random.ts"

/** Of the encoder, 1 to 100: at `low` the loss can be seen, at `medium` it takes a close look. */
const ENCODER_QUALITY = { low: 36, medium: 84 } as const

export interface EditRequest extends MediaReading {
  readonly parameters: ImageEditParameters
  /** What is behind `image_urls`, in order. */
  readonly images: readonly ReadMedia[]
}

/**
 * `count` images in `output_format`; the same request gives the same bytes. `report` is told 1 to
 * 99. Rejects as `readImage` does.
 */
export async function renderEdit(
  { parameters, images: inputs, paint }: EditRequest,
  report: (progress: number) => void,
): Promise<readonly Uint8Array[]> {
  const { prompt, count } = parameters
  const images = await readAll(inputs, report)
  paint()
  const first = images[0]
  if (first === undefined) throw new Error("an edit needs an image")
  const size = toEditSize(parameters, first)
  const words = toWords(prompt)
  const outputs: Uint8Array[] = []
  for (let variation = 0; variation < count; variation++) {
    const random = createRandom(`safelight studio edit\n${variation}\n${prompt}`)
    const look = createRandom(`safelight studio look\n${prompt}`)
    // One variation's pixels at a time.
    // oxlint-disable-next-line no-await-in-loop
    const frame = await compose({ images, ...size, words, random, variation })
    report(20 + Math.floor(((variation + 0.4) / count) * 79))
    const grade = createGrade({ words, random: look, variation })
    // oxlint-disable-next-line no-await-in-loop
    outputs.push(await encode(await applyGrade(frame, grade), parameters))
    report(20 + Math.floor(((variation + 1) / count) * 79))
  }
  return outputs
}

/** Decoded no larger than any output could show. */
const MOST_SIDE_PIXELS = 3072

async function readAll(
  inputs: readonly ReadMedia[],
  report: (progress: number) => void,
): Promise<readonly ReadImage[]> {
  const images: ReadImage[] = []
  for (const input of inputs) {
    // One after the other: decoding five at once would hold five full-size pictures.
    // oxlint-disable-next-line no-await-in-loop
    images.push(await readImage(await input(), MOST_SIDE_PIXELS))
    report(Math.max(1, Math.floor((images.length / inputs.length) * 20)))
  }
  return images
}

async function encode(
  { width, height, pixels }: Picture,
  { output_format: format, quality }: ImageEditParameters,
): Promise<Uint8Array> {
  const picture = sharp(pixels, { raw: { width, height, channels: 3 } })
  const level = ENCODER_QUALITY[quality]
  switch (format) {
    case "jpeg":
      return picture.jpeg({ quality: level, mozjpeg: quality === "medium" }).toBuffer()
    case "webp":
      return picture.webp({ quality: level, effort: 3 }).toBuffer()
    case "png":
      // Without loss there is no quality to lower but the number of colours.
      return quality === "low"
        ? picture.png({ palette: true, colours: 32, effort: 3 }).toBuffer()
        : picture.png({ compressionLevel: 6 }).toBuffer()
  }
}
