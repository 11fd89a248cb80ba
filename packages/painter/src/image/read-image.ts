/**
 * A reference image as upright RGB pixels. It is decoded once, at no more than the size needed;
 * transparency is laid on white, since nothing made from it has any.
 */
import { SafelightError } from "@safelight/core"
import sharp, { type Sharp } from "sharp"
import { MOST_IMAGE_PIXELS, unreadable } from "../drawing/reference-image.ts"

export interface ReadImage {
  readonly width: number
  readonly height: number
  /** A fresh pipeline over the decoded picture. */
  open(): Sharp
}

/** Shorter sides show nothing that could be edited. */
const LEAST_SIDE_PIXELS = 16

/** How each format that is read begins, byte by byte as Latin-1: nothing else is shown to a decoder. */
const HEADS: readonly RegExp[] = [/^\x89PNG\r\n/, /^\xff\xd8\xff/, /^RIFF[^]{4}WEBP/]

/**
 * Decodes PNG, JPEG or WebP, upright (EXIF), scaled down to at most `mostSidePixels` a side. Rejects
 * with `media_unreadable`, `media_too_small`, `media_too_large` or `unsupported_media_type`.
 */
export async function readImage(bytes: Uint8Array, mostSidePixels: number): Promise<ReadImage> {
  await check(bytes)
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: MOST_IMAGE_PIXELS })
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
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1")
  if (!HEADS.some((each) => each.test(head))) {
    const message = "a reference image is not a PNG, JPEG or WebP"
    throw new SafelightError({ code: "unsupported_media_type", message })
  }
  const { width, height } = await readHeader(bytes)
  if (Math.min(width, height) < LEAST_SIDE_PIXELS) {
    const message = `a reference image is under ${LEAST_SIDE_PIXELS} pixels a side`
    throw new SafelightError({ code: "media_too_small", message })
  }
  if (width * height > MOST_IMAGE_PIXELS) {
    const message = `a reference image has more than ${MOST_IMAGE_PIXELS} pixels`
    throw new SafelightError({ code: "media_too_large", message })
  }
}

async function readHeader(
  bytes: Uint8Array,
): Promise<{ readonly width: number; readonly height: number }> {
  try {
    return await sharp(bytes, { limitInputPixels: false }).metadata()
  } catch (cause) {
    throw unreadable(cause)
  }
}
