/** A purchase of several pictures of which one can't be had: the others are fetched once, and delivered. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  SafelightError,
  type Channel,
  type ChannelOutput,
  type MediaInspector,
  type MediaSource,
  type SafelightErrorCode,
} from "@safelight/core"
import { createScriptedChannel, type ScriptedChannelOptions } from "@safelight/testkit"
import { createLogRecorder, type LogRecorder } from "./log-recorder.ts"
import { createScene, type Scene } from "./support.ts"

const ACCEPTED = { kind: "accepted", operation: "op-7" } as const
const MINUTE_MS = 60_000

const fault = (code: SafelightErrorCode): SafelightError =>
  new SafelightError({ code, message: "as a test wants it" })

interface World extends Pick<LogRecorder, "entries"> {
  readonly scene: Scene
  /** How often each picture was asked for. */
  readonly asked: Map<string, number>
  /** How each picture fails, if it does. */
  readonly faults: Map<string, SafelightError>
  /** The bytes of the pictures that a task has, in order. */
  pictures(id: string): Promise<readonly (string | undefined)[]>
  submit(): Promise<string>
}

const inspector: MediaInspector = {
  inspect: () => Promise.reject(new Error("a picture is not measured")),
  close: async () => {},
}

function createWorld(script: ScriptedChannelOptions): World {
  const asked = new Map<string, number>()
  const faults = new Map<string, SafelightError>()
  const media: MediaSource = {
    async open({ url }) {
      const name = new URL(url).pathname.slice(1)
      asked.set(name, (asked.get(name) ?? 0) + 1)
      const error = faults.get(name)
      if (error !== undefined) throw error
      return { kind: "image", mimeType: "image/avif", body: once(name) }
    },
  }
  const { entries, log } = createLogRecorder()
  const channel: Channel = {
    ...createScriptedChannel(script),
    outputOrigins: { hosts: ["pictures.example"] },
  }
  const costs = { "model-a": { perImageMicros: 7_000 } }
  const scene = createScene({ channels: [{ channel, costs }], media, inspector, log })
  return {
    asked,
    entries,
    faults,
    scene,
    async pictures(id) {
      const { artifacts } = await scene.read(id)
      return artifacts.map(({ locator }) => scene.artifacts.locators.get(locator)?.toString())
    },
    submit: async () => (await scene.submit({ prompt: "fog", count: 4 })).id,
  }
}

async function* once(words: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(words)
}

/** Each time signed anew, as a bucket's addresses are. */
let signatures = 0
const picture = (name: string): ChannelOutput => {
  signatures += 1
  return { url: `https://pictures.example/${name}?signature=${signatures}` }
}
const completed = (...names: readonly string[]) =>
  ({ kind: "completed", outputs: names.map(picture) }) as const
const four = () => completed("a", "b", "c", "d")
const often = <Item>(toItem: () => Item): Item[] => Array.from({ length: 500 }, toItem)

/** Lets time pass for an hour and a half past the task's end, with sweeps. */
async function passEnd({ clock, engine }: Scene): Promise<void> {
  for (let minutes = 0; minutes < 100; minutes += 1) {
    await clock.advance(MINUTE_MS)
    await engine.sweep()
  }
}

