/**
 * The media that a request asks for, by the names of parameters that most providers use. By default an image is a
 * PNG of 1024 × 1024, and a film has 5 s of 720p.
 */
import { parseOutputSize, toOutputSize, type OutputSize } from "./output-size.ts"
import type { StubMedia } from "./stub-files.ts"

type Fields = Readonly<Record<string, unknown>>

const IMAGE_TYPES: Readonly<Record<string, "image/png" | "image/jpeg" | "image/webp">> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
}

export function readPicture(fields: Fields, format: string = "png"): StubMedia {
  const asked = fields["output_format"]
  const wanted = typeof asked === "string" ? asked.toLowerCase() : format
  return { type: IMAGE_TYPES[wanted] ?? "image/png", ...readSize(fields, "1:1", "1k") }
}

export function readFilm(fields: Fields): StubMedia {
  const seconds = Number(fields["duration"] ?? fields["seconds"] ?? 5)
  const durationMs = seconds > 0 ? Math.round(seconds * 1_000) : 5_000
  return { type: "video/mp4", durationMs, ...readSize(fields, "16:9", "720p") }
}

/** Whether a model or an endpoint makes films, by its name. */
export function makesFilms(name: string): boolean {
  return /video|seedance|veo|kling|wan-|hailuo|gen-4|ray-\d/.test(name)
}

/** A count from 1 to 15; 1 if there is none. */
export function readCount(value: unknown): number {
  return Number.isInteger(value) && Number(value) > 0 ? Math.min(15, Number(value)) : 1
}

function readSize(fields: Fields, ratio: string, resolution: string): OutputSize {
  const { width, height } = fields
  if (typeof width === "number" && typeof height === "number") return { width, height }
  const size = fields["size"]
  const pixels = parseOutputSize(size)
  if (pixels !== undefined) return pixels
  const shape = fields["aspect_ratio"] ?? fields["ratio"] ?? ratio
  return toOutputSize(shape, fields["resolution"] ?? size ?? resolution)
}
