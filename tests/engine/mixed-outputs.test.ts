/** Outputs of several kinds, and of kinds without a picture: told by their bytes, counted, measured, and kept in order. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  defineModel,
  fields,
  integer,
  SafelightError,
  text,
  toMainKind,
  type ArtifactKind,
  type Channel,
  type ChannelOutput,
  type Completed,
  type MediaInspector,
  type MediaKind,
  type MediaSource,
  type Model,
  type ModelPrice,
  type ModelDefinition,
  type ParameterValues,
  type Task,
} from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import * as v from "valibot"
import { createLogRecorder } from "./log-recorder.ts"
import { createScene, type Scene } from "./support.ts"

const ACCEPTED = { kind: "accepted", operation: "op-7" } as const
const MINUTE_MS = 60_000

/** Of each main kind: extras cost nothing. */
const PRICES: Readonly<Record<ArtifactKind, ModelPrice>> = {
  image: { perImageMicros: 30_000 },
  video: { perVideoSecondMicros: 100_000 },
  audio: { perAudioSecondMicros: 1_000 },
  text: { perRequestMicros: 500 },
  "3d": { perRequestMicros: 500 },
}

type Definition = Omit<Partial<ModelDefinition<ParameterValues>>, "artifacts">

function makes(
  artifacts: readonly [ArtifactKind, ...ArtifactKind[]],
  definition: Definition = {},
): Model {
  const parameters = fields({ prompt: text(1), count: v.optional(integer(1, 4), 1) })
  const whole: ModelDefinition<ParameterValues> = {
    id: "model-a",
    artifacts,
    parameters,
    logged: ["count"],
    estimate: () => ({
      images: 1,
      inputVideosMs: [],
      outputAudioMs: 60_000,
      outputVideoMs: 60_000,
    }),
    ...definition,
  }
  return defineModel(whole)
}

/** What lies at each address, and how it fails. */
interface Thing {
  readonly kind: ArtifactKind
  readonly mimeType: string
  readonly error?: SafelightError
  /** What its tracks say. */
  readonly tracks?: MediaKind
  readonly bytes?: readonly Uint8Array[]
}

const THINGS: Readonly<Record<string, Thing>> = {
  film: { kind: "video", mimeType: "video/mp4" },
  film2: { kind: "video", mimeType: "video/webm" },
  frame: { kind: "image", mimeType: "image/avif" },
  frame2: { kind: "image", mimeType: "image/gif" },
  song: { kind: "audio", mimeType: "audio/mpeg" },
  song2: { kind: "audio", mimeType: "audio/wav" },
  sound: { kind: "video", mimeType: "video/mp4", tracks: "audio" },
  words: { kind: "text", mimeType: "text/vtt" },
  scene: { kind: "3d", mimeType: "model/gltf-binary" },
  away: {
    kind: "image",
    mimeType: "image/png",
    error: new SafelightError({ code: "media_download_failed", message: "away" }),
  },
}

interface World {
  readonly scene: Scene
  readonly asked: readonly (readonly ArtifactKind[])[]
  told(message: string): readonly object[]
  run(parameters?: ParameterValues): Promise<Task>
}

async function* all(bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes
}

const linked = (name: string): ChannelOutput => ({ url: `https://films.example/${name}` })
const opened = (mimeType: string, ...bytes: readonly Uint8Array[]): ChannelOutput => ({
  mimeType,
  open: () => all(bytes.length === 0 ? [Buffer.from(mimeType)] : bytes),
})
const completed = (...names: readonly string[]): Completed => ({
  kind: "completed",
  outputs: names.map(linked),
})

function createWorld(
  model: Model,
  answer: Completed,
  things: Readonly<Record<string, Thing>> = THINGS,
): World {
  const asked: (readonly ArtifactKind[])[] = []
  const tracks = new Map<number, MediaKind>()
  const media: MediaSource = {
    async open({ kinds, url }) {
      const name = new URL(url).pathname.slice(1)
      const {
        bytes = [Buffer.from(name.padEnd(20 + tracks.size, "."))],
        error,
        ...thing
      } = things[name] ?? assert.fail(name)
      asked.push(kinds)
      if (error !== undefined) throw error
      if (!kinds.includes(thing.kind)) {
        throw new SafelightError({ code: "unsupported_media_type", message: name })
      }
      tracks.set(Buffer.concat(bytes).length, thing.tracks ?? (thing.kind as MediaKind))
      return { ...thing, body: all(bytes) }
    },
  }
  const inspector: MediaInspector = {
    async inspect({ bytes, kinds }) {
      const kind = tracks.get(bytes) ?? kinds[0] ?? assert.fail()
      if (!kinds.includes(kind)) {
        throw new SafelightError({ code: "media_unreadable", message: "no such track" })
      }
      return { kind, mimeType: `${kind}/mp4`, durationMs: 4_020 }
    },
    close: async () => {},
  }
  const { entries, log } = createLogRecorder()
  const polls = Array.from({ length: 2_000 }, () => answer)
  const channel: Channel = {
    ...createScriptedChannel({ submits: [ACCEPTED], polls }),
    outputOrigins: { hosts: ["films.example"] },
  }
  const scene = createScene({
    channels: [{ channel }],
    models: [model],
    prices: [{ version: "1", models: { "model-a": PRICES[toMainKind(model)] } }],
    media,
    inspector,
    log,
  })
  return {
    scene,
    asked,
    told: (message) =>
      entries.filter((entry) => entry.message === message).map(({ fields: told }) => told),
    async run(parameters = { prompt: "fog" }) {
      const { id } = await scene.submit(parameters)
      for (let minutes = 0; minutes < 100; minutes += 1) {
        // oxlint-disable-next-line no-await-in-loop
        await scene.clock.advance(MINUTE_MS)
        // oxlint-disable-next-line no-await-in-loop
        await scene.engine.sweep()
      }
      return scene.read(id)
    },
  }
}

