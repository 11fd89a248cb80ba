/**
 * The files that a stub serves, at `/files/…` without credentials: outputs, which are made when they are fetched and
 * always have the same bytes, and uploads, which are kept.
 */
import { createHash } from "node:crypto"
import { createBoundedCache, type Clock } from "@safelight/core"
import { toColour } from "../media/colour.ts"
import { createJpeg } from "../media/jpeg-picture.ts"
import { createFreeBoxHeader, createMp4 } from "../media/mp4-film.ts"
import { createPng } from "../media/png-picture.ts"
import { createWebp } from "../media/webp-picture.ts"
import type { StubCall } from "./stub-call.ts"
import type { StubReply } from "./stub-route.ts"

export interface StubMedia {
  readonly type: "image/png" | "image/jpeg" | "image/webp" | "video/mp4"
  /** Pixels; a film's are even. */
  readonly width: number
  readonly height: number
  /** Of a film. */
  readonly durationMs?: number
  /** Makes a PNG large: three bytes a pixel. */
  readonly isNoise?: boolean
}

export interface StubFile {
  readonly id: string
  readonly url: string
  readonly name: string
}

export interface StubFiles {
  /** `name` and `media` determine the bytes: two outputs with the same ones are the same file. */
  add(name: string, media: StubMedia, expiresAt?: number): StubFile
  /** Keeps bytes at `/files/{id}`. */
  keep(id: string, type: string, bytes: Buffer): StubFile
  /** How many bytes an output has. */
  sizeOf(name: string, media: StubMedia): number
  /** The bytes of an output that a reply holds; a film without its `filmBytes`. */
  render(name: string, media: StubMedia): Buffer
  /** The whole file, or the part that the call asks for. */
  serve(call: StubCall, id: string): StubReply | undefined
}

interface Entry {
  readonly type: string
  readonly open: () => Buffer
  readonly expiresAt: number
}

export interface StubFilesOptions {
  readonly clock: Clock
  readonly filmBytes: number
  /** Makes an absolute URL of `/files/…`. */
  readonly toUrl: (path: string) => string
}

const ENDINGS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "video/mp4": "mp4",
}

/** Room for a `free` box of any length. */
const LEAST_FREE = 16

/** Outputs that stay in memory: the size of each is asked for first, and then its bytes. */
const KEPT_OUTPUTS = 64

/** Shared by all stubs: their jobs have the same names, and so the same outputs. */
const rendered = createBoundedCache<Buffer>(KEPT_OUTPUTS)

function render(name: string, media: StubMedia): Buffer {
  const key = JSON.stringify([name, media])
  const known = rendered.get(key) ?? createMedia(name, media)
  rendered.set(key, known)
  return known
}

export function createFiles({ clock, filmBytes, toUrl }: StubFilesOptions): StubFiles {
  const entries = new Map<string, Entry>()

  function put(id: string, entry: Entry): StubFile {
    entries.set(id, entry)
    return { id, url: toUrl(`/files/${id}`), name: id }
  }

  return {
    add(name, media, expiresAt = Infinity) {
      const open = (): Buffer => render(name, media)
      return put(`${name}.${ENDINGS[media.type]}`, { type: media.type, open, expiresAt })
    },
    keep: (id, type, bytes) => put(id, { type, open: () => bytes, expiresAt: Infinity }),
    render,
    sizeOf(name, media) {
      const { length } = render(name, media)
      return media.type === "video/mp4" && filmBytes - length >= LEAST_FREE ? filmBytes : length
    },
    serve(call, id) {
      const entry = entries.get(id)
      if (entry === undefined || clock.now() >= entry.expiresAt) return undefined
      const bytes = entry.open()
      const missing = entry.type === "video/mp4" ? filmBytes - bytes.length : 0
      if (missing < LEAST_FREE) return toPart(call, entry.type, bytes, 0)
      const header = createFreeBoxHeader(missing)
      const whole = Buffer.concat([bytes, header])
      return toPart(call, entry.type, whole, missing - header.length)
    },
  }
}

function createMedia(name: string, media: StubMedia): Buffer {
  const options = { ...media, colour: toColour(name) }
  switch (media.type) {
    case "image/png":
      return createPng(options)
    case "image/jpeg":
      return createJpeg(options)
    case "image/webp":
      return createWebp(options)
    case "video/mp4":
      return createMp4({ ...options, durationMs: media.durationMs ?? 4_000 })
  }
}

function toPart(call: StubCall, type: string, bytes: Buffer, zeroBytes: number): StubReply {
  const size = bytes.length + zeroBytes
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`
  const headers = { "content-type": type, "accept-ranges": "bytes", etag }
  const range = toRange(call, size, etag)
  if (range === "unsatisfiable") {
    return { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } }
  }
  if (range === undefined) return { headers, bytes, zeroBytes }
  const part = bytes.subarray(range.start, range.end)
  const rest = range.end - range.start - part.length
  const contentRange = `bytes ${range.start}-${range.end - 1}/${size}`
  const partial = { ...headers, "content-range": contentRange }
  return { status: 206, headers: partial, bytes: part, zeroBytes: rest }
}

interface Range {
  readonly start: number
  /** Exclusive: the first byte after the range. */
  readonly end: number
}

/** A single range (RFC 9110 §14). Undefined, which means the whole file, for several or if a condition fails. */
function toRange(call: StubCall, size: number, etag: string): Range | "unsatisfiable" | undefined {
  const { range = "", "if-range": condition = etag } = call.headers
  const [, first, last] = (condition === etag && /^bytes=(\d*)-(\d*)$/.exec(range)) || []
  if (first === undefined || last === undefined || first + last === "") return undefined
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1)
  return start >= end ? "unsatisfiable" : { start, end }
}
