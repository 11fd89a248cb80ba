/**
 * A video from a request (specification §2.6). Reference images make a film that moves over each and
 * dissolves into the next, from the first to the last. Without images the prompt makes a landscape
 * film: its land, hour and weather are read off the prompt, and the seed of all references decides
 * the rest. Of reference videos and recordings only measurements are used: a video gives the shape if
 * the request names none, and a landscape's pace; a recording sets the tempo of the sound.
 *
 * Frames are painted and encoded one by one, so memory does not grow with the length, but for the
 * finished file and at most 30 decoded images (5 MB each at 1080p). A film takes seconds to minutes
 * to compute: it belongs in a process of its own, whose event loop turns between frames. The same
 * request gives the same bytes.
 */
import { hash } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import type { ReferenceToVideoParameters } from "@safelight/core"
import { decodeImage, measureImage } from "./decode-image.ts"
import { createFrame, type Frame, type FramePainter, type FrameSize } from "../drawing/frame.ts"
import { describeLandscape } from "../landscape/landscape.ts"
import { createLandscapePainter } from "../landscape/landscape-painter.ts"
import { createRandom, toSeed } from "../drawing/random.ts"
import { nearestAspectRatio, toFrameSize, type AspectRatio } from "./frame-size.ts"
import { createGalleryPainter, OVERSCAN } from "./gallery-painter.ts"
import { openH264 } from "./h264.ts"
import type { MediaReading, ReadMedia } from "../drawing/read-media.ts"
import type { ReferenceSound, ReferenceVideo } from "./reference.ts"
import { createSoundtrack, type Soundtrack } from "./soundtrack.ts"

export type FilmParameters = ReferenceToVideoParameters & { readonly duration: number }

export interface VideoRequest extends MediaReading {
  /** With a length, which the caller chooses for a request that names none. */
  readonly parameters: FilmParameters
  /** What is behind `image_urls`, `video_urls` and `audio_urls`, in their order. */
  readonly images: readonly ReadMedia[]
  readonly videos: readonly ReferenceVideo[]
  readonly audios: readonly ReferenceSound[]
}

/** For fields that a request leaves out (specification §2.6 gives no defaults). */
export const VIDEO_DEFAULTS = {
  resolution: "720p",
  /** If no reference video or image suggests a shape. */
  aspectRatio: "16:9",
} as const

/** The cinema's: a fifth less work than 30. */
export const FRAME_RATE = 24

/** H.264 quantizers: 6 apart is half the step, and nearly twice the bytes. */
const QUANTIZERS = { standard: 26, high: 20 } as const

/**
 * An MP4: H.264, and AAC if sound was asked for. `report` gets whole numbers from 1 to 99, rising, by
 * the share of frames encoded. Rejects with `media_unreadable` if a reference can't be decoded, before
 * any frame is painted.
 */
export async function renderVideo(
  request: VideoRequest,
  report: (progress: number) => void,
): Promise<Uint8Array> {
  const { audios, parameters, videos } = request
  const aspectRatio =
    parameters.aspect_ratio ?? (await chooseAspectRatio(videos[0], request.images))
  const size = toFrameSize(parameters.resolution ?? VIDEO_DEFAULTS.resolution, aspectRatio)
  const frames = parameters.duration * FRAME_RATE
  const images = await inOrder(
    request.images,
    hashing((bytes) => decodeImage(bytes, size, OVERSCAN)),
  )
  request.paint()
  const seed = toSeed(parameters.prompt ?? "", [...images, ...videos])
  const painter = createPainter({ parameters, size, seed, images, video: videos[0] })
  const quantizer = QUANTIZERS[parameters.bitrate_mode ?? "standard"]
  const encoded = await encodeFrames({ painter, size, frames, quantizer }, report)
  // Here, not above: its encoders take long to load, and pictures need none.
  const { mux } = await import("./mux.ts")
  return mux({
    video: encoded,
    frames,
    frameRate: FRAME_RATE,
    soundtrack:
      parameters.generate_audio === true
        ? composeSoundtrack(toSeed(seed, audios), frames / FRAME_RATE, audios[0]?.durationMs)
        : undefined,
  })
}

/** One at a time, so that the first unreadable one is the one reported. */
async function inOrder<Item, Result>(
  items: readonly Item[],
  convert: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await convert(item))
  return results
}

/** What was made of a reference, and the hash of its bytes, which are not kept. */
interface Hashed<Result> {
  readonly result: Result
  readonly sha256: string
}

function hashing<Result>(
  convert: (bytes: Uint8Array) => Promise<Result>,
): (read: ReadMedia) => Promise<Hashed<Result>> {
  return async (read) => {
    const bytes = await read()
    return { result: await convert(bytes), sha256: hash("sha256", bytes) }
  }
}

async function chooseAspectRatio(
  video: ReferenceVideo | undefined,
  [image]: readonly ReadMedia[],
): Promise<AspectRatio> {
  if (video !== undefined) return nearestAspectRatio(video)
  if (image !== undefined) return nearestAspectRatio(await measureImage(await image()))
  return VIDEO_DEFAULTS.aspectRatio
}

interface PainterPlan {
  readonly parameters: ReferenceToVideoParameters
  readonly size: FrameSize
  readonly seed: string
  readonly images: readonly Hashed<Frame>[]
  readonly video: ReferenceVideo | undefined
}

function createPainter({ parameters, size, seed, images, video }: PainterPlan): FramePainter {
  if (images.length === 0) {
    const landscape = describeLandscape(parameters.prompt ?? "", seed)
    return createLandscapePainter({ landscape, size, pace: choosePace(video) })
  }
  const decoded = images.map(({ result }) => result)
  return createGalleryPainter({ images: decoded, size, random: createRandom(`${seed}\ngallery`) })
}

/** A landscape moves as calmly as the first reference video is long. */
function choosePace(video: ReferenceVideo | undefined): number {
  if (video === undefined) return 1
  return Math.min(Math.max(8_000 / video.durationMs, 0.5), 1.8)
}

interface FramePlan {
  readonly painter: FramePainter
  readonly size: FrameSize
  readonly frames: number
  readonly quantizer: number
}

async function encodeFrames(
  { painter, size, frames, quantizer }: FramePlan,
  report: (progress: number) => void,
): Promise<Uint8Array> {
  const stream = await openH264({ size, frameRate: FRAME_RATE, quantizer })
  try {
    const frame = createFrame(size)
    let reported = 0
    for (let index = 0; index < frames; index++) {
      painter.paint(frame, { elapsedS: index / FRAME_RATE, share: index / (frames - 1) })
      stream.add(frame)
      const progress = Math.max(Math.floor(((index + 1) / frames) * 99), 1)
      if (progress > reported) report((reported = progress))
      await setImmediate()
    }
    return stream.finish()
  } finally {
    stream.close()
  }
}

/** Bars of about three seconds, of which a whole number fits the first reference recording. */
function composeSoundtrack(
  seed: string,
  durationS: number,
  referenceMs: number | undefined,
): Soundtrack {
  const random = createRandom(`${seed}\nsoundtrack`)
  const usualS = random.between(2.6, 3.6)
  const referenceS = (referenceMs ?? 0) / 1000
  const bars = Math.round(referenceS / usualS)
  return createSoundtrack({ random, durationS, barS: bars > 0 ? referenceS / bars : usualS })
}
