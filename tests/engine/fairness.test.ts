/** Fairness: whose waiting task is started next, by turns and weights, whoever submitted it where. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type ChannelRequest, type Model } from "@safelight/core"
import {
  createManualClock,
  createScriptedChannel,
  type ScriptedChannel,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { completed, createScene, MODEL, PRICES, type Scene } from "./support.ts"

const OTHER: Model = { ...MODEL, id: "model-b" }
const [{ models: rates }] = PRICES
const BOTH_PRICES = [{ version: "1", models: { ...rates, "model-b": rates["model-a"] } }] as const
/** How many tasks the account with the long line submits: many times more than a few steps. */
const MANY = 300
const CALL_MS = 100

/** A channel whose calls take a while, and the tasks it was asked for in order. */
function createSlow(concurrency = 1, models = ["model-a"]) {
  const started: string[] = []
  const clock = createManualClock()
  const submits = Array.from({ length: MANY * 3 }, () => async ({ task }: ChannelRequest) => {
    started.push(task)
    await clock.wait(CALL_MS)
    return completed()
  })
  return { channel: createScriptedChannel({ concurrency, models, submits }), clock, started }
}

async function submitMany(
  { engine }: Pick<Scene, "engine">,
  account: string,
  count: number,
  model = "model-a",
): Promise<readonly string[]> {
  const results = await Promise.all(
    Array.from({ length: count }, () =>
      engine.submit({ account, model, parameters: { prompt: "p" } }),
    ),
  )
  return results.map((result) => {
    assert.ok(result.kind === "submitted")
    return result.task.id
  })
}

/** How many starts came between `since` of them and the task's. */
function countBefore(started: readonly string[], since: number, [task = ""]: readonly string[]) {
  const position = started.indexOf(task)
  assert.ok(position >= 0, "the task was never started")
  return position - since
}

function createNode(channel: ScriptedChannel, { clock, storage, artifacts }: Scene): Scene {
  return createScene({ channels: [channel], clock, storage, artifacts })
}

describe("an account's first task", () => {
  it("is started within a few steps, however long another account's line is", async () => {
    const { channel, clock, started } = createSlow()
    const scene = createScene({ channels: [channel], clock })
    await submitMany(scene, "ada", MANY)
    await clock.advance(20 * CALL_MS)
    const since = started.length
    const bob = await submitMany(scene, "bob", 1)
    await clock.advance(10 * CALL_MS)
    assert.ok(countBefore(started, since, bob) <= 3)
  })

  it("is so after a restart too, by an engine that gave none of the turns", async () => {
    const { channel, clock, started } = createSlow()
    const first = createScene({ channels: [channel], clock })
    await submitMany(first, "ada", MANY)
    await clock.advance(20 * CALL_MS)
    const stopped = first.engine.stop()
    await clock.advance(CALL_MS)
    await stopped
    const scene = createNode(channel, first)
    await clock.advance(CALL_MS)
    await submitMany(scene, "ada", MANY)
    const since = started.length
    const bob = await submitMany(scene, "bob", 3)
    await clock.advance(20 * CALL_MS)
    assert.ok(countBefore(started, since, bob) <= 3)
    assert.ok(countBefore(started, since, bob.slice(2)) <= 8)
  })

  it("is so where a process takes submissions that carries out none", async () => {
    const { channel, clock, started } = createSlow()
    const worker = createScene({ channels: [channel], clock })
    const { artifacts, storage } = worker
    const channels = [createScriptedChannel()]
    const api = createScene({ channels, clock, artifacts, storage, isStarted: false })
    await submitMany(api, "ada", MANY)
    await clock.advance(50 * CALL_MS)
    const since = started.length
    const bob = await submitMany(api, "bob", 1)
    await clock.advance(20 * CALL_MS)
    assert.ok(countBefore(started, since, bob) <= 3)
  })

  it("is not started before all others' because an account without room waits in front", async () => {
    const { channel, clock, started } = createSlow()
    const worker = createScene({ channels: [channel], clock })
    const { artifacts, storage } = worker
    await storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks: 0 } })
    const channels = [createScriptedChannel()]
    const api = createScene({ channels, clock, artifacts, storage, isStarted: false })
    await submitMany(api, "ada", 10)
    await clock.advance(20_000)
    const carl = new Set(await submitMany(api, "carl", MANY))
    await clock.advance(100 * CALL_MS)
    const since = started.length
    // One that took none of the submissions before.
    const other = createScene({ channels, clock, artifacts, storage, isStarted: false })
    await submitMany(other, "bob", 60)
    await clock.advance(40 * CALL_MS)
    const next = started.slice(since, since + 30)
    const carls = next.filter((id) => carl.has(id)).length
    assert.ok(carls >= 12 && carls <= 18, `${carls} of ${next.length} are carl's`)
  })

  it("is so where the line is of another model on the same channel", async () => {
    const { channel, clock, started } = createSlow(1, ["model-a", "model-b"])
    const scene = createScene({
      channels: [channel],
      clock,
      models: [MODEL, OTHER],
      prices: BOTH_PRICES,
    })
    await submitMany(scene, "ada", MANY, "model-a")
    await clock.advance(20 * CALL_MS)
    const since = started.length
    const bob = await submitMany(scene, "bob", 1, "model-b")
    await clock.advance(10 * CALL_MS)
    assert.ok(countBefore(started, since, bob) <= 3)
  })

  it("does not wait behind one that asked before it on a model of its own channel", async () => {
    const storage = createMemoryStorage()
    const artifacts = createMemoryArtifacts()
    const { channel, clock, started } = createSlow()
    const never = (): Promise<never> => new Promise(() => {})
    const stuck = createScriptedChannel({
      name: "stuck",
      concurrency: 1,
      models: ["model-b"],
      submits: [never],
    })
    const channels = [channel, stuck]
    const scene = createScene({
      channels,
      clock,
      storage,
      artifacts,
      models: [MODEL, OTHER],
      prices: BOTH_PRICES,
    })
    await submitMany(scene, "ada", MANY, "model-b")
    await submitMany(scene, "ada", 20, "model-a")
    const bob = await submitMany(scene, "bob", 1, "model-a")
    await clock.advance(10 * CALL_MS)
    assert.ok(countBefore(started, 0, bob) <= 3)
  })
})

