/**
 * The output of an endpoint of fal for an input: a film if the endpoint's name speaks of video, and
 * pictures otherwise. The result is the model's output, in no envelope.
 */
import { isObject } from "../frame/stub-call.ts"
import { toOutputSize, type OutputSize } from "../frame/output-size.ts"
import type { StubFiles, StubMedia } from "../frame/stub-files.ts"

export interface FalOutput {
  readonly body: Readonly<Record<string, unknown>>
  readonly billableUnits: number
}

export interface FalOrder {
  readonly id: string
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  /** When its files are deleted; Infinity by default of the account. */
  readonly filesExpireAt: number
}

const IMAGE_SIZES: Readonly<Record<string, OutputSize>> = {
  square_hd: { width: 1024, height: 1024 },
  square: { width: 512, height: 512 },
  portrait_4_3: { width: 768, height: 1024 },
  portrait_16_9: { width: 576, height: 1024 },
  landscape_4_3: { width: 1024, height: 768 },
  landscape_16_9: { width: 1024, height: 576 },
}

const IMAGE_TYPES = { jpeg: "image/jpeg", webp: "image/webp", png: "image/png" } as const

export function createOutput(order: FalOrder, files: StubFiles): FalOutput {
  return isFilm(order.endpoint) ? createFilmOutput(order, files) : createImageOutput(order, files)
}

function isFilm(endpoint: string): boolean {
  return /video|seedance|veo|kling/.test(endpoint)
}

function createImageOutput({ id, input, filesExpireAt }: FalOrder, files: StubFiles): FalOutput {
  const format = input["output_format"] as keyof typeof IMAGE_TYPES
  const media: StubMedia = { type: IMAGE_TYPES[format] ?? "image/png", ...toImageSize(input) }
  const count = Number(input["num_images"] ?? 1)
  const images = Array.from({ length: count }, (_, index) => {
    const name = `${id}-${index + 1}`
    const file = files.add(name, media, filesExpireAt)
    return {
      url: file.url,
      content_type: media.type,
      file_name: file.name,
      file_size: files.sizeOf(name, media),
      width: media.width,
      height: media.height,
    }
  })
  return { body: { images }, billableUnits: count }
}

function toImageSize(input: Readonly<Record<string, unknown>>): OutputSize {
  const size = input["image_size"]
  if (isObject(size)) return { width: Number(size["width"]), height: Number(size["height"]) }
  if (typeof size === "string") return IMAGE_SIZES[size] ?? toOutputSize("1:1", "1k")
  return toOutputSize(input["aspect_ratio"], input["resolution"])
}

function createFilmOutput({ id, input, filesExpireAt }: FalOrder, files: StubFiles): FalOutput {
  const seconds = Number(input["duration"] ?? 5)
  const durationMs = Number.isFinite(seconds) ? seconds * 1_000 : 5_000
  const size = toOutputSize(input["aspect_ratio"] ?? "16:9", input["resolution"] ?? "720p")
  const media: StubMedia = { type: "video/mp4", durationMs, ...size }
  const file = files.add(id, media, filesExpireAt)
  const video = {
    url: file.url,
    content_type: media.type,
    file_name: file.name,
    file_size: files.sizeOf(id, media),
  }
  return { body: { video, seed: 42 }, billableUnits: durationMs / 1_000 }
}
