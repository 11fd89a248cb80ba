/**
 * What the upstream is asked to make, and what it makes of that: pictures, of which one may be of no use, or a
 * film that is some hundredths longer than was asked for, from reference videos that may be longer when the
 * provider fetches them than when the service measured them. All of it is told from the operation's name
 * and the address of each video, so that anybody can say what is right.
 */
import { pickByText } from "./random.ts"

/** As it comes with the request to create. */
export interface UpstreamOrder {
  /** Pictures; 0 for a film. */
  readonly pieces: number
  /** How long a film is asked for; 0 for pictures. */
  readonly filmMs: number
  /** Addresses of reference videos. */
  readonly videos: readonly string[]
  readonly prompt: string
}

/**
 * Why a picture can't be had: its bytes are none of a picture, which never changes; or each download of
 * it fails.
 */
export type Flaw = "unreadable" | "unfetchable"

export interface Production {
  /** Of each picture or the film: its flaw, or null. */
  readonly pieces: readonly (Flaw | null)[]
  /** 0 for pictures. */
  readonly filmMs: number
  /** Of each reference video: how much of it was processed. */
  readonly inputVideosMs: readonly number[]
}

/** How much longer than asked for. */
const SURPLUS_MS = { "0": 3, "40": 2, "123": 1 } as const

export function toProduction(
  operation: string,
  { filmMs, pieces, videos }: UpstreamOrder,
  flaw: Flaw | null = null,
): Production {
  if (filmMs > 0) {
    const surplusMs = Number(pickByText(`surplus ${operation}`, SURPLUS_MS))
    const inputVideosMs = videos.map((url) => toVideo(url).processedMs)
    return { pieces: [null], filmMs: filmMs + surplusMs, inputVideosMs }
  }
  // With one piece there would be nothing left.
  const flawed = pieces > 1 && flaw !== null ? operation.length % pieces : -1
  const made = Array.from({ length: pieces }, (_, place) => (place === flawed ? flaw : null))
  return { pieces: made, filmMs: 0, inputVideosMs: [] }
}

/** The bytes of one piece: told from names, so that a digest can be checked anywhere. */
export function toProduct(operation: string, place: number, { filmMs }: Production): Buffer {
  const head = filmMs > 0 ? toFilmHead(filmMs) : ""
  return Buffer.from(`${head}${`piece ${place + 1} of ${operation}\n`.repeat(200)}`)
}

/** A reference video: as long as that where the service fetches it, and where the provider does. */
export interface ReferenceVideo {
  readonly shownMs: number
  readonly processedMs: number
}

export function toVideoUrl(
  origin: string,
  { processedMs, shownMs }: ReferenceVideo,
  name: string,
): string {
  return `${origin}/media/${shownMs}/${processedMs}/${name}`
}

export function toVideo(url: string): ReferenceVideo {
  const [, , shownMs, processedMs] = new URL(url, "http://upstream").pathname.split("/")
  return { shownMs: Number(shownMs), processedMs: Number(processedMs) }
}

export function toVideoBytes({ shownMs }: ReferenceVideo): Buffer {
  return Buffer.from(`${toFilmHead(shownMs)}${"a reference video\n".repeat(50)}`)
}

function toFilmHead(durationMs: number): string {
  return `film of ${durationMs} ms\n`
}

/** Undefined where the bytes are none of a film. */
export function readFilmMs(bytes: Uint8Array): number | undefined {
  const [, digits] = /^film of (\d+) ms\n/.exec(Buffer.from(bytes).toString("latin1")) ?? []
  return digits === undefined ? undefined : Number(digits)
}