describe("pictures of which one can't be had", () => {
  for (const missing of ["a", "b", "d"]) {
    it(`are fetched once each, delivered at the task's end and charged, without "${missing}"`, async () => {
      const world = createWorld({ submits: [ACCEPTED], polls: often(four) })
      const { asked, entries, faults, scene } = world
      faults.set(missing, fault("media_download_failed"))
      const id = await world.submit()
      await scene.clock.advance(9 * MINUTE_MS)
      assert.equal((await scene.read(id)).state, "running")
      await passEnd(scene)
      const { artifacts, chargeMicros, state, usage } = await scene.read(id)
      const others = ["a", "b", "c", "d"].filter((name) => name !== missing)
      assert.equal(state, "succeeded.available")
      assert.deepEqual(await world.pictures(id), others)
      assert.deepEqual(
        artifacts.map(({ key }) => key),
        ["image_1", "image_2", "image_3"],
      )
      assert.deepEqual([usage?.images, chargeMicros], [3, 90_000])
      for (const name of others) assert.equal(asked.get(name), 1, `fetches of ${name}`)
      assert.equal(scene.artifacts.locators.size, 3)
      const told = entries.filter(({ message }) => message === "outputs lacking")
      assert.deepEqual(
        told.map(({ level, fields }) => [level, fields]),
        [
          [
            "error",
            {
              task: id,
              channel: "scripted",
              operation: "op-7",
              outputs: 4,
              stored: 3,
              error: faults.get(missing),
            },
          ],
        ],
      )
    })
  }

  it("are ended soon after the task's end, and cost their operator all that was made", async () => {
    const world = createWorld({ submits: [ACCEPTED], polls: often(four) })
    const { faults, scene } = world
    faults.set("d", fault("media_download_failed"))
    const id = await world.submit()
    await passEnd(scene)
    const { endBy, finishedAt } = await scene.read(id)
    assert.ok(finishedAt - endBy <= 11 * MINUTE_MS, `${finishedAt - endBy} ms after the end`)
    const succeeded = scene.history(id).find(({ type }) => type === "succeeded")
    assert.ok(succeeded?.type === "succeeded")
    assert.deepEqual(succeeded.data.cost, { computedMicros: 28_000, told: null })
  })

  it("are all delivered where the last one comes some minutes past the task's end", async () => {
    const world = createWorld({ submits: [ACCEPTED], polls: often(four) })
    const { asked, faults, scene } = world
    faults.set("d", fault("media_download_failed"))
    const id = await world.submit()
    await scene.clock.advance(13 * MINUTE_MS)
    assert.equal((await scene.read(id)).state, "running")
    faults.clear()
    await scene.clock.advance(2 * MINUTE_MS)
    assert.deepEqual(await world.pictures(id), ["a", "b", "c", "d"])
    assert.equal(asked.get("a"), 1)
    assert.equal((await scene.read(id)).chargeMicros, 120_000)
  })

  it("are delivered at the task's end where they came at once, without an operation", async () => {
    const world = createWorld({ submits: [four()] })
    const { asked, faults, scene } = world
    faults.set("c", fault("media_download_failed"))
    const id = await world.submit()
    await passEnd(scene)
    assert.deepEqual(await world.pictures(id), ["a", "b", "d"])
    assert.deepEqual([(await scene.read(id)).chargeMicros, asked.get("a")], [90_000, 1])
  })

  it("are delivered where one is of no use", async () => {
    const world = createWorld({ submits: [ACCEPTED], polls: often(four) })
    world.faults.set("b", fault("unsupported_media_type"))
    const id = await world.submit()
    await world.scene.clock.advance(8 * MINUTE_MS)
    assert.deepEqual(await world.pictures(id), ["a", "c", "d"])
  })

  const forgotten = [
    ["refuses the work", { kind: "refused", code: "provider_rejected" }],
    ["has no outputs any more", completed()],
    ["proves that there is nothing", { kind: "not-created", reason: "gone" }],
  ] as const
  for (const [words, answer] of forgotten) {
    it(`are delivered where their provider ${words} by then`, async () => {
      const world = createWorld({ submits: [ACCEPTED], polls: [four(), four(), answer] })
      world.faults.set("b", fault("media_download_failed"))
      const id = await world.submit()
      await world.scene.clock.advance(MINUTE_MS)
      assert.deepEqual(await world.pictures(id), ["a", "c", "d"])
      assert.equal((await world.scene.read(id)).chargeMicros, 90_000)
    })
  }

  it("are delivered where their provider answers no more", async () => {
    const world = createWorld({
      submits: [ACCEPTED],
      polls: [four(), ...often(() => fault("channel-unavailable"))],
    })
    world.faults.set("b", fault("media_download_failed"))
    const id = await world.submit()
    await passEnd(world.scene)
    assert.deepEqual(await world.pictures(id), ["a", "c", "d"])
  })

  it("are fetched anew where another lies at their place by then", async () => {
    const world = createWorld({
      submits: [ACCEPTED],
      polls: [four(), ...often(() => completed("d", "b", "c", "a"))],
    })
    const { asked, faults, scene } = world
    faults.set("b", fault("media_download_failed"))
    const id = await world.submit()
    await scene.clock.advance(1_500)
    faults.clear()
    await scene.clock.advance(MINUTE_MS)
    assert.deepEqual(await world.pictures(id), ["d", "b", "c", "a"])
    assert.deepEqual([asked.get("a"), asked.get("c")], [2, 1])
    assert.equal(scene.artifacts.locators.size, 4)
  })

  it("are removed where the task is ended without them", async () => {
    const world = createWorld({ submits: [ACCEPTED], polls: often(four) })
    const { faults, scene } = world
    for (const name of ["a", "b", "c", "d"]) faults.set(name, fault("media_download_failed"))
    const id = await world.submit()
    await passEnd(scene)
    const { chargeMicros, error } = await scene.read(id)
    assert.deepEqual([error?.code, chargeMicros], ["no_output", 0])
    assert.equal(scene.artifacts.locators.size, 0)
  })
})
