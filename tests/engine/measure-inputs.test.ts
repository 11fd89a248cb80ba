/** The videos that a task refers to: measured by the engine before anything is bought, and charged. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  DEFAULT_PRICES,
  referenceToVideo,
  SafelightError,
  type MediaInspector,
  type MediaSource,
  type PollOutcome,
  type SafelightErrorCode,
} from "@safelight/core"
import { createScriptedChannel, type ScriptedChannelOptions } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { createScene, type Scene, type SceneOptions } from "./support.ts"

const ACCEPTED = { kind: "accepted", operation: "op-7" } as const
const FILM = {
  kind: "completed",
  // Less than was measured, which counts.
  inputVideosMs: [1_000],
  outputs: [{ mimeType: "video/mp4", durationMs: 60_000, open: () => once("5000") }],
} as const

const fault = (code: SafelightErrorCode, retryable = false): SafelightError =>
  new SafelightError({ code, message: "as a test wants it", retryable })

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** A video at `https://v.example/1500` is of 1,500 ms. */
const toUrl = (durationMs: number | string): string => `https://v.example/${durationMs}`

interface Ports {
  readonly fetched: string[]
  readonly faults: (Error | undefined)[]
  readonly options: Required<
    Pick<SceneOptions, "inspector" | "log" | "media" | "models" | "prices">
  >
  readonly errors: () => readonly object[]
}

function createPorts(): Ports {
  const fetched: string[] = []
  const faults: (Error | undefined)[] = []
  const media: MediaSource = {
    async open({ url, kinds }) {
      fetched.push(url)
      const error = faults.shift()
      if (error !== undefined) throw error
      assert.deepEqual(kinds, ["video"])
      return { kind: "video", mimeType: "video/mp4", body: once(url.slice(toUrl("").length)) }
    },
  }
  const inspector: MediaInspector = {
    async inspect({ bytes, read }) {
      const durationMs = Number(Buffer.from(await read(0, bytes)).toString())
      if (Number.isNaN(durationMs)) throw fault("media_unreadable")
      return { kind: "video", mimeType: "video/mp4", durationMs }
    },
    close: async () => {},
  }
  const { entries, log } = createLogRecorder()
  return {
    fetched,
    faults,
    options: { inspector, log, media, models: [referenceToVideo], prices: DEFAULT_PRICES },
    errors: () => entries.filter(({ level }) => level === "error").map(({ fields }) => fields),
  }
}

function createChannel(script: ScriptedChannelOptions) {
  return createScriptedChannel({ models: [referenceToVideo.id], ...script })
}

async function submit(scene: Scene, ...videos: readonly string[]): Promise<string> {
  const parameters = { prompt: "fog", duration: 5, video_urls: videos }
  const { id: model } = referenceToVideo
  const sent = await scene.engine.submit({ account: "ada", model, parameters })
  assert.ok(sent.kind === "submitted")
  return sent.task.id
}

type PortOptions = ReturnType<typeof createPorts>["options"]

/** A task with a film of 6 s that its channel has and says nothing of. */
async function beginRunning(options: PortOptions): Promise<{ scene: Scene; id: string }> {
  const quiet = (): Promise<never> => new Promise(() => {})
  const channels = [createChannel({ submits: [ACCEPTED], polls: [quiet] })]
  const scene = createScene({ channels, ...options })
  const id = await submit(scene, toUrl(6_000))
  await scene.clock.advance(1_000)
  return { scene, id }
}

/** The next process, which sees the task to its end. */
async function takeOver(
  scene: Scene,
  options: PortOptions,
  polled: PollOutcome = FILM,
): Promise<Scene> {
  await scene.engine.stop()
  const { artifacts, clock, storage } = scene
  const channels = [createChannel({ polls: [polled] })]
  const next = createScene({ channels, ...options, artifacts, clock, storage })
  await clock.advance(1_000)
  return next
}

