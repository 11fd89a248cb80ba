/**
 * A baseline JPEG of one colour (ITU-T T.81). Its Huffman tables are the simplest that do: a
 * difference's size is its own code of four bits, and of the AC codes there is only end-of-block.
 */
import { createBitWriter, type BitWriter } from "./bit-writer.ts"
import { toLuminance, type Colour } from "./colour.ts"

export interface JpegOptions {
  readonly width: number
  readonly height: number
  readonly colour: Colour
}

const SIZES = Array.from({ length: 12 }, (_, size) => size)

export function createJpeg({ width, height, colour }: JpegOptions): Buffer {
  const { y, cb, cr } = toLuminance(colour)
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, 3]
  for (const id of [1, 2, 3]) frame.push(id, 0x11, 0)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from("JFIF\0", "latin1"), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 8)]),
    segment(0xc0, frame),
    segment(0xc4, [0x00, ...countCodes({ 4: SIZES.length }), ...SIZES]),
    segment(0xc4, [0x10, ...countCodes({ 1: 1 }), 0]),
    segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]),
    toScan(Math.ceil(width / 8) * Math.ceil(height / 8), [y, cb, cr]),
    Buffer.from([0xff, 0xd9]),
  ])
}

function segment(marker: number, data: readonly number[]): Buffer {
  const length = data.length + 2
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...data])
}

/** How many codes there are of each length from 1 to 16 bits. */
function countCodes(counts: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: 16 }, (_, index) => counts[index + 1] ?? 0)
}

/** No difference, and the end of the block. */
const ZEROS_PER_BLOCK = 5

/** A flat block's DC coefficient is eight times its level; the quantiser is 8, so the level stays. */
function toScan(blocks: number, samples: readonly number[]): Buffer {
  const writer = createBitWriter()
  for (const sample of samples) writeBlock(writer, sample - 128)
  // All blocks but the first are zeros: whole bytes of them need no writer.
  const zeroBits = (blocks - 1) * samples.length * ZEROS_PER_BLOCK
  writer.bits(0, zeroBits % 8)
  const begun = [...writer.finish()].flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte]))
  return Buffer.concat([Buffer.from(begun), Buffer.alloc(Math.floor(zeroBits / 8))])
}

/** A negative difference is written as one less, in the bits of its size (T.81 F.1.2.1). */
function writeBlock(writer: BitWriter, difference: number): void {
  const size = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1
  writer.bits(size, 4)
  if (size > 0) writer.bits(difference < 0 ? difference - 1 + 2 ** size : difference, size)
  writer.bits(0, 1)
}
