/** Outputs that lie at URLs: fetched from where the channel says alone, told by their bytes, measured. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it } from "node:test"
import {
  DEFAULT_PRICES,
  referenceToVideo,
  SafelightError,
  type Channel,
  type ChannelOutput,
  type MediaInspector,
  type MediaRequest,
  type MediaSource,
  type SafelightErrorCode,
} from "@safelight/core"
import {
  createScriptedChannel,
  type ScriptedChannel,
  type ScriptedChannelOptions,
} from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { createScene, MODEL, PRICES, type Scene } from "./support.ts"

const ORIGINS = { hosts: ["*.films.example"], trustedOrigins: ["http://127.0.0.1:9"] } as const
const FILM_URL = "https://v3.films.example/1.mp4?signed=1"
const ACCEPTED = { kind: "accepted", operation: "op-7" } as const

const fault = (code: SafelightErrorCode, retryable = false): SafelightError =>
  new SafelightError({ code, message: "as a test wants it", retryable })

interface World {
  readonly asked: readonly MediaRequest[]
  readonly channel: ScriptedChannel
  readonly errors: () => readonly object[]
  readonly scene: Scene
  /** The next downloads fail so. */
  readonly failDownloads: (...errors: readonly SafelightError[]) => void
  readonly failInspections: (...errors: readonly SafelightError[]) => void
  submit(): Promise<string>
}

const toBytes = (url: string): Buffer => Buffer.from(`the bytes of ${url}`)

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function createWorld(script: ScriptedChannelOptions, isVideo = true): World {
  const model = isVideo ? referenceToVideo : MODEL
  const channel = createScriptedChannel({ models: [model.id], ...script })
  const asked: MediaRequest[] = []
  let downloadErrors: readonly SafelightError[] = []
  let inspectionErrors: readonly SafelightError[] = []
  const media: MediaSource = {
    async open(request) {
      asked.push(request)
      const [error, ...others] = downloadErrors
      downloadErrors = others
      if (error !== undefined) throw error
      const [kind = "image"] = request.kinds
      return { kind, mimeType: `${kind}/told-by-bytes`, body: once(toBytes(request.url)) }
    },
  }
  const inspector: MediaInspector = {
    async inspect({ bytes, kinds: [kind = "video"], read }) {
      const [error, ...others] = inspectionErrors
      inspectionErrors = others
      if (error !== undefined) throw error
      const start = await read(0, 12)
      assert.equal(Buffer.from(start).toString(), "the bytes of")
      assert.equal((await read(bytes - 3, bytes)).length, 3)
      return { kind, mimeType: "video/mp4", durationMs: 4_020 }
    },
    close: async () => {},
  }
  const { entries, log } = createLogRecorder()
  const linking: Channel = { ...channel, outputOrigins: ORIGINS }
  const scene = createScene({
    channels: [{ channel: linking }],
    models: [model],
    prices: isVideo ? DEFAULT_PRICES : PRICES,
    log,
    media,
    inspector,
  })
  return {
    asked,
    channel,
    errors: () => entries.filter(({ level }) => level === "error").map(({ fields }) => fields),
    scene,
    failDownloads: (...errors) => void (downloadErrors = errors),
    failInspections: (...errors) => void (inspectionErrors = errors),
    async submit() {
      const parameters = isVideo ? { prompt: "fog", duration: 5 } : { prompt: "fog", count: 4 }
      const sent = await scene.engine.submit({ account: "ada", model: model.id, parameters })
      assert.ok(sent.kind === "submitted")
      return sent.task.id
    },
  }
}

const repeat = <Item>(item: Item, times: number): Item[] =>
  Array.from({ length: times }, () => item)

const failingDownloads =
  (code: SafelightErrorCode) =>
  ({ failDownloads }: World, times: number): void =>
    failDownloads(...repeat(fault(code), times))

const film = (more: object = {}): ChannelOutput => ({ url: FILM_URL, ...more })
const completed = (...outputs: readonly ChannelOutput[]) =>
  ({ kind: "completed", outputs }) as const

