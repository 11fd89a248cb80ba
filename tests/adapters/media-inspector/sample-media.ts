/**
 * Videos and sounds of known lengths, whose packets hold nothing that could be decoded: an inspector
 * reads containers alone. They are made here, so that no encoder has to be installed.
 */
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
} from "mediabunny"

const FORMATS = {
  mp4: () => new Mp4OutputFormat({ fastStart: "in-memory" }),
  /** With its index behind the packets. */
  mp4IndexLast: () => new Mp4OutputFormat({ fastStart: false }),
  mov: () => new MovOutputFormat({ fastStart: "in-memory" }),
  webm: () => new WebMOutputFormat(),
} as const

export interface Film {
  readonly format: keyof typeof FORMATS
  /** Tenths of a second. */
  readonly frames?: number
  readonly startS?: number
  /** Tracks; both by default. */
  readonly picture?: boolean
  readonly sound?: boolean
  /** Whether a WebM says how long its frames are, and so the last one; by default it does. */
  readonly hasFrameRate?: boolean
}

const VP8 = { codec: "vp8", codedWidth: 64, codedHeight: 48 }
const OPUS = { codec: "opus", sampleRate: 48_000, numberOfChannels: 2 }

const DEFAULTS = { frames: 25, startS: 0, picture: true, sound: true, hasFrameRate: true }

/** 2.5 s of picture by default; its sound is half as long. */
export async function createFilm(film: Film): Promise<Buffer> {
  const { format, frames, startS, picture, sound, hasFrameRate } = { ...DEFAULTS, ...film }
  const target = new BufferTarget()
  const output = new Output({ format: FORMATS[format](), target })
  const [video, audio] = [new EncodedVideoPacketSource("vp8"), new EncodedAudioPacketSource("opus")]
  if (picture) output.addVideoTrack(video, hasFrameRate ? { frameRate: 10 } : {})
  if (sound) output.addAudioTrack(audio)
  await output.start()
  for (let index = 0; index < frames; index += 1) {
    const type = index === 0 ? "key" : "delta"
    const bytes = new Uint8Array(50).fill(7)
    const pictured = new EncodedPacket(bytes, type, startS + index / 10, 0.1)
    if (picture) await video.add(pictured, { decoderConfig: VP8 })
    const heard = new EncodedPacket(bytes, "key", startS + index / 20, 0.05)
    if (sound) await audio.add(heard, { decoderConfig: OPUS })
  }
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}

/** Of an MP3 with 128 kbit/s at 48 kHz, which has no index: 24 ms each. */
export const MP3_FRAME = Buffer.alloc(384)
MP3_FRAME.set([0xff, 0xfb, 0x94, 0x64])
export const MP3_FRAME_MS = 24

export function createMp3(frames: number): Buffer {
  return Buffer.concat(Array.from({ length: frames }, () => MP3_FRAME))
}

/** One channel of 16 bits at 8 kHz. */
export function createWav(durationS: number): Buffer {
  const [rate, header] = [8_000, Buffer.alloc(44)]
  const samples = Buffer.alloc(durationS * rate * 2, 3)
  header.write("RIFF", 0)
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.write("WAVEfmt ", 8)
  for (const [offset, value] of [
    [16, 16],
    [24, rate],
    [28, rate * 2],
    [40, samples.byteLength],
  ] as const) {
    header.writeUInt32LE(value, offset)
  }
  for (const [offset, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const) {
    header.writeUInt16LE(value, offset)
  }
  header.write("data", 36)
  return Buffer.concat([header, samples])
}
