/**
 * Frames to H.264 (baseline profile), by minih264 as WebAssembly. The library writes an MP4 of its
 * own, with the index at its end; only its packets are of use, so what `finish` gives is an
 * intermediate file for `mux`, not something to hand out. Loading the library also installs
 * handlers on the process that abort on any unhandled rejection: they are taken off again.
 */
import { createRequire } from "node:module"
import type { H264MP4Encoder } from "h264-mp4-encoder"
import type { Frame, FrameSize } from "../drawing/frame.ts"

export interface H264Options {
  readonly size: FrameSize
  readonly frameRate: number
  /** 10 (best) to 51. */
  readonly quantizer: number
}

export interface H264Stream {
  add(frame: Frame): void
  /** The intermediate MP4. No frame may be added after it. */
  finish(): Uint8Array
  /** Frees the encoder's memory and its file; call it also after a failure. */
  close(): void
}

/** 0 is slowest. 9 takes half the time of 8 for a quarter more bytes, at the same quality; 10 gains nothing. */
const SPEED = 9

interface Library {
  createH264MP4Encoder(): Promise<H264MP4Encoder>
}
let library: Library | undefined
let opened = 0

export async function openH264({ size, frameRate, quantizer }: H264Options): Promise<H264Stream> {
  library ??= load()
  const encoder = await library.createH264MP4Encoder()
  let isFinal = false
  // one file system is shared by all encoders of a thread
  const file = `film-${(opened += 1)}.mp4`
  Object.assign(encoder, {
    outputFilename: file,
    width: size.width,
    height: size.height,
    frameRate,
    speed: SPEED,
    quantizationParameter: quantizer,
    // a keyframe a second: what seeking has to decode at most
    groupOfPictures: frameRate,
  })
  encoder.initialize()
  return {
    add: (frame) => encoder.addFrameYuv(frame.bytes),
    finish: () => {
      encoder.finalize()
      isFinal = true
      return encoder.FS.readFile(file)
    },
    close: () => {
      // the library aborts where one is deleted without this
      if (!isFinal) encoder.finalize()
      encoder.delete()
      encoder.FS.unlink(file)
    },
  }
}

/** In one go, not by `import()`: what is added to the process meanwhile can only be the library's. */
function load(): Library {
  const events = ["uncaughtException", "unhandledRejection"] as const
  const before = events.map((event) => new Set(process.rawListeners(event)))
  const loaded = createRequire(import.meta.url)("h264-mp4-encoder") as Library
  for (const [index, event] of events.entries()) {
    for (const listener of process.rawListeners(event)) {
      if (!before[index]?.has(listener)) process.off(event, listener)
    }
  }
  return loaded
}
