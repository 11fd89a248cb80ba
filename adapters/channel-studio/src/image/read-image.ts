/**
 * A reference image as upright RGB pixels. It is decoded once, at no more than the size needed;
 * transparency is laid on white, since nothing made from it has any.
 */
import { SafelightError } from "@safelight/core"
import sharp, { type Sharp } from "sharp"

export interface ReadImage {
  readonly width: number
  readonly height: number
  /** A fresh pipeline over the decoded picture. */
  open(): Sharp
}

export const IMAGE_LIMITS = {
  /** Shorter sides show nothing that could be edited. */
  leastSidePixels: 16,
  /** 50 megapixels decode to 150 MB; a small file may claim far more. */
  mostPixels: 50_000_000,
} as const

const FORMATS: readonly string[] = ["png", "jpeg", "webp"]

/**
 * Decodes PNG, JPEG or WebP, upright (EXIF), scaled down to at most `mostSidePixels` a side. Rejects
 * with `media_unreadable`, `media_too_small`, `media_too_large` or `unsupported_media_type`.
 */
export async function readImage(bytes: Uint8Array, mostSidePixels: number): Promise<ReadImage> {
  await check(bytes)
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: IMAGE_LIMITS.mostPixels })
      .autoOrient()
      .toColourspace("srgb")
      .flatten({ background: "#fff" })
      .resize(mostSidePixels, mostSidePixels, { fit: "inside", withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const { width, height } = info
    const channels = info.channels as 1 | 3
    return { width, height, open: () => sharp(data, { raw: { width, height, channels } }) }
  } catch (cause) {
    throw unreadable(cause)
  }
}

async function check(bytes: Uint8Array): Promise<void> {
  const { format, width, height } = await readHeader(bytes)
  if (!FORMATS.includes(format)) {
    const message = "a reference image is not a PNG, JPEG or WebP"
    throw new SafelightError({ code: "unsupported_media_type", message })
  }
  if (Math.min(width, height) < IMAGE_LIMITS.leastSidePixels) {
    const message = `a reference image is under ${IMAGE_LIMITS.leastSidePixels} pixels a side`
    throw new SafelightError({ code: "media_too_small", message })
  }
  if (width * height > IMAGE_LIMITS.mostPixels) {
    const message = `a reference image has more than ${IMAGE_LIMITS.mostPixels} pixels`
    throw new SafelightError({ code: "media_too_large", message })
  }
}

async function readHeader(
  bytes: Uint8Array,
): Promise<{ readonly format: string; readonly width: number; readonly height: number }> {
  try {
    return await sharp(bytes, { limitInputPixels: false }).metadata()
  } catch (cause) {
    throw unreadable(cause)
  }
}

function unreadable(cause: unknown): SafelightError {
  const message = "a reference image could not be decoded"
  return new SafelightError({ code: "media_unreadable", message, cause })
}