describe("the videos that a task refers to", () => {
  it("are measured before the purchase, and charged in their order", async () => {
    const { fetched, options } = createPorts()
    const measured: number[] = []
    const submits = [
      () => {
        measured.push(fetched.length)
        return ACCEPTED
      },
    ]
    const channel = createChannel({ submits, polls: [FILM] })
    const scene = createScene({ channels: [channel], ...options })
    const id = await submit(scene, toUrl(1_500), toUrl(7_000))
    await scene.clock.advance(5_000)
    const { artifacts, chargeMicros, usage } = await scene.read(id)
    assert.deepEqual(usage, { images: 0, inputVideosMs: [1_500, 7_000], outputVideoMs: 5_000 })
    const [{ models }] = DEFAULT_PRICES
    const { perVideoSecondMicros = 0 } = models[referenceToVideo.id] ?? {}
    // The first counts as 4 s.
    assert.equal(chargeMicros, (4 + 7 + 5) * perVideoSecondMicros)
    assert.deepEqual(measured, [2])
    assert.deepEqual([...scene.artifacts.locators.keys()], [artifacts[0]?.locator])
  })

  it("are charged as their channel got them where that was longer, within the reservation, and told", async () => {
    for (const [toldMs, billedMs] of [
      [[1_500, 26_000], 30_000],
      [[90_000, 7_000, 5_000], 30_000],
      [[4_500], 11_500],
    ] as const) {
      const { entries, log } = createLogRecorder()
      const { options } = createPorts()
      const polls = [{ ...FILM, inputVideosMs: toldMs }]
      const channel = createChannel({ submits: [ACCEPTED], polls })
      const scene = createScene({ channels: [channel], ...options, log })
      const id = await submit(scene, toUrl(1_500), toUrl(7_000))
      await scene.clock.advance(5_000)
      const { chargeMicros, reservationMicros, usage } = await scene.read(id)
      const [first = 0, second = 0] = toldMs
      assert.deepEqual(usage?.inputVideosMs, [Math.max(1_500, first), Math.max(7_000, second)])
      const rate = DEFAULT_PRICES[0].models[referenceToVideo.id]?.perVideoSecondMicros ?? 0
      assert.equal(chargeMicros, Math.min(((billedMs + 5_000) / 1_000) * rate, reservationMicros))
      const [line, ...others] = entries.filter(({ message }) => message === "input videos longer")
      const fields = { task: id, channel: "scripted", measuredMs: [1_500, 7_000], toldMs }
      assert.deepEqual(line, { level: "warn", fields, message: "input videos longer" })
      assert.deepEqual(others, [])
    }
  })

  it("are charged by the process that ends the task, as the first one measured them", async () => {
    const { fetched, options } = createPorts()
    const { scene, id } = await beginRunning(options)
    const second = await takeOver(scene, options)
    assert.deepEqual((await second.read(id)).usage?.inputVideosMs, [6_000])
    assert.equal(fetched.length, 1)
  })

  it("are measured once, however often the task is dispatched", async () => {
    const { fetched, options } = createPorts()
    const refused = { kind: "not-created", reason: "provider_failed" } as const
    const channel = createChannel({ submits: [refused, refused, ACCEPTED], polls: [FILM] })
    const scene = createScene({ channels: [channel], ...options })
    const id = await submit(scene, toUrl(6_000))
    await scene.clock.advance(30_000)
    assert.deepEqual((await scene.read(id)).usage?.inputVideosMs, [6_000])
    assert.deepEqual([fetched.length, channel.calls.length], [1, 4])
  })

  const wrong = [
    ["can't be had", toUrl(1_000), fault("media_download_failed"), "media_download_failed"],
    ["are too large", toUrl(1_000), fault("media_too_large"), "media_too_large"],
    ["are none", toUrl(1_000), fault("unsupported_media_type"), "unsupported_media_type"],
    ["can't be read", toUrl("broken"), undefined, "media_unreadable"],
  ] as const
  for (const [how, url, error, code] of wrong) {
    it(`fail their task where they ${how}: nothing is bought, nothing charged or kept`, async () => {
      const { faults, options } = createPorts()
      faults.push(undefined, error)
      const channel = createChannel({})
      const scene = createScene({ channels: [channel], ...options })
      const id = await submit(scene, toUrl(2_000), url)
      await scene.clock.advance(5_000)
      const task = await scene.read(id)
      assert.deepEqual([task.state, task.error?.code, task.chargeMicros], ["failed", code, 0])
      assert.deepEqual(scene.story(id), ["submitted", "failed"])
      assert.deepEqual([channel.calls.length, scene.artifacts.locators.size], [0, 0])
    })
  }

  it("are fetched again where that failed for now, and not for ever", async () => {
    const { faults, fetched, options } = createPorts()
    const channel = createChannel({ submits: [ACCEPTED], polls: [FILM] })
    const scene = createScene({ channels: [channel], ...options })
    const down = fault("media_download_failed", true)
    faults.push(down, down)
    const id = await submit(scene, toUrl(6_000))
    await scene.clock.advance(30_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    faults.push(down, down, down)
    const other = await submit(scene, toUrl(6_000))
    await scene.clock.advance(30_000)
    assert.equal((await scene.read(other)).error?.code, "media_download_failed")
    assert.deepEqual([fetched.length, channel.created.length], [6, 1])
  })

  it("wait for a storage that is full, and are then bought", async () => {
    const { options } = createPorts()
    const channel = createChannel({ submits: [ACCEPTED], polls: [FILM] })
    const scene = createScene({ channels: [channel], ...options })
    scene.artifacts.failPuts(5)
    const id = await submit(scene, toUrl(6_000))
    await scene.clock.advance(60_000)
    assert.deepEqual((await scene.read(id)).usage?.inputVideosMs, [6_000])
  })

  it("are charged as their channel tells, with a line, where their lengths were erased meanwhile", async () => {
    for (const toldMs of [[], [6_500]]) {
      const { errors, options } = createPorts()
      const { scene, id } = await beginRunning(options)
      assert.equal(await scene.engine.erase({ account: "ada", id }), true)
      const second = await takeOver(scene, options, { ...FILM, inputVideosMs: toldMs })
      const { state, usage } = await second.read(id)
      assert.deepEqual([state, usage?.inputVideosMs], ["succeeded.available", toldMs])
      assert.deepEqual(errors(), [{ task: id, toldMs }])
    }
  })

  describe("while they are measured", () => {
    const { id: model } = referenceToVideo

    /** Servers that say nothing until they are let go. */
    function createSlowServers(options: PortOptions) {
      const waiting: (() => void)[] = []
      const media: MediaSource = {
        async open(request) {
          await new Promise<void>((resolve, reject) => {
            waiting.push(resolve)
            request.signal?.addEventListener("abort", () => reject(fault("aborted")))
          })
          return options.media.open(request)
        },
      }
      return { waiting, options: { ...options, media } }
    }

    async function submitAs(scene: Scene, account: string, ...videos: readonly string[]) {
      const parameters = {
        prompt: "fog",
        duration: 5,
        ...(videos.length > 0 ? { video_urls: videos } : { image_urls: ["https://v.example/a"] }),
      }
      const sent = await scene.engine.submit({ account, model, parameters })
      assert.ok(sent.kind === "submitted")
      return sent.task.id
    }

    it("leave their channel to others: a slow server closes it to nobody", async () => {
      const { options, waiting } = createSlowServers(createPorts().options)
      const channel = createChannel({ concurrency: 1, submits: [ACCEPTED], polls: [FILM] })
      const scene = createScene({ channels: [channel], ...options })
      const slow = await submitAs(scene, "eve", toUrl(1_000))
      await scene.clock.advance(1_000)
      assert.equal(waiting.length, 1)
      const other = await submitAs(scene, "bob")
      await scene.clock.advance(5_000)
      assert.equal((await scene.read(other)).state, "succeeded.available")
      assert.equal((await scene.read(slow)).state, "queued")
    })

    it("wait for the channel, where it is taken by then, and are not measured again", async () => {
      const ports = createPorts()
      const { options, waiting } = createSlowServers(ports.options)
      const busy = Array.from(
        { length: 9 },
        () => ({ kind: "running", pollAfterMs: 1_000 }) as const,
      )
      const polls = [...busy, FILM, FILM]
      const channel = createChannel({ concurrency: 1, submits: [ACCEPTED, ACCEPTED], polls })
      const scene = createScene({ channels: [channel], ...options })
      const slow = await submitAs(scene, "eve", toUrl(7_000))
      await scene.clock.advance(1_000)
      const other = await submitAs(scene, "bob")
      await scene.clock.advance(1_000)
      waiting[0]?.()
      await scene.clock.advance(3_000)
      assert.deepEqual(
        [(await scene.read(slow)).state, (await scene.read(other)).state],
        ["queued", "running"],
      )
      await scene.clock.advance(60_000)
      const { state, usage } = await scene.read(slow)
      assert.deepEqual([state, usage?.inputVideosMs], ["succeeded.available", [7_000]])
      assert.equal(ports.fetched.length, 1)
    })

    it("are eight of an account at most in a process: it begins nothing more until one is done", async () => {
      const { options, waiting } = createSlowServers(createPorts().options)
      const channel = createChannel({
        concurrency: 50,
        submits: Array.from({ length: 9 }, () => ACCEPTED),
        polls: Array.from({ length: 9 }, () => FILM),
      })
      const scene = createScene({ channels: [channel], ...options })
      for (let each = 0; each < 12; each += 1) await submitAs(scene, "eve", toUrl(1_000))
      await scene.clock.advance(5_000)
      assert.equal(waiting.length, 8)
      const other = await submitAs(scene, "bob", toUrl(1_000))
      await scene.clock.advance(5_000)
      assert.equal(waiting.length, 9)
      waiting.at(-1)?.()
      await scene.clock.advance(5_000)
      assert.equal((await scene.read(other)).state, "succeeded.available")
      for (const letGo of waiting.splice(0)) letGo()
      await scene.clock.advance(5_000)
      assert.equal(waiting.length, 4)
    })

    it("are eight of an account also where many are taken from the queue at once", async () => {
      const { options, waiting } = createSlowServers(createPorts().options)
      const channel = createChannel({
        concurrency: 50,
        submits: Array.from({ length: 20 }, () => ACCEPTED),
        polls: Array.from({ length: 20 }, () => FILM),
      })
      const scene = createScene({ channels: [channel], ...options, isStarted: false })
      const ids: string[] = []
      for (let each = 0; each < 20; each += 1) {
        ids.push(await submitAs(scene, "eve", toUrl(1_000)))
      }
      scene.engine.start()
      await scene.clock.advance(5_000)
      assert.equal(waiting.length, 8)
      for (let round = 0; round < 3; round += 1) {
        for (const letGo of waiting.splice(0)) letGo()
        await scene.clock.advance(5_000)
      }
      const tasks = await Promise.all(ids.map((id) => scene.read(id)))
      assert.deepEqual([...new Set(tasks.map(({ state }) => state))], ["succeeded.available"])
    })

    it("keep their permits beyond what one process measures at once", async () => {
      const { options, waiting } = createSlowServers(createPorts().options)
      const channel = createChannel({ concurrency: 4, submits: [ACCEPTED], polls: [FILM] })
      const scene = createScene({ channels: [channel], ...options })
      for (const account of ["a", "b", "c", "d", "e", "f"]) {
        for (let each = 0; each < 8; each += 1) await submitAs(scene, account, toUrl(1_000))
      }
      await scene.clock.advance(10_000)
      // 32 without a permit, and 4 with one.
      assert.equal(waiting.length, 36)
    })
  })

  it("are what the channel says where the engine has nothing to measure with", async () => {
    const { inspector: _, ...options } = createPorts().options
    const channel = createChannel({ submits: [ACCEPTED], polls: [FILM] })
    const scene = createScene({ channels: [channel], ...options })
    const id = await submit(scene, toUrl(6_000))
    await scene.clock.advance(5_000)
    const { usage } = await scene.read(id)
    assert.deepEqual(usage, { images: 0, inputVideosMs: [1_000], outputVideoMs: 60_000 })
  })
})
