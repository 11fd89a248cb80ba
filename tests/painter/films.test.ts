/**
 * The studio's videos: what the files are, that the same request gives the same bytes, and what
 * becomes of references. Nothing here decodes H.264, since no npm package can: what is seen is
 * tested on the painters, before the encoder.
 */
import assert from "node:assert/strict"
import { after, before, describe, test } from "node:test"
import { hash } from "node:crypto"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { isSafelightError, type MediaKind } from "@safelight/core"
import { createMediaInspector } from "@safelight/media-inspector"
import { renderVideo, type VideoRequest } from "@safelight/painter"
import * as fc from "fast-check"
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input, type EncodedPacket } from "mediabunny"
import sharp from "sharp"
import { decodeImage, measureImage } from "../../packages/painter/src/video/decode-image.ts"
import { nearestAspectRatio, toFrameSize } from "../../packages/painter/src/video/frame-size.ts"
import {
  createFrame,
  type Frame,
  type FramePainter,
  type FrameSize,
} from "../../packages/painter/src/drawing/frame.ts"
import { createGalleryPainter, OVERSCAN } from "../../packages/painter/src/video/gallery-painter.ts"
import { createRandom } from "../../packages/painter/src/drawing/random.ts"
import { FRAME_RATE } from "../../packages/painter/src/video/render-video.ts"
import { describeLandscape } from "../../packages/painter/src/landscape/landscape.ts"
import { createLandscapePainter } from "../../packages/painter/src/landscape/landscape-painter.ts"
import { createSoundtrack, SAMPLE_RATE } from "../../packages/painter/src/video/soundtrack.ts"
import { fromHex } from "../../packages/painter/src/drawing/tone.ts"
import { readHalved, toYuv, writeRgb } from "../../packages/painter/src/drawing/yuv.ts"

const RENDER_VIDEO = new URL("../../packages/painter/src/video/render-video.ts", import.meta.url)

/** Shorter than a request may ask for: what is tested does not depend on the length. */
const SMALL = { resolution: "480p", aspect_ratio: "1:1", duration: 2 } as const
const NO_MEDIA = { images: [], videos: [], audios: [] }
const paint = (): void => {}

interface GivenMedia {
  readonly images?: readonly Uint8Array[]
  readonly videos?: readonly Uint8Array[]
  readonly audios?: readonly Uint8Array[]
}

async function render(
  given: Partial<VideoRequest["parameters"]>,
  { images = [], videos = [], audios = [] }: GivenMedia = {},
): Promise<RenderedVideo> {
  const parameters = { duration: 2, ...given }
  const progress: number[] = []
  const media = {
    images: images.map((bytes) => async () => bytes),
    videos: await Promise.all(videos.map((bytes) => measure(bytes, "video"))),
    audios: await Promise.all(audios.map((bytes) => measure(bytes, "audio"))),
  }
  const bytes = await renderVideo({ parameters, ...media, paint }, (each) => {
    progress.push(each)
  })
  return { bytes, durationMs: await measureVideoMs(bytes), progress }
}

interface RenderedVideo {
  readonly bytes: Uint8Array
  readonly durationMs: number
  readonly progress: readonly number[]
}

const inspector = createMediaInspector()
after(() => inspector.close())

async function measure(bytes: Uint8Array, kind: MediaKind) {
  const { signal } = new AbortController()
  const read = async (start: number, end: number) => bytes.slice(start, end)
  const media = { account: "alice", bytes: bytes.length, kinds: [kind], read, signal }
  const { durationMs = 0, size } = await inspector.inspect(media)
  const { width, height } = size ?? { width: 0, height: 0 }
  return { durationMs, width, height, sha256: hash("sha256", bytes) }
}

const measureVideo = (bytes: Uint8Array) => measure(bytes, "video")
const measureVideoMs = async (bytes: Uint8Array) => (await measureVideo(bytes)).durationMs

function open(bytes: Uint8Array): Input {
  return new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS })
}

async function isUnreadable(work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(
    work,
    (error) => isSafelightError(error) && error.code === "media_unreadable",
  )
}

interface Box {
  readonly type: string
  readonly body: Uint8Array
}

