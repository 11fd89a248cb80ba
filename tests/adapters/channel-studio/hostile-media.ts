/**
 * Small files that are made to harm whoever opens them, each the smallest of its kind. None of them
 * is of use but against a decoder without bounds.
 */
import { crc32, deflateSync } from "node:zlib"
import {
  BufferTarget,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from "mediabunny"
import sharp from "sharp"

/** A picture of 64 × 64 pixels with texts that inflate to `texts` × 8 MB; about 8 KB each. */
export async function createTextBomb(texts: number): Promise<Buffer> {
  const plain = await sharp({ create: { width: 64, height: 64, channels: 3, background: "#7a3" } })
    .png()
    .toBuffer()
  const text = deflateSync(Buffer.alloc(7_900_000, "a"), { level: 9 })
  const chunks = Array.from({ length: texts }, (_, index) =>
    toPngChunk("zTXt", Buffer.concat([Buffer.from(`key${index}\0\0`), text])),
  )
  const headEnd = 8 + 25
  return Buffer.concat([plain.subarray(0, headEnd), ...chunks, plain.subarray(headEnd)])
}

function toPngChunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), body])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.byteLength)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

/** A film of four packets, of which its table says that there are four thousand million. */
export async function createSampleTableBomb(): Promise<Buffer> {
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target })
  const source = new EncodedVideoPacketSource("avc")
  output.addVideoTrack(source)
  await output.start()
  const sets = [1, 66, 192, 10, 255, 225, 0, 4, 103, 66, 192, 10, 1, 0, 2, 104, 206]
  const decoderConfig = {
    codec: "avc1.42c00a",
    codedWidth: 64,
    codedHeight: 48,
    description: new Uint8Array(sets),
  }
  // Out of order, so that there is a table of offsets too.
  for (const [index, tenths] of [0, 2, 1, 3].entries()) {
    const type = index === 0 ? "key" : "delta"
    const packet = new EncodedPacket(new Uint8Array(20).fill(7), type, tenths / 10, 0.1)
    await source.add(packet, index === 0 ? { decoderConfig } : undefined)
  }
  await output.finalize()
  const file = Buffer.from(target.buffer ?? new ArrayBuffer(0))
  // The box's name, version and flags, the number of entries, then each entry's count of samples.
  file.writeUInt32BE(0xff_ff_ff_ff, file.indexOf("stts") + 12)
  return file
}

/** A WebM with two bytes exchanged, over which a parser has been seen never to end. */
export const LOOPING_WEBM = Buffer.from(
  "GkXfoxAAAB9ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZwQAAAABkxFNm3QQAAA/TbsQAAAPU6uEFUmpZlOs" +
    "hQAAAABHTbsQAAAPU6uEFlSua1OshQAAAACLTbsQAAAPfquEHFO7a1OshQAAAAF4FUmpZhAAADwq17GDD0JATYCSTWVk" +
    "aWFidW5ueSB2MS42MS4wV0GSTWVkaWFidW5ueSB2MS42MS4wRImIQILAAAAAAAAWVK5rAAAAK64QAAAm14EBc8WBAYOB" +
    "AZyBACK1nIN1bmSGhVZfVlA44BAAAAawgUC6gTAfQ7Z1CAAAALHngQCjEAAAGIEAAIAHBwcHBwcHBwcHBwcHBwcHBwcH" +
    "B6MQAAAYgQBkAAcHBwcHBwcHBwcHBwcHBwcHBwcHoxAAABiBAMgABwcHBwcHBwcHBwcHBwcHBwcHBwejEAAAGIEBLAAH" +
    "BwcHBwcHBwcHBwcHBwcHBwcHB6MQAAAYgQGQAAcHBwcHBwcHBwcHBwcHBwcHBwcHoxAAABiBAfQABwcHBwcHBwcHBwcH" +
    "BwcHBwcHBwccU7trEAAAE7sQAAAOs4EAtxAAAAb3gQHxgb4=",
  "base64",
)
