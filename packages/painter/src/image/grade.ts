/**
 * A picture's tones changed by a grade, pixel by pixel; what needs neighbours (blur, outlines,
 * blocks) is sharp's. `createGrade` gives every prompt a look of its own, and each variation
 * another shade of it; the words then rule.
 */
import sharp, { type Sharp } from "sharp"
import { speckle } from "./canvas.ts"
import type { Picture } from "./compose.ts"
import { gradeByWords, type Grade } from "./grade-words.ts"
import type { Random } from "../drawing/random.ts"
import { mixTones, type Tone } from "../drawing/tone.ts"

/** Shadows and highlights that go together. */
const LOOKS: readonly [readonly [Tone, Tone], ...(readonly [Tone, Tone])[]] = [
  [
    [0.03, 0.12, 0.2],
    [1, 0.84, 0.62],
  ],
  [
    [0.12, 0.05, 0.2],
    [1, 0.8, 0.72],
  ],
  [
    [0.04, 0.14, 0.12],
    [0.97, 0.9, 0.68],
  ],
  [
    [0.18, 0.06, 0.08],
    [0.92, 0.94, 0.84],
  ],
  [
    [0.05, 0.07, 0.22],
    [0.86, 0.96, 1],
  ],
  [
    [0.02, 0.16, 0.18],
    [1, 0.76, 0.66],
  ],
]

export interface GradeRequest {
  readonly words: ReadonlySet<string>
  /** Grown from the prompt alone: the same for every variation. */
  readonly random: Random
  readonly variation: number
}

export function createGrade({ words, random, variation }: GradeRequest): Grade {
  const [shadows, highlights] = random.pick(LOOKS)
  const turn = Math.ceil(variation / 2) * (variation % 2 === 0 ? 1 : -1)
  const base: Grade = {
    exposure: random.between(-0.06, 0.1) + turn * 0.1,
    contrast: random.between(1.03, 1.16),
    saturation: random.between(0.92, 1.14) * (1 + turn * 0.1),
    warmth: random.between(-0.14, 0.14) + turn * 0.2,
    fade: 0,
    vignette: 0.22,
    grain: 2,
    toning: random.between(0.14, 0.24),
    shadows,
    highlights,
    levels: 0,
    blocks: 0,
    blur: 0,
    sharpen: false,
    outline: false,
    invert: false,
    mirror: false,
    flip: false,
  }
  return gradeByWords(base, words)
}

export async function applyGrade(picture: Picture, grade: Grade): Promise<Picture> {
  const shaped = await shape(picture, grade)
  const pixels = paintTones(shaped, grade)
  return { ...shaped, pixels }
}

/** What needs a pixel's neighbours. */
async function shape(picture: Picture, grade: Grade): Promise<Picture> {
  const { width, height } = picture
  const longer = Math.max(width, height)
  let pipeline = open(picture)
  if (grade.mirror) pipeline = pipeline.flop()
  if (grade.flip) pipeline = pipeline.flip()
  if (grade.blur > 0) pipeline = pipeline.blur(Math.max(0.3, (grade.blur * longer) / 1000))
  if (grade.sharpen) pipeline = pipeline.sharpen({ sigma: longer / 700, m1: 1.2, m2: 3 })
  if (grade.outline) pipeline = drawOutline(pipeline, longer)
  let pixels: Uint8Array = await pipeline.toColourspace("srgb").raw().toBuffer()
  if (grade.blocks > 0) pixels = await toBlocks({ width, height, pixels }, grade.blocks)
  return { width, height, pixels }
}

async function toBlocks(picture: Picture, blocks: number): Promise<Uint8Array> {
  const { width, height } = picture
  const size = Math.max(width, height) / blocks
  const small = await open(picture)
    .resize(Math.max(1, Math.round(width / size)), Math.max(1, Math.round(height / size)), {
      fit: "fill",
    })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return open({ ...small.info, pixels: small.data })
    .resize(width, height, { fit: "fill", kernel: "nearest" })
    .raw()
    .toBuffer()
}

/** Edges dark on white, as a pencil would. */
function drawOutline(picture: Sharp, longer: number): Sharp {
  const kernel = [-1, -1, -1, -1, 8, -1, -1, -1, -1]
  return picture
    .blur(Math.max(0.6, longer / 900))
    .convolve({ width: 3, height: 3, kernel })
    .linear(5, 0)
    .negate({ alpha: false })
}

function open({ width, height, pixels }: Picture): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** Tones by lightness, 256 triples: shadows to highlights. */
function toToning({ shadows, highlights }: Grade): Float32Array {
  const table = new Float32Array(256 * 3)
  for (let level = 0; level < 256; level++) {
    table.set(mixTones(shadows, highlights, level / 255), level * 3)
  }
  return table
}

function paintTones(picture: Picture, grade: Grade): Uint8Array {
  const { width, height, pixels } = picture
  const curves = [1, 0, -1].map((side) => createCurve(grade, side))
  const toning = toToning(grade)
  const result = new Uint8ClampedArray(pixels.length)
  const reach = (width * width + height * height) / 4
  for (let at = 0; at < pixels.length; at += 3) {
    const y = Math.trunc(at / 3 / width)
    const x = at / 3 - y * width
    const away = ((x - width / 2) ** 2 + (y - height / 2) ** 2) / reach
    const light = 1 - grade.vignette * away * away * 0.9
    const lift = (speckle(x, y) - 0.5) * 2 * grade.grain
    const red = curves[0]?.[pixels[at] as number] ?? 0
    const green = curves[1]?.[pixels[at + 1] as number] ?? 0
    const blue = curves[2]?.[pixels[at + 2] as number] ?? 0
    const grey = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    const tone = Math.min(255, Math.max(0, Math.round(grey * 255))) * 3
    result[at] = finish(red, grey, toning[tone] as number, grade) * light + lift
    result[at + 1] = finish(green, grey, toning[tone + 1] as number, grade) * light + lift
    result[at + 2] = finish(blue, grey, toning[tone + 2] as number, grade) * light + lift
  }
  return new Uint8Array(result.buffer)
}

/** Exposure, warmth, contrast and fade of one channel for each of its 256 values. */
function createCurve(grade: Grade, side: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, level) => {
    const exposed = (level / 255) * 2 ** (grade.exposure + grade.warmth * side * 0.5)
    const bent = 0.5 + (Math.min(1.2, exposed) - 0.5) * grade.contrast
    const own = Math.min(1, Math.max(0, grade.invert ? 1 - bent : bent))
    return grade.fade + own * (1 - grade.fade)
  })
}

function finish(value: number, grey: number, toned: number, grade: Grade): number {
  const saturated = grey + (value - grey) * grade.saturation
  const mixed = saturated + (toned - saturated) * grade.toning
  const bound = Math.min(1, Math.max(0, mixed))
  if (grade.levels === 0) return bound * 255
  return (Math.round(bound * (grade.levels - 1)) / (grade.levels - 1)) * 255
}
