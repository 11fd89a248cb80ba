/**
 * What media are said to be: their type by their first bytes, the length of videos and sounds by their
 * packets, in one range of the bytes at a time and without holding them.
 */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { isSafelightError, type MediaFacts, type MediaKind } from "@safelight/core"
import * as fc from "fast-check"
import { createMediaInspector, type MediaInspectorOptions } from "@safelight/media-inspector"
import { MEDIA_HEADS } from "../../support/media-heads.ts"
import { createInspector } from "./inspect.ts"
import { createFilm, createMp3, createWav, MP3_FRAME, MP3_FRAME_MS } from "./sample-media.ts"
import { listMeasuringWorkers as listWorkers } from "../../support/worker-processes.ts"

/** Of the sample films. */
const SIZE = { width: 64, height: 48 }
const MIB = 1024 * 1024
const UNREADABLE = { code: "media_unreadable", retryable: false }

describe("a type", () => {
  for (const [name, mimeType] of Object.entries({
    png: "image/png",
    apng: "image/png",
    jpeg: "image/jpeg",
    webp: "image/webp",
  } as const)) {
    test(`of an image is told without a process: ${name}`, async (t) => {
      const inspector = createInspector(t)
      const facts = await inspector.look(MEDIA_HEADS[name as keyof typeof MEDIA_HEADS])
      assert.deepEqual(facts, { kind: "image", mimeType })
      assert.deepEqual(listWorkers(), [])
    })
  }

  test("that is none of the wanted is refused, and so is nothing at all", async (t) => {
    const inspector = createInspector(t)
    const refused: readonly (readonly [Uint8Array, readonly MediaKind[]])[] = [
      [MEDIA_HEADS.png, ["video", "audio"]],
      [MEDIA_HEADS.mp4, ["image"]],
      [MEDIA_HEADS.mp3, ["video"]],
      [MEDIA_HEADS.html, ["image", "video", "audio"]],
      [MEDIA_HEADS.gif, ["image", "video", "audio"]],
      [Buffer.alloc(0), ["image", "video", "audio"]],
    ]
    for (const [bytes, kinds] of refused) {
      await assert.rejects(inspector.look(bytes, { kinds }), { code: "unsupported_media_type" })
    }
    assert.deepEqual(listWorkers(), [])
  })

  test("of a container that may hold sound alone is told by its tracks", async (t) => {
    const inspector = createInspector(t)
    const heard = await createFilm({ format: "mp4", picture: false })
    const sound = { kind: "audio", mimeType: "audio/mp4", durationMs: 1_250 }
    assert.deepEqual(await inspector.look(heard, { kinds: ["video", "audio"] }), sound)
    assert.deepEqual(await inspector.look(heard, { kinds: ["audio"] }), sound)
    await assert.rejects(inspector.look(heard, { kinds: ["video"] }), UNREADABLE)
    const both = await createFilm({ format: "mp4" })
    const picture = { kind: "video", mimeType: "video/mp4", durationMs: 2_500, size: SIZE }
    assert.deepEqual(await inspector.look(both, { kinds: ["video", "audio"] }), picture)
    assert.deepEqual(await inspector.look(both, { kinds: ["audio", "video"] }), sound)
  })
})

