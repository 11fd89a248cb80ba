/**
 * A lossless WebP of one colour. A prefix code of a single symbol takes no bits, so that the
 * picture has no pixel data at all: about fifty bytes whatever its size (RFC 9649 §3.7).
 */
import type { Colour } from "./colour.ts"

export interface WebpOptions {
  readonly width: number
  readonly height: number
  readonly colour: Colour
}

export function createWebp({ width, height, colour }: WebpOptions): Buffer {
  const stream = toStream([
    [width - 1, 14],
    [height - 1, 14],
    // No alpha, version 0; no transform, no colour cache, no meta prefix codes.
    [0, 1],
    [0, 3],
    [0, 1],
    [0, 1],
    [0, 1],
    ...[colour.green, colour.red, colour.blue, 255].flatMap(toSingleSymbol),
    // The distance code: one symbol, said in one bit.
    [1, 1],
    [0, 1],
    [0, 1],
    [0, 1],
  ])
  const data = Buffer.concat([Buffer.from([0x2f]), stream])
  const padding = Buffer.alloc(data.length % 2)
  const size = 4 + 8 + data.length + padding.length
  return Buffer.concat([
    Buffer.from("RIFF", "latin1"),
    littleEndian(size),
    Buffer.from("WEBPVP8L", "latin1"),
    littleEndian(data.length),
    data,
    padding,
  ])
}

type Field = readonly [value: number, bits: number]

/** A simple code with one symbol, said in eight bits. */
function toSingleSymbol(symbol: number): Field[] {
  return [
    [1, 1],
    [0, 1],
    [1, 1],
    [symbol, 8],
  ]
}

/** Bits from the least significant one on, of values and of bytes alike. */
function toStream(fields: readonly Field[]): Buffer {
  const bits = fields.flatMap(([value, count]) =>
    Array.from({ length: count }, (_, at) => (value >> at) & 1),
  )
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
  for (const [at, bit] of bits.entries()) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (bit << (at & 7))
  return bytes
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
