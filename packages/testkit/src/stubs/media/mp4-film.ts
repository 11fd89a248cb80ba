/**
 * An MP4 (ISO/IEC 14496-12) with one H.264 track of one colour at 25 frames a second. A `free` box, which every
 * reader skips, can give it more bytes. Only the header of the box is made, since it may be larger than memory.
 */
import { createFilm } from "./h264-frames.ts"
import { toLuminance, type Colour } from "./colour.ts"

export interface Mp4Options {
  /** Pixels, even. */
  readonly width: number
  readonly height: number
  readonly durationMs: number
  readonly colour: Colour
}

/** Ticks a second: durations are in milliseconds. */
const TIMESCALE = 1_000
const FRAME_MS = 40

/** 1 as a 16.16 and a 2.30 fixed-point number. */
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]

export function createMp4(options: Mp4Options): Buffer {
  const frames = Math.max(1, Math.ceil(options.durationMs / FRAME_MS))
  const film = createFilm({ ...options, luminance: toLuminance(options.colour), frames })
  const samples = film.units.map((unit) => Buffer.concat([u32(unit.length), unit]))
  const type = box("ftyp", "isom", u32(0x200), "isomiso2avc1mp41")
  const description = toDescription(options, film.sequenceParameters, film.pictureParameters)
  const toHeader = (offset: number): Buffer => toMovie(options, description, samples, offset)
  const offset = type.length + toHeader(0).length + 8
  return Buffer.concat([type, toHeader(offset), box("mdat", ...samples)])
}

/** The header of a box of `bytes` in all, to be followed by zeros; at least eight bytes. */
export function createFreeBoxHeader(bytes: number): Buffer {
  if (bytes <= 0xffffffff) return Buffer.concat([u32(bytes), Buffer.from("free", "latin1")])
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(bytes))
  return Buffer.concat([u32(1), Buffer.from("free", "latin1"), length])
}

function toMovie(
  options: Mp4Options,
  description: Buffer,
  samples: readonly Buffer[],
  offset: number,
): Buffer {
  const { width, height, durationMs } = options
  const full = (samples.length - 1) * FRAME_MS
  const table = box(
    "stbl",
    description,
    box("stts", u32(0, 2, samples.length - 1, FRAME_MS, 1, durationMs - full)),
    box("stss", u32(0, 1, 1)),
    box("stsc", u32(0, 1, 1, samples.length, 1)),
    box("stsz", u32(0, 0, samples.length, ...samples.map(({ length }) => length))),
    box("stco", u32(0, 1, offset)),
  )
  const data = box("dinf", box("dref", u32(0, 1), box("url ", u32(1))))
  const media = box(
    "mdia",
    box("mdhd", u32(0, 0, 0, TIMESCALE, durationMs), u16(0x55c4, 0)),
    box("hdlr", u32(0, 0), "vide", u32(0, 0, 0), "film\0"),
    box("minf", box("vmhd", u32(1, 0, 0)), data, table),
  )
  const sizes = u32(width * 0x10000, height * 0x10000)
  const track = box("tkhd", u32(3, 0, 0, 1, 0, durationMs, 0, 0, 0, 0, ...MATRIX), sizes)
  const speed = u32(0x10000)
  const header = box(
    "mvhd",
    u32(0, 0, 0, TIMESCALE, durationMs),
    speed,
    u16(0x100, 0),
    u32(0, 0, ...MATRIX, 0, 0, 0, 0, 0, 0, 2),
  )
  return box("moov", header, box("trak", track, media))
}

function toDescription({ width, height }: Mp4Options, sequence: Buffer, picture: Buffer): Buffer {
  const profile = sequence.subarray(1, 4)
  const configuration = box(
    "avcC",
    Buffer.concat([Buffer.from([1]), profile, Buffer.from([0xff, 0xe1])]),
    u16(sequence.length),
    sequence,
    Buffer.from([1]),
    u16(picture.length),
    picture,
  )
  const entry = box(
    "avc1",
    u32(0, 1, 0, 0, 0, 0),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    configuration,
  )
  return box("stsd", u32(0, 1), entry)
}

function box(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string, "latin1")))
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, "latin1"), body])
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4)
  return bytes
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value, at * 2)
  return bytes
}