function* walkBoxes(bytes: Uint8Array): Generator<Box> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length; at += view.getUint32(at)) {
    const end = at + view.getUint32(at)
    assert.ok(end > at && end <= bytes.length, "boxes fill the file exactly")
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString("latin1")
    yield { type, body: bytes.subarray(at + 8, end) }
  }
}

function findBox(bytes: Uint8Array, ...path: readonly string[]): Uint8Array {
  const [first, ...rest] = path
  const box = [...walkBoxes(bytes)].find(({ type }) => type === first)
  assert.ok(box !== undefined, `there is a box ${first}`)
  return rest.length === 0 ? box.body : findBox(box.body, ...rest)
}

/** How far two pictures (in steps of 8 bits) or two sounds are apart, on average. */
function distance(
  one: Uint8ClampedArray | Float32Array,
  other: Uint8ClampedArray | Float32Array,
): number {
  assert.equal(one.length, other.length)
  let sum = 0
  for (const [at, value] of one.entries()) sum += Math.abs(value - (other[at] ?? 0))
  return sum / one.length
}

function createPainter(prompt: string, size: FrameSize, seed = prompt): FramePainter {
  return createLandscapePainter({ landscape: describeLandscape(prompt, seed), size, pace: 1 })
}

function paintLandscape(prompt: string, size: FrameSize, elapsedS = 1, seed = prompt): Frame {
  const frame = createFrame(size)
  createPainter(prompt, size, seed).paint(frame, { elapsedS, share: 0 })
  return frame
}

function toneWav(durationS: number): Buffer {
  const rate = 8_000
  const samples = Int16Array.from({ length: durationS * rate }, (_, at) => 9_000 * Math.sin(at / 4))
  const header = Buffer.alloc(44)
  header.write("RIFF", 0)
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write("data", 36)
  header.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([header, Buffer.from(samples.buffer)])
}

function flatImage(colour: string, width = 640, height = 480): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer()
}

let silent: Awaited<ReturnType<typeof render>>
let sounding: Awaited<ReturnType<typeof render>>
before(async () => {
  silent = await render({ ...SMALL, prompt: "a lake in the mountains" })
  sounding = await render({ ...SMALL, prompt: "a lake in the mountains", generate_audio: true })
})

describe("sizes", () => {
  test("the resolution is the shorter side, the ratio gives the longer one, both even", () => {
    const sizes = (["480p", "720p", "1080p"] as const).map((resolution) =>
      (["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"] as const).map((ratio) => {
        const { width, height } = toFrameSize(resolution, ratio)
        return `${width}x${height}`
      }),
    )
    assert.deepEqual(sizes, [
      ["1120x480", "854x480", "640x480", "480x480", "480x640", "480x854"],
      ["1680x720", "1280x720", "960x720", "720x720", "720x960", "720x1280"],
      ["2520x1080", "1920x1080", "1440x1080", "1080x1080", "1080x1440", "1080x1920"],
    ])
  })

  test("a picture's nearest ratio is found by proportion", () => {
    const nearest = (width: number, height: number) => nearestAspectRatio({ width, height })
    assert.equal(nearest(1920, 1080), "16:9")
    assert.equal(nearest(480, 854), "9:16")
    assert.equal(nearest(3000, 1000), "21:9")
    assert.equal(nearest(101, 100), "1:1")
    assert.equal(nearest(1000, 1300), "3:4")
  })
})

