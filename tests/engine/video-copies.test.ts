/** The copies of the videos that a task refers to: what was measured is what its provider gets. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  DEFAULT_PRICES,
  referenceToVideo,
  type ChannelRequest,
  type MediaInspector,
  type MediaSource,
  type SubmitOutcome,
} from "@safelight/core"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { createScene, type Scene, type SceneOptions } from "./support.ts"

const PUBLIC_URL = "https://safelight.example/api"
const FIRST = "https://v.example/first"
const SECOND = "https://v.example/second"
const INLINE = "data:video/mp4;base64,MjUwMA=="
const ACCEPTED = { kind: "accepted", operation: "op-7" } as const
const DAY_MS = 86_400_000

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const FILM = {
  kind: "completed",
  outputs: [{ mimeType: "video/mp4", open: () => once("5000") }],
} as const

/** A video is the number of its milliseconds; what is at an address is another one with each look. */
interface Ports {
  readonly fetched: string[]
  readonly media: MediaSource
  readonly inspector: MediaInspector
}

function createPorts(): Ports {
  const fetched: string[] = []
  return {
    fetched,
    media: {
      async open({ url, kinds: [kind = "image"] }) {
        fetched.push(url)
        return { kind, mimeType: `${kind}/mp4`, body: once(String(fetched.length * 1_000)) }
      },
    },
    inspector: {
      async inspect({ bytes, read }) {
        const durationMs = Number(Buffer.from(await read(0, bytes)).toString())
        return { kind: "video", mimeType: "video/mp4", durationMs }
      },
      close: async () => {},
    },
  }
}

interface World extends Ports {
  readonly scene: Scene
  readonly asked: ChannelRequest[]
}

interface WorldOptions extends Partial<SceneOptions> {
  readonly submits?: readonly SubmitOutcome[]
  readonly polls?: NonNullable<Parameters<typeof createScriptedChannel>[0]>["polls"]
  readonly ports?: Ports
  /** Whether providers reach the service; they do unless said otherwise. */
  readonly isPublic?: boolean
}

const quiet = (): Promise<never> => new Promise(() => {})

/** Its channel accepts what it is asked, and says nothing more unless told otherwise. */
function createWorld({
  isPublic = true,
  polls = [quiet],
  ports = createPorts(),
  submits = [ACCEPTED],
  ...options
}: WorldOptions = {}): World {
  const asked: ChannelRequest[] = []
  const channel: ScriptedChannel = createScriptedChannel({
    models: [referenceToVideo.id],
    polls,
    submits: submits.map((outcome) => (request) => {
      asked.push(request)
      return outcome
    }),
  })
  const { inspector, media } = ports
  const scene = createScene({
    channels: [channel],
    inspector,
    media,
    models: [referenceToVideo],
    prices: DEFAULT_PRICES,
    ...(isPublic && { publicUrl: PUBLIC_URL }),
    ...options,
  })
  return { ...ports, scene, asked }
}

async function submit({ scene }: World, ...videos: readonly string[]): Promise<string> {
  const parameters = { prompt: "fog", duration: 5, image_urls: [FIRST], video_urls: videos }
  const { id: model } = referenceToVideo
  const sent = await scene.engine.submit({ account: "ada", model, parameters })
  assert.ok(sent.kind === "submitted")
  await scene.clock.advance(1_000)
  return sent.task.id
}

const toVideos = ({ parameters }: ChannelRequest): readonly string[] =>
  parameters["video_urls"] as readonly string[]

/** What whoever has the address gets. */
async function fetchInput({ engine }: Scene, address = ""): Promise<string> {
  const prefix = `${PUBLIC_URL}/v1/inputs/`
  assert.ok(address.startsWith(prefix), address)
  const claim = await engine.verifyInput(address.slice(prefix.length))
  if (claim === undefined || claim === "gone") return claim ?? "unknown"
  const input = await engine.readInput(claim)
  if (input === undefined || input === "gone") return input ?? "unknown"
  if ("content" in input) return Buffer.from(input.content).toString()
  assert.equal(input.mimeType, "video/mp4")
  const reader = await input.open({ start: 0, end: input.bytes - 1 })
  if (reader === "gone") return reader
  const bytes = new Uint8Array(input.bytes)
  await reader.read(bytes)
  await reader.close()
  return Buffer.from(bytes).toString()
}

async function openInput({ inputs }: ChannelRequest, url = ""): Promise<string> {
  const { body } = await inputs.open({ url, signal: new AbortController().signal })
  let text = ""
  for await (const chunk of body) text += Buffer.from(chunk).toString()
  return text
}

