/**
 * A caption set in the bundled DejaVu fonts: wrapped, made smaller, at last cut with an ellipsis.
 * Only scripts those fonts hold are set, since what a machine's own fonts would add differs from
 * one machine to the next; a prompt in another script still grows the picture, unlettered.
 */
import { createRequire } from "node:module"
import sharp from "sharp"
import { cover, type Canvas } from "./canvas.ts"
import { toLetterable } from "./letterable.ts"
import type { Tone } from "../drawing/tone.ts"

export interface CaptionRequest {
  readonly text: string
  readonly widthPixels: number
  /** The largest size tried first, in pixels. */
  readonly sizePixels: number
  readonly mostLines: number
}

/** How much of each pixel the letters cover, 0 to 255. */
export interface Caption {
  readonly width: number
  readonly height: number
  readonly coverage: Uint8Array
}

/** Files of the bundled fonts, and the families in them. */
export const FONTS = {
  serif: { file: "dejavu-fonts-ttf/ttf/DejaVuSerif.ttf", family: "DejaVu Serif" },
  sans: { file: "dejavu-fonts-ttf/ttf/DejaVuSans.ttf", family: "DejaVu Sans" },
} as const

type Font = (typeof FONTS)[keyof typeof FONTS]

const SHRINK = 0.86
const LEAST_SIZE_SHARE = 0.55

/** The caption, or undefined where nothing of the text can be set. */
export async function setCaption(request: CaptionRequest): Promise<Caption | undefined> {
  const { text, font: kind } = toLetterable(request.text)
  if (text === "") return undefined
  const font = FONTS[kind]
  for (let size = request.sizePixels; ; size *= SHRINK) {
    const isLast = size * SHRINK < request.sizePixels * LEAST_SIZE_SHARE
    // Each size is tried only where the larger one did not fit.
    // oxlint-disable-next-line no-await-in-loop
    const caption = await draw(text, font, size, request)
    if (fits(caption, size, request)) return caption
    if (isLast) return cutToFit(text, font, size, request)
  }
}

/** Drops words from the end, halving the search, until the rest fits with an ellipsis. */
async function cutToFit(
  text: string,
  font: Font,
  size: number,
  request: CaptionRequest,
): Promise<Caption> {
  const characters = Array.from(text)
  let fitting = 1
  let tooLong = characters.length
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2)
    // A bisection is one step after the other.
    // oxlint-disable-next-line no-await-in-loop
    const caption = await draw(toCut(characters, middle), font, size, request)
    if (fits(caption, size, request)) fitting = middle
    else tooLong = middle
  }
  return draw(toCut(characters, fitting), font, size, request)
}

/** Whole words where the cut leaves any. */
function toCut(characters: readonly string[], count: number): string {
  const cut = characters.slice(0, count).join("")
  const space = cut.lastIndexOf(" ")
  const whole = space > cut.length * 0.7 ? cut.slice(0, space) : cut
  return `${whole.replace(/[\s,;:.–—-]+$/u, "")}…`
}

function fits(caption: Caption, size: number, request: CaptionRequest): boolean {
  return caption.height <= size * 1.45 * request.mostLines && caption.width <= request.widthPixels
}

async function draw(
  text: string,
  font: Font,
  size: number,
  { widthPixels }: CaptionRequest,
): Promise<Caption> {
  const { data, info } = await sharp({
    text: {
      text: `<span letter_spacing="${Math.round(size * 30)}">${escapeMarkup(text)}</span>`,
      fontfile: createRequire(import.meta.url).resolve(font.file),
      font: `${font.family} ${size.toFixed(1)}px`,
      width: widthPixels,
      align: "center",
      wrap: "word-char",
      spacing: Math.round(size * 0.22),
    },
  })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, coverage: data }
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

/** Prints a caption, its corner at (`left`, `top`). */
export function printCaption(
  { width, pixels }: Canvas,
  caption: Caption,
  tone: Tone,
  corner: { readonly left: number; readonly top: number },
): void {
  for (let y = 0; y < caption.height; y++) {
    for (let x = 0; x < caption.width; x++) {
      const amount = (caption.coverage[y * caption.width + x] as number) / 255
      cover(pixels, ((y + corner.top) * width + x + corner.left) * 3, tone, amount)
    }
  }
}
