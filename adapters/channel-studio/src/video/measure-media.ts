/**
 * How long reference media are, told from the packets and not from what a header claims. A
 * truncated file often still has a perfect index: the last packet is therefore read, not only
 * looked up. Nothing is decoded, since no decoder for H.264, VP9 or AV1 exists in plain npm packages.
 */
import { isSafelightError, type MediaKind } from "@safelight/core"
import {
  ADTS,
  BufferSource,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputAudioTrack,
  type InputTrack,
  type InputVideoTrack,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from "mediabunny"
import type { FrameSize } from "./frame.ts"
import { unreadable } from "./unreadable.ts"

/** Of files alone: a playlist would name further ones. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, MPEG_TS, MP3, WAVE, OGG, ADTS, FLAC]

export interface MeasuredVideo extends FrameSize {
  readonly durationMs: number
}

/** Integer milliseconds of the picture. Rejects with `media_unreadable`. */
export async function measureVideoMs(bytes: Uint8Array): Promise<number> {
  return (await measureVideo(bytes)).durationMs
}

/** The duration, and the size as displayed, rotation applied. Rejects with `media_unreadable`. */
export function measureVideo(bytes: Uint8Array): Promise<MeasuredVideo> {
  return withInput("video", bytes, async (input) => {
    const track = await input.getPrimaryVideoTrack()
    if (track === null) throw unreadable("video")
    const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()]
    if (!(width > 0 && height > 0)) throw unreadable("video")
    return { durationMs: await measureTrackMs("video", track), width, height }
  })
}

/** Integer milliseconds of the sound. Rejects with `media_unreadable`. */
export function measureAudioMs(bytes: Uint8Array): Promise<number> {
  return withInput("audio", bytes, async (input) => {
    const track = await input.getPrimaryAudioTrack()
    if (track === null) throw unreadable("audio")
    return measureTrackMs("audio", track)
  })
}

async function withInput<Result>(
  kind: MediaKind,
  bytes: Uint8Array,
  measure: (input: Input) => Promise<Result>,
): Promise<Result> {
  const input = new Input({ source: new BufferSource(bytes), formats: FORMATS })
  try {
    return await measure(input)
  } catch (error) {
    // whatever a parser throws over foreign bytes means the same
    throw isSafelightError(error) ? error : unreadable(kind, error)
  } finally {
    input.dispose()
  }
}

async function measureTrackMs(
  kind: MediaKind,
  track: InputVideoTrack | InputAudioTrack,
): Promise<number> {
  // streams of broadcast origin do not start at 0
  const lengthS = (await track.computeDuration()) - (await track.getFirstTimestamp())
  const durationMs = Math.round(lengthS * 1000)
  if (!Number.isSafeInteger(durationMs) || durationMs <= 0) throw unreadable(kind)
  await readLastPacket(kind, track)
  return durationMs
}

async function readLastPacket(kind: MediaKind, track: InputTrack): Promise<void> {
  const packet = await new EncodedPacketSink(track).getPacket(Infinity)
  if (packet === null || packet.data.byteLength === 0) throw unreadable(kind)
}