describe("the video at a caller's own address", () => {
  it("is got by its provider as it was measured, whatever the caller's server shows by then", async () => {
    const world = createWorld()
    const { asked, fetched, scene } = world
    await submit(world, FIRST, INLINE, SECOND)
    const [request] = asked
    assert.ok(request !== undefined)
    const [first, inline, second] = toVideos(request)
    // The request holds that one itself, and a picture is measured by nobody.
    assert.deepEqual([inline, request.parameters["image_urls"]], [INLINE, [FIRST]])
    assert.deepEqual(fetched, [FIRST, INLINE, SECOND])
    for (const [address, text] of [
      [first, "1000"],
      [second, "3000"],
    ]) {
      assert.equal(await fetchInput(scene, address), text)
      assert.equal(await request.inputs.link(address ?? ""), address)
      assert.equal(await openInput(request, address), text)
    }
    assert.equal(fetched.length, 3)
  })

  it("is opened as it was measured also where no address leads here, and named by the caller's then", async () => {
    const world = createWorld({ isPublic: false })
    const { asked, fetched } = world
    await submit(world, FIRST)
    const [request] = asked
    assert.ok(request !== undefined)
    assert.deepEqual(toVideos(request), [FIRST])
    assert.equal(await openInput(request, FIRST), "1000")
    assert.deepEqual(fetched, [FIRST])
  })

  it("is fetched once where it is named twice, and is one copy", async () => {
    const world = createWorld({ polls: [FILM] })
    const id = await submit(world, FIRST, FIRST)
    await world.scene.clock.advance(5_000)
    const [first, again] = toVideos(world.asked[0] ?? assert.fail())
    assert.equal(first, again)
    assert.deepEqual(world.fetched, [FIRST])
    assert.deepEqual((await world.scene.read(id)).usage?.inputVideosMs, [1_000, 1_000])
  })

  it("is at the same address for a repeat by another process, and is not fetched again", async () => {
    const lost: SubmitOutcome = { kind: "not-created", reason: "provider_failed" }
    const world = createWorld({ submits: [lost], settings: { backoffMs: 5_000 } })
    await submit(world, FIRST)
    await world.scene.engine.stop()
    const { artifacts, clock, storage } = world.scene
    const next = createWorld({ ports: world, artifacts, clock, storage })
    await clock.advance(60_000)
    const [before] = toVideos(world.asked[0] ?? assert.fail())
    const [after] = toVideos(next.asked[0] ?? assert.fail())
    assert.equal(after, before)
    assert.equal(await fetchInput(next.scene, after), "1000")
    assert.deepEqual(world.fetched, [FIRST])
  })

  it("is kept here for its task's time alone", async () => {
    const world = createWorld({ polls: [FILM] })
    const id = await submit(world, FIRST, SECOND)
    await world.scene.clock.advance(5_000)
    const { artifacts } = await world.scene.read(id)
    assert.deepEqual([...world.scene.artifacts.locators.keys()], [artifacts[0]?.locator])
    const [first] = toVideos(world.asked[0] ?? assert.fail())
    assert.equal(await fetchInput(world.scene, first), "gone")
  })

  it("goes with its task's orphans where another process ended the task", async () => {
    const world = createWorld()
    const id = await submit(world, FIRST)
    await world.scene.engine.stop()
    const { artifacts, clock, storage } = world.scene
    assert.equal(artifacts.locators.size, 1)
    const { scene } = createWorld({ polls: [], artifacts, clock, storage, isStarted: false })
    const { endBy } = await scene.read(id)
    await scene.engine.sweep(endBy + 3_600_000)
    assert.equal((await scene.read(id)).state, "failed")
    await scene.engine.sweep(endBy + 3_600_000 + DAY_MS)
    assert.equal(artifacts.locators.size, 0)
  })

  it("is removed with the request when that is erased", async () => {
    const world = createWorld()
    const { asked, scene } = world
    const id = await submit(world, FIRST)
    assert.equal(scene.artifacts.locators.size, 1)
    assert.equal(await scene.engine.erase({ account: "ada", id }), true)
    assert.equal(scene.artifacts.locators.size, 0)
    const [first] = toVideos(asked[0] ?? assert.fail())
    assert.equal(await fetchInput(scene, first), "gone")
  })

  it("is the caller's to serve where an earlier release measured it and kept no copy", async () => {
    const lost: SubmitOutcome = { kind: "not-created", reason: "provider_failed" }
    const world = createWorld({ submits: [lost], settings: { backoffMs: 5_000 } })
    const id = await submit(world, FIRST)
    await world.scene.engine.stop()
    const { artifacts, clock, storage } = world.scene
    const { readInput } = storage
    storage.readInput = async (request) => {
      const input = await readInput(request)
      return input && request.name === "measured"
        ? { ...input, body: '{"videosMs":[6000]}' }
        : input
    }
    const next = createWorld({ polls: [FILM], artifacts, clock, storage })
    await clock.advance(60_000)
    assert.deepEqual(toVideos(next.asked[0] ?? assert.fail()), [FIRST])
    assert.deepEqual((await next.scene.read(id)).usage?.inputVideosMs, [6_000])
  })
})