describe("a length", () => {
  for (const [format, mimeType] of Object.entries({
    mp4: "video/mp4",
    mp4IndexLast: "video/mp4",
    mov: "video/quicktime",
    webm: "video/webm",
  } as const)) {
    test(`of a video is that of its picture: ${format}`, async (t) => {
      const film = await createFilm({ format: format as "mp4" })
      const facts = await createInspector(t).look(film)
      assert.deepEqual(facts, { kind: "video", mimeType, durationMs: 2_500, size: SIZE })
    })
  }

  test("does not count what is before the first picture", async (t) => {
    const film = await createFilm({ format: "webm", startS: 7, sound: false })
    assert.equal((await createInspector(t).look(film)).durationMs, 2_500)
  })

  test("counts a last frame of which nothing is said as long as the one before", async (t) => {
    const film = await createFilm({ format: "webm", sound: false, hasFrameRate: false })
    assert.equal((await createInspector(t).look(film)).durationMs, 2_500)
    const frame = await createFilm({ format: "webm", frames: 1, sound: false, hasFrameRate: false })
    await assert.rejects(createInspector(t).look(frame), UNREADABLE)
  })

  test("of a sound is that of its packets", async (t) => {
    const inspector = createInspector(t)
    assert.deepEqual(await inspector.look(createWav(3)), {
      kind: "audio",
      mimeType: "audio/wav",
      durationMs: 3_000,
    })
    assert.deepEqual(await inspector.look(createMp3(100)), {
      kind: "audio",
      mimeType: "audio/mpeg",
      durationMs: 2_400,
    })
  })

  test("is not told of a film that was cut anywhere", async (t) => {
    const inspector = createInspector(t)
    const film = await createFilm({ format: "mp4", sound: false })
    const lengths = fc.integer({ min: 100, max: film.length - 1 })
    const property = fc.asyncProperty(lengths, async (length) => {
      const cut = film.subarray(0, length)
      await assert.rejects(inspector.look(cut, { kinds: ["video"] }), UNREADABLE)
    })
    await fc.assert(property, { numRuns: 60, examples: [[film.length - 1]] })
  })

  test("of a film with a flipped byte is told, or it is unreadable or of no type", async (t) => {
    const inspector = createInspector(t)
    const film = await createFilm({ format: "mp4" })
    const flips = fc.integer({ min: 0, max: Math.min(film.length, 3_000) - 1 })
    const property = fc.asyncProperty(flips, fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const bytes = Uint8Array.from(film)
      bytes[at] = (bytes[at] ?? 0) ^ mask
      const outcome = await inspector.look(bytes, { kinds: ["video"] }).catch((error: unknown) => {
        return isSafelightError(error) ? error.code : error
      })
      const codes: unknown[] = ["media_unreadable", "unsupported_media_type"]
      const isTold = codes.includes(outcome) || (outcome as MediaFacts).kind === "video"
      assert.ok(isTold, String(outcome))
    })
    await fc.assert(property, { numRuns: 120 })
  })

  test("is not taken from the index of a file that was cut", async (t) => {
    const inspector = createInspector(t)
    for (const format of ["mp4", "mov", "mp4IndexLast"] as const) {
      const film = await createFilm({ format, sound: false })
      await assert.rejects(inspector.look(film.subarray(0, -10)), UNREADABLE)
    }
    // Nothing but a name.
    await assert.rejects(inspector.look(MEDIA_HEADS.mp4), UNREADABLE)
  })
})

describe("a medium of 200 MiB", () => {
  const bytes = 200 * MIB

  test("is read where it has to be, if it has an index", async (t) => {
    const film = await createFilm({ format: "mp4IndexLast" })
    const indexAt = film.indexOf("moov") - 4
    const [head, tail] = [film.subarray(0, indexAt), film.subarray(indexAt)]
    const gap = Buffer.alloc(8)
    gap.writeUInt32BE(bytes - film.byteLength)
    gap.write("free", 4)
    const parts = [
      [0, head],
      [head.byteLength, gap],
      [bytes - tail.byteLength, tail],
    ] as const
    let readBytes = 0
    const read = async (start: number, end: number): Promise<Uint8Array> => {
      readBytes += end - start
      const range = Buffer.alloc(end - start)
      for (const [at, part] of parts) {
        const first = Math.max(start, at)
        if (first < Math.min(end, at + part.byteLength)) part.copy(range, first - start, first - at)
      }
      return range
    }
    const facts = await createInspector(t).look(film, { bytes, read })
    assert.deepEqual(facts, { kind: "video", mimeType: "video/mp4", durationMs: 2_500, size: SIZE })
    assert.ok(readBytes < 4 * MIB, `${readBytes} bytes read`)
  })

  test("that has none passes through the host without staying there", async (t) => {
    const frames = Math.floor(bytes / MP3_FRAME.byteLength)
    const size = frames * MP3_FRAME.byteLength
    const pattern = createMp3(MIB / 128)
    let readBytes = 0
    let mostBytes = 0
    const before = process.memoryUsage().rss
    let growth = 0
    const read = async (start: number, end: number): Promise<Uint8Array> => {
      readBytes += end - start
      mostBytes = Math.max(mostBytes, end - start)
      growth = Math.max(growth, process.memoryUsage().rss - before)
      const shift = start % MP3_FRAME.byteLength
      return pattern.subarray(shift, shift + end - start)
    }
    const inspector = createInspector(t, { inspectMs: 60_000 })
    const { durationMs } = await inspector.look(pattern, { bytes: size, read })
    assert.equal(durationMs, frames * MP3_FRAME_MS)
    assert.ok(readBytes > 0.9 * size, `${readBytes} bytes read`)
    assert.ok(mostBytes <= MIB, `${mostBytes} bytes at once`)
    assert.ok(growth < 80 * MIB, `${Math.round(growth / MIB)} MiB more`)
  })
})

test("an option out of its bounds is refused by name", () => {
  const wrong: readonly MediaInspectorOptions[] = [
    { processes: 0 },
    { memoryBytes: 1024 },
    { inspectMs: 1.5 },
  ]
  for (const options of wrong) {
    assert.throws(() => createMediaInspector(options), {
      code: "invalid-configuration",
      message: new RegExp(Object.keys(options)[0] ?? "none"),
    })
  }
})
