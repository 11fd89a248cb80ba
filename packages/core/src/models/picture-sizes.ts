/** The sizes of text to image, in pixels: every channel makes the same of their names. */
import type { TextToImageParameters } from "./text-to-image.ts"

export interface PictureSize {
  readonly width: number
  readonly height: number
}

export const PICTURE_SIZES: Readonly<Record<TextToImageParameters["size"], PictureSize>> = {
  square_hd: { width: 1024, height: 1024 },
  square: { width: 512, height: 512 },
  portrait_4_3: { width: 768, height: 1024 },
  portrait_16_9: { width: 576, height: 1024 },
  landscape_4_3: { width: 1024, height: 768 },
  landscape_16_9: { width: 1024, height: 576 },
}
