/**
 * A multipart/byteranges body as segments (RFC 9110 §14.6). Nothing precedes the first boundary, and the
 * length is known before anything is sent.
 */
import { toHex } from "@safelight/core"
import type { Segment } from "./byte-source.ts"
import type { ByteRange } from "./ranges.ts"

export interface MultipartOptions {
  readonly ranges: readonly ByteRange[]
  readonly contentType: string
  readonly totalBytes: number
  /** Random, so that no artifact can hold it on purpose. */
  readonly boundary: string
}

const BOUNDARY_BYTES = 16

/** 32 hex digits. */
export function createBoundary(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(BOUNDARY_BYTES)))
}

export function toMultipart(options: MultipartOptions): Segment[] {
  const { ranges, contentType, totalBytes, boundary } = options
  const encoder = new TextEncoder()
  const parts = ranges.flatMap((range, position): Segment[] => {
    const head = [
      `${position === 0 ? "" : "\r\n"}--${boundary}`,
      `Content-Type: ${contentType}`,
      `Content-Range: ${toContentRange(range, totalBytes)}`,
      "\r\n",
    ]
    return [encoder.encode(head.join("\r\n")), range]
  })
  return [...parts, encoder.encode(`\r\n--${boundary}--\r\n`)]
}

export function toContentRange({ start, end }: ByteRange, totalBytes: number): string {
  return `bytes ${start}-${end}/${totalBytes}`
}