const list = ({ artifacts }: Task): readonly unknown[] =>
  artifacts.map(({ durationMs, key, mimeType, type }) => [key, type, mimeType, durationMs])

describe("a model that makes several kinds", () => {
  it("has each output by its own bytes, in the channel's order, charged by its main kind", async () => {
    const world = createWorld(makes(["video", "image"]), completed("frame", "film"))
    const task = await world.run()
    assert.deepEqual(list(task), [
      ["image_1", "image", "image/avif", null],
      ["video", "video", "video/mp4", 4_020],
    ])
    assert.deepEqual(task.usage, { images: 1, inputVideosMs: [], outputVideoMs: 4_020 })
    assert.equal(task.chargeMicros, 402_000)
    assert.deepEqual(world.asked[0], ["video", "image"])
    assert.deepEqual(world.told("outputs lacking"), [])
  })

  it("counts the keys of each kind for itself", async () => {
    const counts = { audio: 2, image: 2, text: 1, "3d": 1 }
    const model = makes(["audio", "image", "text", "3d"], { counts: () => counts })
    const answer = completed("frame", "song", "words", "song2", "scene", "frame2")
    const task = await createWorld(model, answer).run()
    assert.deepEqual(
      task.artifacts.map(({ key }) => key),
      ["image_1", "audio", "text", "audio_2", "3d", "image_2"],
    )
    assert.deepEqual(task.usage, {
      images: 2,
      inputVideosMs: [],
      outputAudioMs: 8_040,
      outputVideoMs: 0,
    })
  })

  it("drops what goes beyond the counts of each kind, and removes it", async () => {
    const answer = completed("frame", "film", "frame2", "film2")
    const world = createWorld(makes(["video", "image"]), answer)
    const task = await world.run()
    assert.deepEqual(
      task.artifacts.map(({ key, mimeType }) => [key, mimeType]),
      [
        ["image_1", "image/avif"],
        ["video", "video/mp4"],
      ],
    )
    assert.equal(world.scene.artifacts.locators.size, 2)
    assert.deepEqual(world.told("surplus outputs"), [{ task: task.id, outputs: 4, stored: 2 }])
    assert.deepEqual(world.told("outputs lacking"), [])
  })

  it("fetches no more than a few beyond what was asked for", async () => {
    const answer = completed("film", ...Array.from({ length: 50 }, () => "frame"))
    const world = createWorld(makes(["video", "image"]), answer)
    await world.run()
    assert.equal(world.asked.length, 10)
  })

  it("fails without its main kind, and leaves nothing behind", async () => {
    const world = createWorld(makes(["video", "image"]), completed("frame", "frame2"))
    const task = await world.run()
    assert.deepEqual([task.error?.code, task.chargeMicros], ["no_output", 0])
    assert.equal(world.scene.artifacts.locators.size, 0)
  })

  it("fails at its end where the main kind can't be had", async () => {
    const things = { ...THINGS, film: { ...THINGS["away"], kind: "video" } as Thing }
    const world = createWorld(makes(["video", "image"]), completed("frame", "film"), things)
    const task = await world.run()
    assert.deepEqual([task.error?.code, task.chargeMicros], ["no_output", 0])
    assert.equal(world.scene.artifacts.locators.size, 0)
  })

  const extras = [
    ["was not made", completed("film")],
    ["can't be had", completed("film", "away")],
  ] as const
  for (const [words, answer] of extras) {
    it(`succeeds where an extra ${words}, and says so`, async () => {
      const world = createWorld(makes(["video", "image"]), answer)
      const task = await world.run()
      assert.deepEqual(list(task), [["video", "video", "video/mp4", 4_020]])
      const [told, ...others] = world.told("outputs lacking") as Record<string, unknown>[]
      assert.deepEqual(others, [])
      assert.deepEqual(told?.["lacking"], ["image"])
      assert.deepEqual([told?.["outputs"], told?.["stored"]], [answer.outputs.length, 1])
    })
  }

  it("succeeds at once where what was asked for is there, though a surplus can't be had", async () => {
    const world = createWorld(makes(["video", "image"]), completed("film", "frame", "away"))
    const task = await world.run()
    assert.equal(task.artifacts.length, 2)
    assert.ok(task.finishedAt - task.createdAt < MINUTE_MS)
  })

  it("lets the tracks of a container decide whether it is a video or a sound", async () => {
    const model = makes(["video", "audio"])
    const task = await createWorld(model, completed("sound", "film")).run()
    assert.deepEqual(list(task), [
      ["audio", "audio", "audio/mp4", 4_020],
      ["video", "video", "video/mp4", 4_020],
    ])
  })

  it("takes what a channel opens for the kind of its declared type", async () => {
    const outputs = [
      opened("Application/JSON; charset=utf-8"),
      opened("image/png"),
      opened("audio/ogg; codecs=opus"),
      opened("model/gltf-binary"),
      opened("application/zip"),
    ]
    const model = makes(["audio", "image", "text", "3d"])
    const world = createWorld(model, { kind: "completed", outputs })
    const task = await world.run()
    assert.deepEqual(list(task), [
      ["text", "text", "application/json", null],
      ["image_1", "image", "image/png", null],
      ["audio", "audio", "audio/ogg; codecs=opus", 4_020],
      ["3d", "3d", "model/gltf-binary", null],
    ])
  })

  it("is no sound or text larger than those may be, whatever a video may be", async () => {
    const bytes = Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024, 32))
    const things = { ...THINGS, words: { kind: "text", mimeType: "text/plain", bytes } as const }
    const world = createWorld(makes(["video", "text"]), completed("film", "words"), things)
    const task = await world.run()
    assert.deepEqual(
      task.artifacts.map(({ key }) => key),
      ["video"],
    )
  })
})