describe("a film at a URL", () => {
  it("is fetched from where its channel says, measured, and charged by that", async () => {
    const headers = { authorization: "Key secret" }
    const world = createWorld({ submits: [ACCEPTED], polls: [completed(film({ headers }))] })
    const { asked, scene } = world
    const id = await world.submit()
    await scene.clock.advance(2_000)
    const { artifacts, chargeMicros, reservationMicros, usage } = await scene.read(id)
    const [artifact] = artifacts
    assert.deepEqual(
      [artifact?.mimeType, artifact?.durationMs, artifact?.bytes],
      ["video/told-by-bytes", 4_020, toBytes(FILM_URL).length],
    )
    assert.equal(usage?.outputVideoMs, 4_020)
    assert.ok(chargeMicros > 0 && chargeMicros < reservationMicros)
    const [{ signal, ...request } = assert.fail()] = asked
    assert.ok(signal !== undefined)
    const { maxBytes, ...rest } = request
    assert.ok(Number.isFinite(maxBytes))
    const expected = { url: FILM_URL, kinds: ["video"], headers, resumes: 5, ...ORIGINS }
    assert.deepEqual(rest, expected)
  })

  it("is fetched again at the next poll where that fails, and bought once", async () => {
    const world = createWorld({
      submits: [ACCEPTED],
      polls: Array.from({ length: 9 }, () => completed(film())),
    })
    const { asked, channel, failDownloads, scene } = world
    failDownloads(fault("media_download_failed"), fault("media_download_failed", true))
    const id = await world.submit()
    await scene.clock.advance(30_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.deepEqual([asked.length, channel.created.length], [3, 1])
  })

  it("is fetched again where it came at once, without an operation", async () => {
    const world = createWorld({ submits: [completed(film())] })
    const { asked, channel, failDownloads, scene } = world
    failDownloads(...Array.from({ length: 5 }, () => fault("media_download_failed")))
    const id = await world.submit()
    await scene.clock.advance(120_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
    assert.deepEqual([asked.length, channel.created.length], [6, 1])
  })

  it("is stored anew where it could not be measured for now, and nothing is left behind", async () => {
    const world = createWorld({
      submits: [ACCEPTED],
      polls: [completed(film()), completed(film())],
    })
    const { scene, failInspections } = world
    failInspections(fault("channel-unavailable", true))
    const id = await world.submit()
    await scene.clock.advance(10_000)
    const { artifacts, state } = await scene.read(id)
    assert.equal(state, "succeeded.available")
    assert.deepEqual([...scene.artifacts.locators.keys()], [artifacts[0]?.locator])
  })

  const useless: readonly (readonly [string, (world: World, times: number) => void])[] = [
    ["has another type", failingDownloads("unsupported_media_type")],
    ["is too large", failingDownloads("media_too_large")],
    [
      "can't be read",
      ({ failInspections }, times) => failInspections(...repeat(fault("media_unreadable"), times)),
    ],
  ]
  for (const [words, fail] of useless) {
    it(`that ${words} fails its task uncharged, is named in the log, and is not bought again`, async () => {
      const world = createWorld({ submits: [ACCEPTED], polls: repeat(completed(film()), 99) })
      const { channel, errors, scene } = world
      fail(world, 99)
      const id = await world.submit()
      await scene.clock.advance(290_000)
      assert.equal((await scene.read(id)).state, "running", "it was given up too soon")
      await scene.clock.advance(60_000)
      const { chargeMicros, error, state } = await scene.read(id)
      assert.deepEqual([state, error?.code, chargeMicros], ["failed", "no_output", 0])
      assert.deepEqual([channel.created.length, scene.artifacts.locators.size], [1, 0])
      const [line] = errors()
      assert.ok(line !== undefined && "operation" in line)
      assert.deepEqual(line.operation, "op-7")
    })

    it(`that ${words} for a moment alone is stored all the same`, async () => {
      const world = createWorld({ submits: [ACCEPTED], polls: repeat(completed(film()), 99) })
      fail(world, 3)
      const id = await world.submit()
      await world.scene.clock.advance(60_000)
      assert.equal((await world.scene.read(id)).state, "succeeded.available")
      assert.equal(world.channel.created.length, 1)
    })
  }

  it("that fails to come is given up once it is gone", async () => {
    const world = createWorld({ submits: [ACCEPTED], polls: [] })
    const { channel, failDownloads, scene } = world
    const expiresAt = scene.clock.now() + 60_000
    channel.willPoll(...Array.from({ length: 99 }, () => completed(film({ expiresAt }))))
    failDownloads(...Array.from({ length: 99 }, () => fault("media_download_failed")))
    const id = await world.submit()
    await scene.clock.advance(59_000)
    assert.equal((await scene.read(id)).state, "running")
    await scene.clock.advance(60_000)
    assert.equal((await scene.read(id)).error?.code, "no_output")
  })

  const sha256 = createHash("sha256").update(toBytes(FILM_URL)).digest("hex")

  it("is fetched again until its bytes are those that its channel says, and no others are kept", async () => {
    const another = { url: `${FILM_URL}&lying`, sha256 }
    const world = createWorld({
      submits: [ACCEPTED],
      polls: [completed(another), completed(another), completed(film({ sha256 }))],
    })
    const { asked, channel, scene } = world
    const id = await world.submit()
    await scene.clock.advance(30_000)
    const { artifacts, state } = await scene.read(id)
    assert.equal(state, "succeeded.available")
    assert.deepEqual([asked.length, channel.created.length], [3, 1])
    assert.deepEqual([...scene.artifacts.locators.keys()], [artifacts[0]?.locator])
    assert.equal(artifacts[0]?.sha256, sha256)
  })

  it("whose bytes stay others fails its task at its end, with nothing kept or charged", async () => {
    const another = completed({ url: `${FILM_URL}&lying`, sha256 })
    const world = createWorld({
      submits: [ACCEPTED],
      polls: Array.from({ length: 99 }, () => another),
    })
    const { channel, scene } = world
    const id = await world.submit()
    await scene.clock.advance(590_000)
    assert.equal((await scene.read(id)).state, "running")
    // A result that is there is tried for longer than the task's own time.
    for (let hours = 0; hours < 3; hours += 1) {
      await scene.clock.advance(3_600_000)
      await scene.engine.sweep(scene.clock.now())
    }
    const { chargeMicros, error } = await scene.read(id)
    assert.deepEqual([error?.code, chargeMicros], ["generation_timeout", 0])
    assert.deepEqual([channel.created.length, scene.artifacts.locators.size], [1, 0])
  })

  it("is fetched again where a page lies in its place, which its digest tells from it", async () => {
    const output = completed(film({ sha256 }))
    const world = createWorld({ submits: [ACCEPTED], polls: [output, output] })
    world.failDownloads(fault("unsupported_media_type"))
    const id = await world.submit()
    await world.scene.clock.advance(10_000)
    assert.equal((await world.scene.read(id)).state, "succeeded.available")
  })

  it("that is the one it should be and can't be read is lost", async () => {
    const world = createWorld({ submits: [ACCEPTED], polls: [completed(film({ sha256 }))] })
    world.failInspections(fault("media_unreadable"))
    const id = await world.submit()
    await world.scene.clock.advance(10_000)
    assert.equal((await world.scene.read(id)).error?.code, "no_output")
  })

  it("is taken without a digest where what its channel says is none", async () => {
    const world = createWorld({ submits: [ACCEPTED], polls: [completed(film({ sha256: "A1" }))] })
    const id = await world.submit()
    await world.scene.clock.advance(2_000)
    assert.equal((await world.scene.read(id)).state, "succeeded.available")
  })

  it("that never comes is asked for in ever longer pauses, past its task's end too, and is no fault of ours", async () => {
    const world = createWorld({ submits: [ACCEPTED], polls: repeat(completed(film()), 999) })
    const { asked, channel, failDownloads, scene } = world
    failDownloads(...repeat(fault("media_download_failed"), 999))
    const id = await world.submit()
    await scene.clock.advance(700_000)
    const before = asked.length
    await scene.clock.advance(3_000_000)
    assert.ok(asked.length - before <= 101, `${asked.length - before} downloads in 50 minutes`)
    assert.equal((await scene.read(id)).state, "running")
    await scene.clock.advance(600_000)
    const { chargeMicros, error } = await scene.read(id)
    assert.deepEqual([error?.code, chargeMicros, channel.created.length], ["no_output", 0, 1])
  })

  const wrong: readonly (readonly [string, object])[] = [
    ["outputs[0].url is none", { url: "file:///etc/passwd" }],
    ["outputs[0].url is none", { url: 7 }],
    ["outputs[0].url is none", { url: `https://v3.films.example/${"x".repeat(20_000)}` }],
    ["outputs[0].expiresAt is no moment", { url: FILM_URL, expiresAt: "soon" }],
    ["outputs[0].headers holds what is no text", { url: FILM_URL, headers: { a: 1 } }],
  ]
  for (const [what, output] of wrong) {
    it(`that can't be one fails its task: ${what} (${Object.keys(output).join(", ")})`, async () => {
      const world = createWorld({
        submits: [ACCEPTED],
        polls: [completed(output as ChannelOutput)],
      })
      const id = await world.submit()
      await world.scene.clock.advance(5_000)
      assert.equal((await world.scene.read(id)).error?.code, "internal_error")
      assert.deepEqual(world.asked, [])
      assert.ok(world.errors().some((fields) => "what" in fields && fields.what === what))
    })
  }
})

describe("pictures at URLs", () => {
  it("are fetched in the order in which they will be gone, and keep their own", async () => {
    const urls = [1, 2, 3, 4].map((count) => `https://v3.films.example/${count}.png`)
    const expiries = [undefined, 9e12, 8e12, undefined]
    const outputs = urls.map((url, position) => {
      const expiresAt = expiries[position]
      return expiresAt === undefined ? { url } : { url, expiresAt }
    })
    const world = createWorld({ submits: [completed(...outputs)] }, false)
    const id = await world.submit()
    await world.scene.clock.advance(1_000)
    const fetched = world.asked.map(({ url }) => urls.indexOf(url) + 1)
    assert.deepEqual(fetched, [3, 2, 1, 4])
    const { artifacts } = await world.scene.read(id)
    const stored = artifacts.map(({ locator }) =>
      world.scene.artifacts.locators.get(locator)?.toString(),
    )
    assert.deepEqual(
      stored,
      urls.map((url) => toBytes(url).toString()),
    )
    assert.deepEqual(
      artifacts.map(({ key, durationMs }) => [key, durationMs]),
      urls.map((_, position) => [`image_${position + 1}`, null]),
    )
  })
})

it("an engine that can't fetch takes no channel whose outputs lie at URLs", () => {
  const channel: Channel = { ...createScriptedChannel(), outputOrigins: ORIGINS }
  assert.throws(() => createScene({ channels: [{ channel }], isStarted: false }), {
    code: "invalid-configuration",
    message: "outputs of channel scripted lie at URLs: the engine needs media and inspector",
  })
})
