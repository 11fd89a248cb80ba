/**
 * A PNG of one colour, or of noise. Noise does not compress: it is for replies that have to be
 * large, and has about three bytes a pixel.
 */
import { randomFillSync } from "node:crypto"
import { crc32, deflateSync } from "node:zlib"
import type { Colour } from "./colour.ts"

export interface PngOptions {
  readonly width: number
  readonly height: number
  readonly colour: Colour
  readonly isNoise?: boolean
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function createPng(options: PngOptions): Buffer {
  const { width, height } = options
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits a sample, RGB, and no interlacing.
  header.set([8, 2, 0, 0, 0], 8)
  const data = deflateSync(toRows(options), { level: 1 })
  const chunks = [chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]
  return Buffer.concat([SIGNATURE, ...chunks])
}

/** Each row begins with its filter: 0, none. */
function toRows({ width, height, colour, isNoise = false }: PngOptions): Buffer {
  const pixel = Buffer.from([colour.red, colour.green, colour.blue])
  const row = Buffer.alloc(1 + width * 3)
  row.fill(pixel, 1)
  const rows = Buffer.alloc(row.length * height, row)
  if (!isNoise) return rows
  for (let y = 0; y < height; y += 1) randomFillSync(rows, y * row.length + 1, row.length - 1)
  return rows
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
