/**
 * The output of an endpoint of fal for an input: by its name a film, sound, a 3D model or a text, and pictures
 * otherwise. The result is the model's output, in no envelope.
 */
import { isObject } from "../frame/stub-call.ts"
import { toOutputSize, type OutputSize } from "../frame/output-size.ts"
import { createSmallFile, type SmallFileType } from "../media/small-file.ts"
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
  const shape = SHAPES.find(([names]) => names.test(order.endpoint))?.[1]
  if (shape !== undefined) return { body: shape(order, files), billableUnits: 1 }
  return isFilm(order.endpoint) ? createFilmOutput(order, files) : createImageOutput(order, files)
}

type Shape = (order: FalOrder, files: StubFiles) => FalOutput["body"]

/** By what the endpoint is called, in the members that fal documents for such models. */
const SHAPES: readonly (readonly [names: RegExp, shape: Shape])[] = [
  [
    /text-to-3d/,
    (order, files) => {
      const glb = toFile(order, files, "model/gltf-binary")
      const thumbnail = toFile(order, files, "image/png")
      return {
        model_glb: glb,
        model_urls: { glb, obj: toFile(order, files, "model/obj") },
        thumbnail,
      }
    },
  ],
  [/trellis|3d/, (order, files) => ({ model_mesh: toFile(order, files, "model/gltf-binary") })],
  [/speech-to-text|scribe/, () => ({ text: "a lighthouse in fog", language_code: "en" })],
  [/caption|any-llm/, () => ({ output: "a lighthouse in fog", finish_reason: "stop" })],
  [/stable-audio/, (order, files) => ({ audio_file: toFile(order, files, "audio/wav") })],
  [
    /tts|speech|music|sound|audio/,
    (order, files) => ({ audio: toFile(order, files, "audio/wav"), duration_ms: 1_000 }),
  ],
]

function toFile({ id }: FalOrder, files: StubFiles, type: SmallFileType): object {
  const bytes = createSmallFile(type)
  const { url, name } = files.keep(`${id}.${type.split("/")[1] ?? ""}`, type, bytes)
  return { url, content_type: type, file_name: name, file_size: bytes.length }
}

function isFilm(endpoint: string): boolean {
  return /video|seedance|veo|kling(?!-image)|\/ray-\d/.test(endpoint)
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
