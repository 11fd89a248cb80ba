/**
 * Text to image (specification §2.4): a print on paper. The scene grows from the prompt's hash. The
 * background colour is that of the paper and of the scene's ground, `colors` are its inks, and the
 * prompt stands below it as a caption.
 */
import { PICTURE_SIZES, type PictureSize, type TextToImageParameters } from "@safelight/core"
import sharp from "sharp"
import { createCanvas, place, toBytes, type Canvas } from "./canvas.ts"
import { chooseScene, toWords } from "./choose-scene.ts"
import { printCaption, setCaption, type Caption } from "./lettering.ts"
import { createPalette, toLegible, type Palette } from "./palette.ts"
import { createRandom } from "../drawing/random.ts"

/** Levels of grain: enough to hide banding, too little to be seen. */
const GRAIN_LEVELS = 2.5

/** A PNG; the same parameters give the same bytes. `report` is told 1 to 99. */
export async function renderPicture(
  parameters: TextToImageParameters,
  report: (progress: number) => void,
): Promise<Uint8Array> {
  const { prompt, colors, background_color: background } = parameters
  const size = PICTURE_SIZES[parameters.size]
  const random = createRandom(`safelight studio picture\n${prompt}`)
  const words = toWords(prompt)
  const { inksOf, paint } = chooseScene(words, random)
  const ownInks = inksOf?.(prompt)
  const palette = createPalette({ colours: colors, background, ownInks, random })
  const layout = await createLayout(prompt, size)
  report(4)
  const art = paint({
    width: layout.artWidth,
    height: layout.artHeight,
    palette,
    random,
    prompt,
    report: (share) => report(4 + Math.floor(share * 80)),
  })
  const print = createPrint(size, palette, layout, art)
  report(88)
  const bytes = await sharp(toBytes(print, GRAIN_LEVELS), { raw: { ...size, channels: 3 } })
    .png({ compressionLevel: 6 })
    .toBuffer()
  report(99)
  return bytes
}

interface Layout {
  readonly margin: number
  readonly artWidth: number
  readonly artHeight: number
  readonly caption: Caption | undefined
}

async function createLayout(prompt: string, { width, height }: PictureSize): Promise<Layout> {
  const shorter = Math.min(width, height)
  const margin = Math.round(shorter * 0.052)
  const caption = await setCaption({
    text: prompt,
    widthPixels: Math.round(width - margin * 3),
    sizePixels: Math.max(11, shorter * 0.0235),
    mostLines: 3,
  })
  const below = caption === undefined ? margin : caption.height + Math.round(margin * 1.5)
  return { margin, artWidth: width - margin * 2, artHeight: height - margin - below, caption }
}

function createPrint(size: PictureSize, palette: Palette, layout: Layout, art: Canvas): Canvas {
  const { margin, caption } = layout
  const print = createCanvas(size.width, size.height, palette.ground)
  place(print, art, margin, margin)
  if (caption !== undefined) {
    const left = Math.round((size.width - caption.width) / 2)
    const top = margin + layout.artHeight + Math.round(margin * 0.72)
    printCaption(print, caption, toLegible(palette), { left, top })
  }
  return print
}
