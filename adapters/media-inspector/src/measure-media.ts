/**
 * The duration of a video or a sound, by its packets and not by what a header claims: from the first
 * timestamp to the end of the last packet. That packet is read and not only looked up, since a truncated
 * file often still has a perfect index. Nothing is decoded. Only the process that measures loads this.
 */
import {
  ADTS,
  CustomSource,
  type EncodedPacket,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputAudioTrack,
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
import type { MediaKind } from "@safelight/core"
import type { MeasuredKind, MeasureResult } from "./messages.ts"

/** Formats of single files: a playlist would name further ones. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, MPEG_TS, MP3, WAVE, OGG, ADTS, FLAC]

/** Twice what the parsers read ahead and behind in two places, 8 MiB each at most. */
const CACHE_BYTES = 64 * 1024 * 1024

export interface MeasuredMedia {
  readonly bytes: number
  /** The kinds that it may be, the wanted first. */
  readonly kinds: readonly MediaKind[]
  /** Never rejects, and gives every byte of the range in pieces. */
  readonly read: (start: number, end: number) => ReadableStream<Uint8Array>
}

type Track = InputVideoTrack | InputAudioTrack

/** Every error of a parser means the same: the medium is unreadable. Never rejects. */
export async function measureMedia({ bytes, kinds, read }: MeasuredMedia): Promise<MeasureResult> {
  const source = new CustomSource({
    getSize: () => bytes,
    read,
    // Few reads, since each may go to a bucket. The cache has to hold all that is read ahead, or media
    // without an index are read several times.
    prefetchProfile: "network",
    maxCacheSize: CACHE_BYTES,
    handleUnhandledError: () => {},
  })
  const input = new Input({ source, formats: FORMATS })
  try {
    return await measure(input, kinds)
  } catch {
    return UNREADABLE
  } finally {
    input.dispose()
  }
}

const UNREADABLE: MeasureResult = { kind: "unreadable" }

async function measure(input: Input, kinds: readonly MediaKind[]): Promise<MeasureResult> {
  for (const kind of kinds) {
    if (kind === "image") continue
    // oxlint-disable-next-line no-await-in-loop
    const result = await measureKind(input, kind)
    if (result !== undefined) return result
  }
  return UNREADABLE
}

/** Undefined if there is no track of that kind. */
async function measureKind(input: Input, kind: MeasuredKind): Promise<MeasureResult | undefined> {
  if (kind === "audio") {
    const track = await input.getPrimaryAudioTrack()
    return track === null ? undefined : measureTrack(kind, track, { width: 0, height: 0 })
  }
  const track = await input.getPrimaryVideoTrack()
  if (track === null) return undefined
  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()]
  const isShown = Number.isSafeInteger(width) && Number.isSafeInteger(height)
  return isShown && width > 0 && height > 0
    ? measureTrack(kind, track, { width, height })
    : UNREADABLE
}

async function measureTrack(
  mediaKind: MeasuredKind,
  track: Track,
  size: { readonly width: number; readonly height: number },
): Promise<MeasureResult> {
  const endS = await track.computeDuration()
  // Recordings of broadcasts do not start at 0.
  const startS = await track.getFirstTimestamp()
  const sink = new EncodedPacketSink(track)
  const last = await sink.getPacket(Infinity)
  if (last === null || last.data.byteLength === 0) return UNREADABLE
  const durationMs = Math.round((endS - startS + (await findUntoldS(sink, last))) * 1000)
  if (!Number.isSafeInteger(durationMs) || durationMs < 1) return UNREADABLE
  return { kind: "measured", mediaKind, durationMs, ...size }
}

/** The duration of a last packet that states none, as in some WebM files: that of the packet before. */
async function findUntoldS(sink: EncodedPacketSink, last: EncodedPacket): Promise<number> {
  if (last.duration > 0) return 0
  const before = await sink.getPacket(last.timestamp - 1e-6)
  return before === null || before.timestamp >= last.timestamp
    ? 0
    : last.timestamp - before.timestamp
}