describe("the file", () => {
  test("is H.264 of the size asked for, tagged with its colours", async () => {
    const track = await open(silent.bytes).getPrimaryVideoTrack()
    assert.ok(track)
    assert.equal(await track.getCodec(), "avc")
    assert.deepEqual([await track.getDisplayWidth(), await track.getDisplayHeight()], [480, 480])
    const config = await track.getDecoderConfig()
    assert.deepEqual(config?.colorSpace, {
      primaries: "bt709",
      transfer: "bt709",
      matrix: "bt709",
      fullRange: false,
    })
  })

  test("lasts as long as asked for", async () => {
    const frameMs = 1000 / FRAME_RATE
    assert.ok(Math.abs(silent.durationMs - 2_000) <= frameMs)
    assert.equal(await open(sounding.bytes).computeDuration(), silent.durationMs / 1000)
  })

  test("has the index before the media, so that playing can start at once", () => {
    for (const { bytes } of [silent, sounding]) {
      const types = [...walkBoxes(bytes)].map(({ type }) => type)
      assert.equal(types[0], "ftyp")
      assert.ok(types.includes("mdat"))
      assert.ok(types.indexOf("moov") < types.indexOf("mdat"), types.join(" "))
    }
  })

  test("can be entered at every second, as its index says and its packets prove", async () => {
    const track = await open(silent.bytes).getPrimaryVideoTrack()
    assert.ok(track)
    const sink = new EncodedPacketSink(track)
    for (const verifyKeyPackets of [false, true]) {
      const packets: EncodedPacket[] = []
      for await (const packet of sink.packets(undefined, undefined, { verifyKeyPackets })) {
        packets.push(packet)
      }
      const keys = packets.filter(({ type }) => type === "key").map(({ timestamp }) => timestamp)
      assert.deepEqual(keys, [0, 1])
      assert.deepEqual(
        packets.map(({ timestamp }) => Math.round(timestamp * FRAME_RATE)),
        Array.from({ length: 2 * FRAME_RATE }, (_, index) => index),
      )
    }
  })

  test("holds no trace of when it was made", () => {
    const times = findBox(silent.bytes, "moov", "mvhd").subarray(4, 12)
    assert.deepEqual([...times], [0, 0, 0, 0, 0, 0, 0, 0])
    for (const header of [["tkhd"], ["mdia", "mdhd"]]) {
      const body = findBox(silent.bytes, "moov", "trak", ...header)
      assert.deepEqual([...body.subarray(4, 12)], [0, 0, 0, 0, 0, 0, 0, 0])
    }
  })

  test("has sound only where it was asked for: AAC in stereo that ends with the picture", async () => {
    assert.equal(await open(silent.bytes).getPrimaryAudioTrack(), null)
    const track = await open(sounding.bytes).getPrimaryAudioTrack()
    assert.ok(track)
    assert.equal(await track.getCodec(), "aac")
    assert.equal(await track.getNumberOfChannels(), 2)
    const lengthS = await track.computeDuration()
    assert.ok(lengthS <= 2 && lengthS > 1.9, `${lengthS} s`)
  })

  test("is larger at the high bitrate", async () => {
    const high = await render({ ...SMALL, prompt: "a lake in the mountains", bitrate_mode: "high" })
    assert.ok(high.bytes.length > silent.bytes.length * 1.4, `${high.bytes.length}`)
    assert.equal(high.durationMs, silent.durationMs)
  })

  test("without parameters but a length is 1280 × 720", async () => {
    const { bytes, durationMs } = await render({})
    const { width, height } = await measureVideo(bytes)
    assert.deepEqual([width, height, durationMs], [1280, 720, 2_000])
  })
})

describe("the same request", () => {
  test("gives the same bytes, sound included", async () => {
    const again = await render({
      ...SMALL,
      prompt: "a lake in the mountains",
      generate_audio: true,
    })
    assert.ok(Buffer.from(again.bytes).equals(sounding.bytes))
  })

  test("gives the same bytes from two renderings at once in one thread", async () => {
    const image = await flatImage("#336699")
    const parameters = { ...SMALL, duration: 1 }
    const [one, other] = await Promise.all([
      render(parameters, { images: [image] }),
      render(parameters, { images: [image] }),
    ])
    assert.ok(Buffer.from(one.bytes).equals(other.bytes))
  })

  test("gives the same bytes in a worker thread, and leaves no handlers on the process", async () => {
    const script = `
      const { parentPort, workerData } = require("node:worker_threads")
      void (async () => {
        const { renderVideo } = await import(workerData.module)
        const bytes = await renderVideo({ ...workerData.request, paint() {} }, () => {})
        const events = ["uncaughtException", "unhandledRejection"]
        const handlers = events.map((event) => process.listenerCount(event))
        parentPort.postMessage({ bytes, handlers })
      })()`
    const parameters = { ...SMALL, prompt: "a lake in the mountains", generate_audio: true }
    const workerData = { module: RENDER_VIDEO.href, request: { parameters, ...NO_MEDIA } }
    const worker = new Worker(script, { eval: true, workerData })
    const [{ bytes, handlers }] = (await once(worker, "message")) as [
      { bytes: Uint8Array; handlers: readonly number[] },
    ]
    assert.deepEqual(await once(worker, "exit"), [0])
    assert.ok(Buffer.from(bytes).equals(sounding.bytes))
    assert.deepEqual(handlers, [0, 0])
  })
})

