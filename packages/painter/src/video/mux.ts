/**
 * The final MP4: the encoder's packets at exact times, sound if it was asked for, the index
 * in front of the media (fast start), and no trace of when it was made, so that the same request
 * gives the same bytes.
 */
import { registerAacEncoder } from "@mediabunny/aac-encoder"
import {
  AudioSample,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from "mediabunny"
import { clearMp4Times } from "./mp4-times.ts"
import { SAMPLE_RATE, type Soundtrack } from "./soundtrack.ts"

export interface MuxOptions {
  /** An MP4 with one H.264 track. */
  readonly video: Uint8Array
  readonly frames: number
  readonly frameRate: number
  readonly soundtrack: Soundtrack | undefined
}

const AUDIO_BITS_PER_SECOND = 128_000
/** Samples in a packet of AAC. */
const AAC_FRAME = 1024
/** What the encoder adds in front: the first packet only starts its overlapping windows. */
const AAC_PRIMING_FRAMES = 1

/** What the YUV of every frame means; players guess by size where it is not said. */
const COLOUR_SPACE: VideoColorSpaceInit = {
  primaries: "bt709",
  transfer: "bt709",
  matrix: "bt709",
  fullRange: false,
}

export async function mux(options: MuxOptions): Promise<Uint8Array> {
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target })
  const video = new EncodedVideoPacketSource("avc")
  output.addVideoTrack(video, { frameRate: options.frameRate })
  const tracks = [() => copyVideo(options, video)]
  if (options.soundtrack !== undefined) {
    registerAacEncoder()
    const audio = new AudioSampleSource({ codec: "aac", bitrate: AUDIO_BITS_PER_SECOND })
    output.addAudioTrack(audio)
    const { soundtrack, frames, frameRate } = options
    tracks.push(() => addSound(soundtrack, frames / frameRate, audio))
  }
  try {
    await output.start()
    await Promise.all(tracks.map((copy) => copy()))
    await output.finalize()
  } catch (error) {
    await output.cancel()
    throw error
  }
  if (target.buffer === null) throw new Error("the muxer finished without a file")
  const bytes = new Uint8Array(target.buffer)
  clearMp4Times(bytes)
  return bytes
}

async function copyVideo(
  { video, frameRate }: MuxOptions,
  source: EncodedVideoPacketSource,
): Promise<void> {
  const input = new Input({ source: new BufferSource(video), formats: [MP4] })
  try {
    const track = await input.getPrimaryVideoTrack()
    const config = await track?.getDecoderConfig()
    if (!track || !config) throw new Error("the encoder's file has no video track")
    const decoderConfig = { ...config, colorSpace: COLOUR_SPACE }
    let index = 0
    // the encoder's own file marks every packet as a key: their bytes tell
    const sink = new EncodedPacketSink(track)
    for await (const packet of sink.packets(undefined, undefined, { verifyKeyPackets: true })) {
      const timestamp = index / frameRate
      await source.add(packet.clone({ timestamp, duration: 1 / frameRate }), { decoderConfig })
      index += 1
    }
  } finally {
    input.dispose()
    source.close()
  }
}

/** Whole packets that end before the picture does, priming included: sound never makes a film longer. */
async function addSound(
  soundtrack: Soundtrack,
  durationS: number,
  source: AudioSampleSource,
): Promise<void> {
  const packets = Math.floor((durationS * SAMPLE_RATE) / AAC_FRAME) - AAC_PRIMING_FRAMES
  const samples = packets * AAC_FRAME
  const blockSamples = 46 * AAC_FRAME
  try {
    for (let first = 0; first < samples; first += blockSamples) {
      const length = Math.min(blockSamples, samples - first)
      const sample = new AudioSample({
        data: soundtrack.render(first, length),
        format: "f32",
        numberOfChannels: 2,
        sampleRate: SAMPLE_RATE,
        timestamp: first / SAMPLE_RATE,
      })
      await source.add(sample)
      sample.close()
    }
  } finally {
    source.close()
  }
}
