/** The studio as a channel: what is accepted, polled, refused, cancelled, kept and freed. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { describe, test } from "node:test"
import { setImmediate } from "node:timers/promises"
import { promisify } from "node:util"
import { FAILURE_CODES, isSafelightError, SafelightError, type Channel } from "@safelight/core"
import { createStudioChannel, DEFAULTS } from "@safelight/channel-studio"
import { createMediaInspector } from "@safelight/media-inspector"
import { createManualClock } from "@safelight/testkit"
import sharp from "sharp"
import { createInspector } from "../media-inspector/inspect.ts"
import {
  EDIT,
  TEXT_TO_IMAGE,
  VIDEO,
  carryOut,
  collect,
  createTestLog,
  createTestMedia,
  createTestStudio,
  follow,
  openBytes,
  render,
  toOpened,
  toPoll,
  toRequest,
} from "./test-studio.ts"

const SMALL = { size: "square" }
const IMAGE_URL = "https://media.test/secret-name.png"
const PNG = await sharp({ create: { width: 64, height: 48, channels: 3, background: "#7a3" } })
  .png()
  .toBuffer()

describe("the studio channel", () => {
  test("accepts at once, with an operation that says nothing of the prompt", async (t) => {
    const { channel } = createTestStudio(t)
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "a very private fox" })
    const outcome = await channel.submit(request)
    assert.deepEqual(outcome, { kind: "accepted", operation: { key: request.upstreamKey } })
  })

  test("gives the same operation for the same upstream key", async (t) => {
    const { channel } = createTestStudio(t)
    assert.equal(channel.submission.kind, "keyed")
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "a fox" })
    assert.deepEqual(await channel.submit(request), await channel.submit(request))
  })

  test("refuses to render a request that was erased", async (t) => {
    const { channel } = createTestStudio(t)
    const request = toPoll(toRequest(TEXT_TO_IMAGE, { prompt: "a fox" }), 0)
    const outcome = await channel.poll({ ...request, parameters: undefined })
    assert.ok(outcome.kind === "refused")
    assert.equal(outcome.code, "internal_error")
    assert.match(outcome.message ?? "", /erased/)
  })

  test("carries each model to its end", { timeout: 120_000 }, async (t) => {
    const { channel, media } = createTestStudio(t)
    media.files.set(IMAGE_URL, PNG)
    const [picture] = await render(channel, TEXT_TO_IMAGE, { ...SMALL, prompt: "a fox" })
    assert.equal((await sharp(picture).metadata()).format, "png")
    const edits = await render(channel, EDIT, { prompt: "warm", image_urls: [IMAGE_URL], count: 2 })
    assert.equal(edits.length, 2)
    const film = await carryOut(channel, VIDEO, { resolution: "480p", aspect_ratio: "1:1" })
    assert.ok(film.kind === "completed")
    assert.equal(toOpened(film.outputs[0]).mimeType, "video/mp4")
    // The engine measures it.
    assert.equal(toOpened(film.outputs[0]).durationMs, undefined)
    assert.equal(film.inputVideosMs, undefined)
    const [bytes = assert.fail()] = await collect(film)
    const { durationMs = 0 } = await createInspector(t).look(bytes, { kinds: ["video"] })
    assert.equal(
      Math.round(durationMs / 1000),
      5,
      "a request that names no duration gets five seconds",
    )
  })

  test("reports progress from 1 to 99, rising", async (t) => {
    const { channel } = createTestStudio(t)
    const seen: number[] = []
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "a storm over grass" })
    await channel.submit(request)
    assert.equal((await follow(channel, request, seen)).kind, "completed")
    assert.ok(seen.length > 2, `seen: ${seen.join()}`)
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => one - other),
    )
    assert.ok(seen.every((progress) => progress >= 1 && progress <= 99))
  })

  test("a poll whose signal aborts says how the work stands, and the work goes on", async (t) => {
    const clock = createManualClock()
    const { channel } = createTestStudio(t, { clock })
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "[studio: delay 5s] a fox", ...SMALL })
    const controller = new AbortController()
    const asked = channel.poll({ ...toPoll(request, 50), signal: controller.signal })
    controller.abort()
    assert.deepEqual(await asked, {
      kind: "running",
      progress: 1,
      pollAfterMs: DEFAULTS.pollAfterMs,
    })
    await clock.advance(5000)
    assert.equal((await follow(channel, request)).kind, "completed")
  })

  test("a poll without news answers after a bounded wait", async (t) => {
    const clock = createManualClock()
    const { channel } = createTestStudio(t, { clock })
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "[studio: delay 50s] a fox", ...SMALL })
    const asked = channel.poll(toPoll(request, 50))
    await clock.advance(DEFAULTS.pollWaitMs)
    assert.equal((await asked).kind, "running")
  })

  test("two polls of one operation share one rendering", async (t) => {
    const { channel, media } = createTestStudio(t)
    media.files.set(IMAGE_URL, PNG)
    const request = toRequest(EDIT, { prompt: "", image_urls: [IMAGE_URL] })
    const ends = await Promise.all([follow(channel, request), follow(channel, request)])
    assert.deepEqual(await collect(ends[0]), await collect(ends[1]))
    assert.deepEqual(media.opened, [IMAGE_URL])
  })

  test("an operation from before a restart is rendered again, to the same bytes", async (t) => {
    const before = createTestStudio(t)
    const after = createTestStudio(t)
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "a fox", ...SMALL })
    await before.channel.submit(request)
    const first = await collect(await follow(before.channel, request))
    const second = await collect(await follow(after.channel, request))
    assert.deepEqual(first, second)
  })

  test("a result is kept until it was read to its end, then freed", async (t) => {
    const { channel, media } = createTestStudio(t)
    media.files.set(IMAGE_URL, PNG)
    const request = toRequest(EDIT, { prompt: "", image_urls: [IMAGE_URL], count: 2 })
    const first = await follow(channel, request)
    assert.ok(first.kind === "completed")
    for await (const piece of openBytes(first.outputs[0])) assert.ok(piece.byteLength > 0)
    const second = await follow(channel, request)
    assert.equal(media.opened.length, 1)
    await collect(second)
    await collect(await follow(channel, request))
    assert.equal(media.opened.length, 2)
  })

  test("of results nobody collects the oldest is put away, and rendered again when asked", async (t) => {
    const { channel, media } = createTestStudio(t, { keptRenderings: 1 })
    media.files.set(IMAGE_URL, PNG)
    const request = toRequest(EDIT, { prompt: "first", image_urls: [IMAGE_URL] })
    const first = await follow(channel, request)
    await follow(channel, toRequest(TEXT_TO_IMAGE, { prompt: "second", ...SMALL }))
    const again = await follow(channel, request)
    assert.equal(media.opened.length, 2)
    assert.deepEqual(await collect(first), await collect(again))
  })

  test("results over the bound in bytes are put away, but never the newest", async (t) => {
    const { channel, media } = createTestStudio(t, { keptBytes: 1 })
    media.files.set(IMAGE_URL, PNG)
    const request = toRequest(EDIT, { prompt: "", image_urls: [IMAGE_URL] })
    await follow(channel, request)
    await follow(channel, request)
    assert.equal(media.opened.length, 1)
    await follow(channel, toRequest(TEXT_TO_IMAGE, { prompt: "newer", ...SMALL }))
    await follow(channel, request)
    assert.equal(media.opened.length, 2)
  })

  test("more tasks than workers are carried out in turn", async (t) => {
    const { channel } = createTestStudio(t, { workers: 2 })
    const prompts = ["one", "two", "three", "four", "five"]
    const ends = await Promise.all(
      prompts.map((prompt) => render(channel, TEXT_TO_IMAGE, { prompt, ...SMALL })),
    )
    assert.equal(new Set(ends.map(([bytes]) => bytes?.toString("base64"))).size, prompts.length)
  })

  test("settings out of their bounds are refused by name", () => {
    const media = createTestMedia()
    const inspector = createMediaInspector()
    const wrong = [
      [{ workers: 0 }, "workers"],
      [{ workers: 1.5 }, "workers"],
      [{ concurrency: 0 }, "concurrency"],
      [{ keptRenderings: 0 }, "keptRenderings"],
      [{ keptBytes: Number.NaN }, "keptBytes"],
      [{ limits: { imageBytes: 0 } }, "imageBytes"],
      [{ name: "" }, "name"],
    ] as const
    for (const [options, name] of wrong) {
      assert.throws(
        () => createStudioChannel({ media, inspector, ...options }),
        (error) =>
          isSafelightError(error) &&
          error.code === "invalid-configuration" &&
          error.message.includes(name),
      )
    }
  })

  test("close ends the workers; whoever waits learns that the studio is closed", async (t) => {
    const { channel } = createTestStudio(t)
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "a storm" })
    await channel.poll(toPoll(request))
    const asked = channel.poll(toPoll(request, 99))
    const isClosed = (error: unknown): boolean =>
      isSafelightError(error) && error.code === "channel-unavailable"
    const told = assert.rejects(asked, isClosed)
    await channel.close?.()
    await told
    await assert.rejects(channel.poll(toPoll(request)), isClosed)
  })
})

describe("a studio that was given no media source, or no inspector", () => {
  const videos = { prompt: "", video_urls: ["https://media.test/a.mp4"] }
  const audios = { prompt: "", audio_urls: ["https://media.test/a.mp3"] }
  const pictures = { prompt: "", image_urls: [IMAGE_URL] }
  const accepts = (channel: Channel, model: string, parameters: Record<string, unknown>) => {
    const { accepts: ask } = channel
    assert.ok(ask !== undefined)
    const answer = ask(toRequest(model, parameters))
    return answer === true ? true : `${answer.param}: ${answer.reason}`
  }

  test("renders what refers to nothing, and takes no more than that", async (t) => {
    const channel = createStudioChannel({ workers: 1 })
    t.after(async () => channel.close?.())
    const none = "the studio was given no media source"
    for (const [model, parameters, expected] of [
      [TEXT_TO_IMAGE, { prompt: "a fox" }, true],
      [VIDEO, { prompt: "a fox", image_urls: [] }, true],
      [EDIT, pictures, `image_urls: ${none}`],
      [VIDEO, pictures, `image_urls: ${none}`],
      [VIDEO, videos, `video_urls: ${none}`],
      [VIDEO, audios, `audio_urls: ${none}`],
    ] as const) {
      assert.equal(accepts(channel, model, parameters), expected)
    }
    const end = await carryOut(channel, TEXT_TO_IMAGE, { prompt: "a fox", ...SMALL })
    assert.equal(end.kind, "completed")
  })

  test("takes pictures without an inspector", async (t) => {
    const channel = createStudioChannel({ media: createTestMedia(), workers: 1 })
    t.after(async () => channel.close?.())
    const none = "the studio was given no inspector"
    assert.equal(accepts(channel, EDIT, pictures), true)
    assert.equal(accepts(channel, VIDEO, videos), `video_urls: ${none}`)
    assert.equal(accepts(channel, VIDEO, audios), `audio_urls: ${none}`)
  })

  test("fails what another process took, as media that can't be had", async (t) => {
    const media = createTestMedia()
    for (const url of videos.video_urls) media.files.set(url, PNG)
    for (const [options, model, parameters] of [
      [{}, EDIT, pictures],
      [{ media }, VIDEO, videos],
    ] as const) {
      const channel = createStudioChannel({ workers: 1, ...options })
      t.after(async () => channel.close?.())
      const end = await carryOut(channel, model, parameters)
      assert.ok(end.kind === "refused")
      assert.equal(end.code, "media_download_failed")
    }
  })

  test("takes everything with both, and is not even asked", (t) => {
    assert.equal(createTestStudio(t).channel.accepts, undefined)
  })
})

describe("reference media", () => {
  for (const code of [
    "media_download_failed",
    "media_too_large",
    "unsupported_media_type",
    "media_unreadable",
  ] as const) {
    test(`a media source that fails with ${code} makes the task fail so`, async (t) => {
      const { channel, media } = createTestStudio(t)
      media.files.set(IMAGE_URL, new SafelightError({ code, message: "no", retryable: true }))
      const end = await carryOut(channel, EDIT, { prompt: "", image_urls: [IMAGE_URL] })
      assert.deepEqual(end, { kind: "refused", code })
    })
  }

  test("a file over its kind's limit, or files over the request's, are too large", async (t) => {
    const oneFile = createTestStudio(t, { limits: { imageBytes: PNG.byteLength - 1 } })
    const together = createTestStudio(t, { limits: { requestBytes: PNG.byteLength * 2 - 1 } })
    const enough = createTestStudio(t, { limits: { requestBytes: PNG.byteLength * 2 } })
    const parameters = { prompt: "", image_urls: [IMAGE_URL, IMAGE_URL] }
    for (const { media } of [oneFile, together, enough]) media.files.set(IMAGE_URL, PNG)
    const tooLarge = { kind: "refused", code: "media_too_large" }
    assert.deepEqual(await carryOut(oneFile.channel, EDIT, parameters), tooLarge)
    assert.deepEqual(await carryOut(together.channel, EDIT, parameters), tooLarge)
    assert.equal((await carryOut(enough.channel, EDIT, parameters)).kind, "completed")
  })

  test("a media source that breaks is our fault, logged without the URL or the prompt", async (t) => {
    const log = createTestLog()
    const { channel, media } = createTestStudio(t, { log })
    media.files.set(IMAGE_URL, new TypeError(`cannot read ${IMAGE_URL}`))
    const parameters = { prompt: "a private fox", image_urls: [IMAGE_URL] }
    const end = await carryOut(channel, EDIT, parameters)
    assert.deepEqual(end, { kind: "refused", code: "internal_error" })
    const logged = JSON.stringify(log.entries)
    assert.equal(log.entries.length, 1)
    assert.match(logged, /TypeError/)
    assert.doesNotMatch(logged, /private|secret-name/)
  })

  test("a video that is none makes the task fail so", async (t) => {
    const { channel, media } = createTestStudio(t)
    media.files.set("https://media.test/film.mp4", Buffer.from("not a film, whatever it says"))
    const end = await carryOut(channel, VIDEO, {
      duration: 4,
      video_urls: ["https://media.test/film.mp4"],
    })
    assert.deepEqual(end, { kind: "refused", code: "unsupported_media_type" })
  })
})

describe("the sandbox", () => {
  for (const code of FAILURE_CODES) {
    test(`fail ${code} ends in that failure, unbilled`, async (t) => {
      const { channel } = createTestStudio(t)
      const end = await carryOut(channel, TEXT_TO_IMAGE, { prompt: `a fox [studio: fail ${code}]` })
      assert.deepEqual(end, { kind: "refused", code })
    })
  }

  test("fail … billed reports what the channel was billed for", async (t) => {
    const { channel } = createTestStudio(t)
    const prompt = "[studio: fail provider_rejected billed]"
    const refused = { kind: "refused", code: "provider_rejected" }
    assert.deepEqual(await carryOut(channel, EDIT, { prompt, count: 3, image_urls: [IMAGE_URL] }), {
      ...refused,
      billed: { images: 3, outputVideoMs: 0 },
    })
    assert.deepEqual(await carryOut(channel, VIDEO, { prompt, duration: 7 }), {
      ...refused,
      billed: { images: 0, outputVideoMs: 7000 },
    })
  })

  test("delay waits by the clock before anything is rendered", async (t) => {
    const clock = createManualClock()
    const { channel, media } = createTestStudio(t, { clock })
    media.files.set(IMAGE_URL, PNG)
    const parameters = { prompt: "[studio: delay 5s]", image_urls: [IMAGE_URL] }
    const request = toRequest(EDIT, parameters)
    await channel.submit(request)
    const end = follow(channel, request)
    await setImmediate()
    await clock.advance(4999)
    assert.deepEqual(media.opened, [])
    await clock.advance(1)
    assert.equal((await end).kind, "completed")
    assert.deepEqual(media.opened, [IMAGE_URL])
  })

  test("at-once answers the submission with the result", async (t) => {
    const { channel } = createTestStudio(t)
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "[studio: at-once] a fox", ...SMALL })
    assert.equal(channel.answersAtOnce?.(request), true)
    const [bytes] = await collect(await channel.submit(request))
    const [usual] = await render(channel, TEXT_TO_IMAGE, { prompt: "a fox", ...SMALL })
    assert.deepEqual(bytes, usual)
  })

  test("at-once with a failure answers the submission with it", async (t) => {
    const { channel } = createTestStudio(t)
    const request = toRequest(TEXT_TO_IMAGE, {
      prompt: "[studio: at-once][studio: fail no_output]",
    })
    assert.deepEqual(await channel.submit(request), { kind: "refused", code: "no_output" })
  })

  test("at-once that takes too long is accepted like any other", async (t) => {
    const clock = createManualClock()
    const { channel } = createTestStudio(t, { clock })
    const request = toRequest(TEXT_TO_IMAGE, {
      prompt: "[studio: at-once][studio: delay 30s]",
    })
    const submitted = channel.submit(request)
    await clock.advance(DEFAULTS.immediateWaitMs)
    assert.equal((await submitted).kind, "accepted")
  })

  test("other requests do not answer at once", async (t) => {
    const { channel } = createTestStudio(t)
    for (const prompt of ["a fox", "[studio: stall][studio: at-once]"]) {
      assert.equal(channel.answersAtOnce?.(toRequest(TEXT_TO_IMAGE, { prompt })), false)
    }
  })

  test("stall is accepted, stands still for a minute, opens nothing and ends as out of time", async (t) => {
    const clock = createManualClock()
    const { channel, media } = createTestStudio(t, { clock })
    const parameters = { prompt: "[studio: stall]", image_urls: [IMAGE_URL] }
    const request = toRequest(EDIT, parameters)
    assert.equal((await channel.submit(request)).kind, "accepted")
    const running = { kind: "running", progress: 1, pollAfterMs: DEFAULTS.pollAfterMs }
    const asked = channel.poll(toPoll(request, 1))
    await clock.advance(DEFAULTS.pollWaitMs)
    assert.deepEqual(await asked, running)
    const end = channel.poll(toPoll(request, 1))
    await clock.advance(59_999 - DEFAULTS.pollWaitMs)
    assert.deepEqual(await end, running)
    const last = channel.poll(toPoll(request, 1))
    await clock.advance(1)
    assert.deepEqual(await last, { kind: "refused", code: "generation_timeout" })
    assert.deepEqual(media.opened, [])
  })

  test("defer 2 turns down two attempts, each time alike, and takes the third", async (t) => {
    const { channel } = createTestStudio(t)
    const first = toRequest(TEXT_TO_IMAGE, { prompt: "[studio: defer 2] a fox", ...SMALL })
    const attempt = (number: number): ReturnType<typeof channel.submit> =>
      channel.submit({ ...first, upstreamKey: `${first.task}.${number}` })
    const deferred = { kind: "not-created", reason: "studio_deferred", isAboutRequest: true }
    assert.deepEqual(await attempt(1), deferred)
    assert.deepEqual(await attempt(1), deferred)
    assert.deepEqual(await attempt(2), deferred)
    assert.equal((await attempt(3)).kind, "accepted")
    assert.deepEqual(await attempt(1), deferred)
    // A process that has seen none of it answers a repeat alike: the first call may have been taken.
    const other = createTestStudio(t).channel
    assert.equal(
      (await other.submit({ ...first, upstreamKey: `${first.task}.3` })).kind,
      "accepted",
    )
  })

  test("defer turns down no repeat: whoever repeats would never know what the first call came to", async (t) => {
    const { channel } = createTestStudio(t)
    const first = toRequest(TEXT_TO_IMAGE, { prompt: "[studio: defer 2] a fox", ...SMALL })
    assert.equal((await channel.submit(first)).kind, "not-created")
    assert.equal((await channel.submit({ ...first, isRepeat: true })).kind, "accepted")
  })

  test("unsafe is refused by the safety checker, and passes without it", async (t) => {
    const { channel } = createTestStudio(t)
    const prompt = "[studio: unsafe] a fox"
    assert.deepEqual(await carryOut(channel, TEXT_TO_IMAGE, { prompt }), {
      kind: "refused",
      code: "content_policy_violation",
    })
    const unchecked = { prompt, enable_safety_checker: false, ...SMALL }
    assert.equal((await carryOut(channel, TEXT_TO_IMAGE, unchecked)).kind, "completed")
    const edit = { prompt, image_urls: [IMAGE_URL] }
    assert.equal((await carryOut(channel, EDIT, edit)).kind, "refused")
  })

  test("require-checker refuses only a request with the safety checker off", async (t) => {
    const { channel } = createTestStudio(t)
    const parameters = { prompt: "[studio: require-checker] a fox", ...SMALL }
    const unchecked = { ...parameters, enable_safety_checker: false }
    assert.deepEqual(await carryOut(channel, TEXT_TO_IMAGE, unchecked), {
      kind: "refused",
      code: "safety_checker_required",
    })
    assert.equal((await carryOut(channel, TEXT_TO_IMAGE, parameters)).kind, "completed")
  })

  test("unless it is asked for, directives are prompt text", async (t) => {
    const inspector = createMediaInspector()
    const channel = createStudioChannel({ media: createTestMedia(), inspector, workers: 1 })
    t.after(async () => channel.close?.())
    for (const directive of ["fail no_output", "defer 20", "stall", "crash"]) {
      const parameters = { prompt: `[studio: ${directive}]`, ...SMALL }
      assert.equal((await carryOut(channel, TEXT_TO_IMAGE, parameters)).kind, "completed")
    }
  })
})

describe("worker processes", () => {
  test("one that dies fails its own rendering alone and is replaced", async (t) => {
    const log = createTestLog()
    const { channel } = createTestStudio(t, { log, workers: 1 })
    const ends = await Promise.all([
      carryOut(channel, TEXT_TO_IMAGE, { prompt: "before", ...SMALL }),
      carryOut(channel, TEXT_TO_IMAGE, { prompt: "a private fox [studio: crash]", ...SMALL }),
      carryOut(channel, TEXT_TO_IMAGE, { prompt: "after", ...SMALL }),
    ])
    assert.deepEqual(
      ends.map(({ kind }) => kind),
      ["completed", "refused", "completed"],
    )
    assert.deepEqual(ends[1], { kind: "refused", code: "internal_error" })
    assert.equal(log.entries.length, 1)
    assert.doesNotMatch(JSON.stringify(log.entries), /private/)
  })

  test("cancel stops a rendering under way, and the next one is carried out", async (t) => {
    const { channel } = createTestStudio(t, { workers: 1 })
    const request = toRequest(VIDEO, { duration: 30, resolution: "1080p" })
    const first = await channel.poll(toPoll(request))
    assert.equal(first.kind, "running")
    const asked = channel.poll(toPoll(request, 99))
    assert.equal(await channel.cancel?.(toPoll(request)), "stopped")
    assert.deepEqual(await asked, { kind: "refused", code: "task_cancelled" })
    assert.equal(
      (await carryOut(channel, TEXT_TO_IMAGE, { prompt: "a fox", ...SMALL })).kind,
      "completed",
    )
  })

  test("cancel comes too late for what is done, which is still handed out", async (t) => {
    const { channel } = createTestStudio(t, { workers: 1 })
    const request = toRequest(TEXT_TO_IMAGE, { prompt: "a fox", ...SMALL })
    assert.equal(await channel.cancel?.(toPoll(request)), "unknown", "nothing is under way here")
    const first = await follow(channel, request)
    assert.equal(await channel.cancel?.(toPoll(request)), "too-late")
    assert.equal((await channel.poll(toPoll(request))).kind, first.kind)
  })

  test("cancel takes a rendering that waits for a worker out of the queue", async (t) => {
    const { channel, media } = createTestStudio(t, { workers: 1 })
    const clock = createManualClock()
    const waiting = createTestStudio(t, { workers: 1, clock })
    media.files.set(IMAGE_URL, PNG)
    const request = toRequest(EDIT, { prompt: "[studio: delay 5s]", image_urls: [IMAGE_URL] })
    const asked = waiting.channel.poll(toPoll(request, 99))
    await waiting.channel.cancel?.(toPoll(request))
    assert.deepEqual(await asked, { kind: "refused", code: "task_cancelled" })
    await clock.advance(5000)
    assert.deepEqual(waiting.media.opened, [])
    assert.equal(clock.pendingWaits(), 0)
    await channel.cancel?.(toPoll(request))
  })

  test("ten renderings called off in the middle leave the process whole", async (t) => {
    const { channel } = createTestStudio(t, { workers: 2 })
    for (let round = 0; round < 10; round++) {
      const request = toRequest(TEXT_TO_IMAGE, { prompt: `storm ${round}` })
      await channel.poll(toPoll(request, round * 9))
      await channel.cancel?.(toPoll(request))
    }
    const end = await carryOut(channel, TEXT_TO_IMAGE, { prompt: "a fox", ...SMALL })
    assert.equal(end.kind, "completed")
  })

  test("nothing that paints or encodes is loaded by the thread that serves", async () => {
    const output = await runScript(`
      import { registerHooks } from "node:module"
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      const { createStudioChannel } = await import("@safelight/channel-studio")
      createStudioChannel({ media: { open() {} } })
      console.log(JSON.stringify(loaded))`)
    const loaded = JSON.parse(output) as string[]
    const heavy =
      /render-worker|render-picture|render-edit|scenes|render-video|packages\/painter\/|\/sharp\/|mediabunny|h264/
    assert.ok(loaded.some((url) => url.endsWith("/render-pool.ts")))
    assert.deepEqual(
      loaded.filter((url) => heavy.test(url)),
      [],
    )
  })

  test("a process that closes the studio ends only once it is closed", async () => {
    // At 99 the result is already on its way while the thread is being ended.
    const output = await runScript(`
      import { createStudioChannel } from "@safelight/channel-studio"
      const studio = createStudioChannel({ media: { open() {} }, workers: 1 })
      const parameters = { prompt: "a fox", size: "square", colors: [] }
      const { signal } = new AbortController()
      const request = { task: "t", model: "${TEXT_TO_IMAGE}", parameters, upstreamKey: "k", signal }
      const operation = { key: "k" }
      for (let progress = 0; progress < 99; ) {
        const outcome = await studio.poll({ ...request, operation, progress })
        if (outcome.kind === "refused") throw new Error(outcome.code)
        progress = outcome.progress ?? 99
      }
      await studio.close()
      console.log("closed")`)
    assert.equal(output, "closed\n")
  })
})

/** What a script prints in a process of its own; rejects where it fails. */
async function runScript(script: string): Promise<string> {
  const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", script]
  const { stdout } = await promisify(execFile)(process.execPath, flags, {
    cwd: import.meta.dirname,
  })
  return stdout
}