describe("progress", () => {
  test("rises in whole numbers from 1 to 99, by the share of frames encoded", () => {
    const frames = 2 * FRAME_RATE
    const expected = Array.from({ length: frames }, (_, index) =>
      Math.floor(((index + 1) / frames) * 99),
    )
    assert.deepEqual(silent.progress, expected)
    assert.deepEqual([silent.progress[0], silent.progress.at(-1)], [2, 99])
  })

  test("that can't be reported ends the rendering, and the next one is as ever", async () => {
    const request = {
      parameters: { ...SMALL, prompt: "a lake in the mountains" },
      ...NO_MEDIA,
      paint,
    }
    const fault = new Error("nobody listens")
    const rendering = renderVideo(request, (progress) => {
      if (progress > 20) throw fault
    })
    await assert.rejects(rendering, fault)
    const bytes = await renderVideo(request, () => {})
    assert.ok(Buffer.from(bytes).equals(silent.bytes))
  })
})

describe("reference videos", () => {
  test("decide the shape where the request does not, and change what is seen", async () => {
    const plain = await render({ ...SMALL, duration: 1 })
    const parameters = { resolution: "480p", duration: 1 } as const
    const shaped = await render(parameters, { videos: [plain.bytes] })
    const { width, height } = await measureVideo(shaped.bytes)
    assert.deepEqual([width, height], [480, 480])
    assert.ok(!Buffer.from(shaped.bytes).equals(plain.bytes))
  })
})

describe("reference recordings", () => {
  test("change the sound and leave the picture as it is", async () => {
    const audios = [toneWav(3)]
    const parameters = { ...SMALL, prompt: "a lake in the mountains" }
    const picture = await render(parameters, { audios })
    assert.ok(Buffer.from(picture.bytes).equals(silent.bytes))
    const sound = await render({ ...parameters, generate_audio: true }, { audios })
    assert.ok(!Buffer.from(sound.bytes).equals(sounding.bytes))
  })
})