describe("accounts that all have a line", () => {
  async function countStarts(weights: Readonly<Record<string, number>>) {
    const { channel, clock, started } = createSlow()
    const scene = createScene({ channels: [channel], clock })
    const owners = new Map<string, string>()
    for (const [id, weight] of Object.entries(weights)) {
      await scene.storage.setAccount({ id, now: clock.now(), settings: { weight } })
      for (const task of await submitMany(scene, id, MANY)) owners.set(task, id)
    }
    await clock.advance(100 * CALL_MS)
    const counts = Map.groupBy(started.slice(0, 80), (task) => owners.get(task))
    return Object.fromEntries([...counts].map(([id, tasks]) => [id, tasks.length]))
  }

  it("take turns", async () => {
    const { ada = 0, bob = 0 } = await countStarts({ ada: 1, bob: 1 })
    assert.equal(ada + bob, 80)
    assert.ok(Math.abs(ada - bob) <= 3, `${ada} and ${bob}`)
  })

  it("take turns also where one of them came later, with a line as long", async () => {
    const { channel, clock, started } = createSlow()
    const scene = createScene({ channels: [channel], clock })
    const ada = new Set(await submitMany(scene, "ada", MANY))
    await clock.advance(60 * CALL_MS)
    const since = started.length
    await submitMany(scene, "bob", MANY)
    await clock.advance(50 * CALL_MS)
    const adaStarts = started.slice(since, since + 40).filter((task) => ada.has(task)).length
    assert.ok(Math.abs(adaStarts - 20) <= 3, `${adaStarts} of 40`)
  })

  it("are started in proportion to their weights", async () => {
    const { ada = 0, bob = 0, eve = 0 } = await countStarts({ ada: 1, bob: 3, eve: 4 })
    assert.ok(Math.abs(ada - 10) <= 2, `${ada} of weight 1`)
    assert.ok(Math.abs(bob - 30) <= 3, `${bob} of weight 3`)
    assert.ok(Math.abs(eve - 40) <= 3, `${eve} of weight 4`)
  })
})

describe("a weight that can't be read", () => {
  it("keeps nobody from submitting", async () => {
    const { channel, clock } = createSlow()
    const scene = createScene({ channels: [channel], clock })
    await clock.advance(0)
    scene.storage.findAccount = () =>
      Promise.reject(new SafelightError({ code: "storage-unavailable", message: "down" }))
    const ids = await submitMany(scene, "ada", 3)
    assert.equal(ids.length, 3)
  })
})
