/**
 * H.264 of one colour, by hand (ITU-T H.264, baseline profile): the first macroblock of the first
 * frame holds its samples plainly (I_PCM), every other one is predicted from its neighbours without
 * a residual, and every later frame skips all of its macroblocks. So a film of any size and length
 * costs a few kilobytes and no encoder.
 */
import { createBitWriter, type BitWriter } from "./bit-writer.ts"
import type { Luminance } from "./colour.ts"

export interface H264Options {
  /** Pixels, even. */
  readonly width: number
  readonly height: number
  readonly luminance: Luminance
  readonly frames: number
}

export interface H264Film {
  readonly sequenceParameters: Buffer
  readonly pictureParameters: Buffer
  /** One NAL unit a frame; the first one alone can be decoded by itself. */
  readonly units: readonly Buffer[]
}

const MACROBLOCK = 16
/** frame_num has four bits. */
const FRAME_NUMBERS = 16

export function createFilm(options: H264Options): H264Film {
  const columns = Math.ceil(options.width / MACROBLOCK)
  const rows = Math.ceil(options.height / MACROBLOCK)
  const skipped = Array.from({ length: FRAME_NUMBERS }, (_, number) =>
    createSkippedFrame(number, columns * rows),
  )
  const first = createFirstFrame(columns, rows, options.luminance)
  return {
    sequenceParameters: createSequenceParameters(options, columns, rows),
    pictureParameters: createPictureParameters(),
    units: Array.from({ length: options.frames }, (_, at) =>
      at === 0 ? first : (skipped[at % FRAME_NUMBERS] ?? first),
    ),
  }
}

function createSequenceParameters(
  { width, height }: H264Options,
  columns: number,
  rows: number,
): Buffer {
  const writer = createBitWriter()
  // Constrained baseline at level 5.1, which holds every size up to 36,864 macroblocks.
  writer.bytes(Buffer.from([66, 0xc0, 51]))
  writer.unsigned(0)
  writer.unsigned(0)
  // Order of output is order of decoding; one reference frame, without gaps.
  writer.unsigned(2)
  writer.unsigned(1)
  writer.bits(0, 1)
  writer.unsigned(columns - 1)
  writer.unsigned(rows - 1)
  writer.bits(0b11, 2)
  // The part that lies outside of the picture is cut off at the right and below, in units of two pixels.
  writer.bits(1, 1)
  writer.unsigned(0)
  writer.unsigned((columns * MACROBLOCK - width) / 2)
  writer.unsigned(0)
  writer.unsigned((rows * MACROBLOCK - height) / 2)
  writer.bits(0, 1)
  return toUnit(0x67, writer)
}

function createPictureParameters(): Buffer {
  const writer = createBitWriter()
  writer.unsigned(0)
  writer.unsigned(0)
  // CAVLC; no order in fields; one slice group, one reference; no weighted prediction.
  writer.bits(0b00, 2)
  for (const value of [0, 0, 0]) writer.unsigned(value)
  writer.bits(0b000, 3)
  for (const value of [0, 0, 0]) writer.unsigned(value)
  // The deblocking filter is controlled by each slice, and switched off there.
  writer.bits(0b100, 3)
  return toUnit(0x68, writer)
}

function createFirstFrame(columns: number, rows: number, { y, cb, cr }: Luminance): Buffer {
  const writer = createBitWriter()
  for (const value of [0, 7, 0]) writer.unsigned(value)
  writer.bits(0, 4)
  writer.unsigned(0)
  writer.bits(0b00, 2)
  writer.unsigned(0)
  writer.unsigned(1)
  writer.unsigned(25)
  writer.align()
  writer.bytes(Buffer.concat([Buffer.alloc(256, y), Buffer.alloc(64, cb), Buffer.alloc(64, cr)]))
  for (let at = 1; at < columns * rows; at += 1) writePredicted(writer, at, columns)
  return toUnit(0x65, writer)
}

/** Intra 16×16, mean of the neighbours, no coefficient. A neighbour in I_PCM counts as full. */
function writePredicted(writer: BitWriter, at: number, columns: number): void {
  writer.unsigned(3)
  writer.unsigned(0)
  writer.unsigned(0)
  const isBesidePlain = at === 1 || at === columns
  if (isBesidePlain) writer.bits(0b000011, 6)
  else writer.bits(1, 1)
}

function createSkippedFrame(number: number, macroblocks: number): Buffer {
  const writer = createBitWriter()
  for (const value of [0, 5, 0]) writer.unsigned(value)
  writer.bits(number, 4)
  writer.bits(0b000, 3)
  writer.unsigned(0)
  writer.unsigned(1)
  writer.unsigned(macroblocks)
  return toUnit(0x41, writer)
}

/** Adds the stop bit, and the bytes that keep a start code from appearing inside (§7.4.1.1). */
function toUnit(header: number, writer: BitWriter): Buffer {
  writer.bits(1, 1)
  const escaped: number[] = [header]
  let zeros = 0
  for (const byte of writer.finish()) {
    if (zeros === 2 && byte <= 3) {
      escaped.push(3)
      zeros = 0
    }
    escaped.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Buffer.from(escaped)
}