describe("reference images", () => {
  const size = { width: 64, height: 36 }
  const colours = ["#d03020", "#20a040", "#2040c0"]

  async function paintGallery(share: number, count = 3): Promise<Frame> {
    const decoded = colours
      .slice(0, count)
      .map(async (colour) => decodeImage(await flatImage(colour), size, OVERSCAN))
    const images = await Promise.all(decoded)
    const frame = createFrame(size)
    createGalleryPainter({ images, size, random: createRandom("gallery") }).paint(frame, {
      elapsedS: 0,
      share,
    })
    return frame
  }

  function middle({ planes, width, height }: Frame): readonly number[] {
    const at = (plane: 0 | 1 | 2, scale: number) =>
      planes[plane].bytes[(height / 2 / scale) * (width / scale) + width / 2 / scale] ?? 0
    return [at(0, 1), at(1, 2), at(2, 2)]
  }

  function assertColour(frame: Frame, hex: string): void {
    for (const [index, value] of middle(frame).entries()) {
      assert.ok(
        Math.abs(value - (toYuv(fromHex(hex.slice(1)))[index] ?? 0)) <= 1.5,
        `${middle(frame).join(" ")} is ${hex}`,
      )
    }
  }

  test("are shown in order, each alone in its moment", async () => {
    assertColour(await paintGallery(0), "#d03020")
    assertColour(await paintGallery(0.5), "#20a040")
    assertColour(await paintGallery(1), "#2040c0")
  })

  test("dissolve into one another half-way", async () => {
    const [first, second] = [toYuv(fromHex("d03020")), toYuv(fromHex("20a040"))]
    for (const [index, value] of middle(await paintGallery(0.25)).entries()) {
      assert.ok(Math.abs(value - ((first[index] ?? 0) + (second[index] ?? 0)) / 2) <= 2)
    }
  })

  test("make the first frame the whole first image, and the last frame the whole last one", async () => {
    const noise = createRandom("pictures")
    const pictures = await Promise.all(
      [0, 1].map(() => {
        const data = Buffer.from(Array.from({ length: 16 * 9 * 3 }, () => noise.next() * 256))
        const raw = { width: 16, height: 9, channels: 3 } as const
        return sharp(data, { raw }).resize(640, 360).png().toBuffer()
      }),
    )
    const images = await Promise.all(pictures.map((bytes) => decodeImage(bytes, size, OVERSCAN)))
    const exact = await Promise.all(pictures.map((bytes) => decodeImage(bytes, size, 1)))
    const painter = createGalleryPainter({ images, size, random: createRandom("gallery") })
    for (const [share, index] of [
      [0, 0],
      [1, 1],
    ] as const) {
      const frame = createFrame(size)
      painter.paint(frame, { elapsedS: 0, share })
      const same = distance(frame.bytes, exact[index]?.bytes ?? frame.bytes)
      const different = distance(frame.bytes, exact[1 - index]?.bytes ?? frame.bytes)
      assert.ok(same * 5 < different, `${same} and ${different}`)
    }
  })

  test("move: a single one is closer at the end than at the beginning", async () => {
    const bytes = await sharp({
      create: { width: 640, height: 360, channels: 3, background: "#ffffff" },
    })
      .composite([{ input: await flatImage("#000000", 200, 120) }])
      .png()
      .toBuffer()
    const images = [await decodeImage(bytes, size, OVERSCAN)]
    const painter = createGalleryPainter({ images, size, random: createRandom("gallery") })
    const [start, end] = [createFrame(size), createFrame(size)]
    painter.paint(start, { elapsedS: 0, share: 0 })
    painter.paint(end, { elapsedS: 4, share: 1 })
    assert.ok(distance(start.bytes, end.bytes) > 1)
  })

  test("are turned upright, and their shape is the one seen", async () => {
    const halves = await sharp({
      create: { width: 400, height: 200, channels: 3, background: "#ffffff" },
    })
      .composite([{ input: await flatImage("#000000", 200, 200), left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const shape = await measureImage(halves)
    assert.deepEqual([shape.width, shape.height], [200, 400])
    const { planes, width, height } = await decodeImage(halves, { width: 20, height: 40 }, 1)
    const [luma] = planes
    const top = luma.bytes[2 * width + width / 2] ?? 0
    const bottom = luma.bytes[(height - 3) * width + width / 2] ?? 0
    assert.ok(top < 30 && bottom > 220, `${top} above ${bottom}`)
  })

  test("that can't be decoded are unreadable", async () => {
    const noise = createRandom("noise")
    const data = Buffer.from(Array.from({ length: 90 * 90 * 3 }, () => noise.next() * 256))
    const whole = await sharp(data, { raw: { width: 90, height: 90, channels: 3 } })
      .png()
      .toBuffer()
    const huge = await sharp({
      create: { width: 8_000, height: 6_300, channels: 3, background: "#123456" },
      limitInputPixels: false,
    })
      .png({ compressionLevel: 1 })
      .toBuffer()
    for (const bytes of [Buffer.from("no image"), whole.subarray(0, whole.length / 2), huge]) {
      await isUnreadable(() => decodeImage(bytes, size, 1))
    }
    await isUnreadable(() => render(SMALL, { images: [whole, Buffer.from("no image")] }))
    await isUnreadable(() => render({ duration: 1 }, { images: [Buffer.from("no image")] }))
  })
})

describe("landscapes", () => {
  const size = { width: 320, height: 180 }

  test("are the same for the same prompt and moment, and move between moments", () => {
    const one = paintLandscape("a thought", size)
    assert.equal(distance(one.bytes, paintLandscape("a thought", size).bytes), 0)
    assert.ok(distance(one.bytes, paintLandscape("a thought", size, 3).bytes) > 0.5)
  })

  test("do not depend on the frames painted before", () => {
    const prompt = "snow in the city at night"
    const painter = createPainter(prompt, size)
    const [travelled, direct] = [createFrame(size), createFrame(size)]
    for (const elapsedS of [0, 7, 2]) painter.paint(travelled, { elapsedS, share: 0 })
    createPainter(prompt, size).paint(direct, { elapsedS: 2, share: 0 })
    assert.equal(distance(travelled.bytes, direct.bytes), 0)
  })

  test("show the hour that the prompt names", () => {
    const brightness = (prompt: string) => {
      const [luma] = paintLandscape(prompt, size, 1, "one seed").planes
      return luma.bytes.reduce((sum, value) => sum + value, 0) / luma.bytes.length
    }
    assert.ok(brightness("mountains on a sunny day") > brightness("mountains at night") + 60)
  })

  test("differ with the seed where the prompt leaves things open", () => {
    const one = paintLandscape("an idea", size, 1, "first")
    assert.ok(distance(one.bytes, paintLandscape("an idea", size, 1, "second").bytes) > 5)
  })

  test("show the same place at every resolution", () => {
    const large = paintLandscape("a forest at dawn", { width: 640, height: 360 })
    const small = paintLandscape("a forest at dawn", size)
    const [from] = large.planes
    const [luma] = small.planes
    const halved = luma.bytes.map((_, at) => {
      const corner = Math.floor(at / 320) * 2 * 640 + (at % 320) * 2
      const sum = [0, 1, 640, 641].reduce(
        (total, step) => total + (from.bytes[corner + step] ?? 0),
        0,
      )
      return sum / 4
    })
    assert.ok(distance(halved, luma.bytes) < 4, `${distance(halved, luma.bytes)}`)
  })

  test("fill every pixel of every shape, whatever the prompt", () => {
    const prompts = fc.oneof(
      fc.string(),
      fc.constantFrom("city night", "sea", "desert", "forest snow", "aurora", "dragon fire"),
    )
    const sides = fc.integer({ min: 8, max: 60 }).map((half) => half * 2)
    fc.assert(
      fc.property(prompts, sides, sides, fc.nat(30), (prompt, width, height, elapsedS) => {
        const painter = createPainter(prompt, { width, height })
        const [black, white] = [createFrame({ width, height }), createFrame({ width, height })]
        white.bytes.fill(255)
        for (const frame of [black, white]) painter.paint(frame, { elapsedS, share: 0 })
        assert.equal(distance(black.bytes, white.bytes), 0)
      }),
      { numRuns: 25 },
    )
  })
})

describe("colours", () => {
  test("follow BT.709 in limited range, for single ones and for pictures, there and back", () => {
    const known = [
      ["000000", [16, 128, 128]],
      ["ffffff", [235, 128, 128]],
      ["ff0000", [63, 102, 240]],
      ["00ff00", [173, 42, 26]],
      ["0000ff", [32, 240, 118]],
    ] as const
    for (const [hex, expected] of known) {
      assert.deepEqual(toYuv(fromHex(hex)).map(Math.round), expected)
      const frame = createFrame({ width: 2, height: 2 })
      writeRgb(frame, Buffer.from(hex.repeat(4), "hex"))
      assert.deepEqual(
        frame.planes.map(({ bytes }) => bytes[0]),
        expected,
        hex,
      )
      const levels = [...readHalved(frame)].map((share) => Math.round(share * 255))
      for (const [part, level] of [...Buffer.from(hex, "hex")].entries()) {
        assert.ok(Math.abs((levels[part] ?? -9) - level) <= 2, `${hex}: ${levels.join()}`)
      }
    }
  })
})

describe("soundtracks", () => {
  const compose = (seed: string, barS = 3) =>
    createSoundtrack({ random: createRandom(seed), durationS: 4, barS })
  const whole = (seed: string, barS?: number) => compose(seed, barS).render(0, 4 * SAMPLE_RATE)

  test("are heard, stay within full scale, and end in silence", () => {
    const samples = whole("one")
    const loudest = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    assert.ok(loudest > 0.15 && loudest <= 1, `${loudest}`)
    const end = samples.subarray(-200)
    assert.ok(end.every((value) => Math.abs(value) < 0.01))
  })

  test("are the same in blocks as in one piece", () => {
    const track = compose("one")
    const blocks = new Float32Array(8 * SAMPLE_RATE)
    for (const second of [0, 1, 2, 3]) {
      blocks.set(track.render(second * SAMPLE_RATE, SAMPLE_RATE), second * 2 * SAMPLE_RATE)
    }
    assert.equal(distance(blocks, whole("one")), 0)
  })

  test("differ by seed and by tempo", () => {
    assert.ok(distance(whole("one"), whole("two")) > 0.01)
    assert.ok(distance(whole("one"), whole("one", 2.5)) > 0.01)
  })
})