describe("a model that makes one of the newer kinds", () => {
  it("has its sound measured and charged by the second", async () => {
    const task = await createWorld(makes(["audio"]), completed("song")).run()
    assert.deepEqual(list(task), [["audio", "audio", "audio/mpeg", 4_020]])
    assert.deepEqual(task.usage, {
      images: 0,
      inputVideosMs: [],
      outputAudioMs: 4_020,
      outputVideoMs: 0,
    })
    assert.equal(task.chargeMicros, 4_020)
  })

  for (const name of ["words", "scene"]) {
    it(`has ${name} of which nothing is measured`, async () => {
      const kind = THINGS[name]?.kind ?? assert.fail()
      const task = await createWorld(makes([kind]), completed(name)).run()
      assert.deepEqual(list(task), [[kind, kind, THINGS[name]?.mimeType, null]])
      assert.equal(task.chargeMicros, 500)
    })
  }

  const wrong = [
    ["is no UTF-8", [Buffer.from("caf\xe9 au lait", "latin1")]],
    ["breaks off within a character", [Buffer.from("café").subarray(0, 4)]],
    ["is empty", [Buffer.alloc(0)]],
  ] as const
  for (const [words, bytes] of wrong) {
    it(`fails where its text ${words}`, async () => {
      const outputs = [opened("text/plain", ...bytes)]
      const world = createWorld(makes(["text"]), { kind: "completed", outputs })
      const task = await world.run()
      assert.equal(task.error?.code, "no_output")
      assert.equal(world.scene.artifacts.locators.size, 0)
    })
  }

  it("has a text whose characters are torn between chunks, and is no page whatever it is called", async () => {
    const words = Buffer.from("<p>café</p>")
    const outputs = [opened("text/html", words.subarray(0, 7), words.subarray(7))]
    const task = await createWorld(makes(["text"]), { kind: "completed", outputs }).run()
    assert.deepEqual(list(task), [["text", "text", "text/plain", null]])
  })

  it("says how many characters it was given, and how many tokens its channel counted", async () => {
    const model = makes(["text"], {
      estimate: ({ prompt }) => ({
        characters: String(prompt).length,
        images: 0,
        inputVideosMs: [],
        outputVideoMs: 0,
      }),
    })
    const world = createWorld(model, { ...completed("words"), tokens: 840 })
    const task = await world.run({ prompt: "x".repeat(77) })
    assert.deepEqual(task.usage, {
      characters: 77,
      images: 0,
      inputVideosMs: [],
      outputVideoMs: 0,
      tokens: 840,
    })
    const [event] = (world.scene.storage.events.get(task.id) ?? []).slice(-1)
    assert.deepEqual([event?.type, event?.schema], ["succeeded", 3])
  })

  for (const tokens of [-1, 0.5, Number.NaN, "9"]) {
    it(`leaves out ${String(tokens)} tokens`, async () => {
      const answer = { ...completed("words"), tokens } as Completed
      const task = await createWorld(makes(["text"]), answer).run()
      assert.equal(task.state, "succeeded.available")
      assert.equal(task.usage?.tokens, undefined)
    })
  }
})
