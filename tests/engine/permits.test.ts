/** Permits: how many tasks of a channel or an account are worked on at once, over all processes. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { ChannelRequest, Model } from "@safelight/core"
import {
  createManualClock,
  createScriptedChannel,
  type ManualClock,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { createPausable } from "./pausable.ts"
import { completed, createScene, MODEL, PRICES, type Scene, type SceneOptions } from "./support.ts"

const CALL_MS = 500
const quiet = (): Promise<never> => new Promise(() => {})

/** What is under way over all processes, by account and by process. */
interface Gauge {
  readonly most: Map<string, number>
  readonly calls: Map<string, number>
  enter(name: string): void
  leave(name: string): void
}

function createGauge(): Gauge {
  const now = new Map<string, number>()
  const most = new Map<string, number>()
  const calls = new Map<string, number>()
  function add(map: Map<string, number>, name: string, count: number): number {
    const sum = (map.get(name) ?? 0) + count
    map.set(name, sum)
    return sum
  }
  return {
    most,
    calls,
    enter(name) {
      add(calls, name, 1)
      most.set(name, Math.max(most.get(name) ?? 0, add(now, name, 1)))
    },
    leave: (name) => void add(now, name, -1),
  }
}

interface Nodes {
  readonly clock: ManualClock
  readonly gauge: Gauge
  readonly storage: ReturnType<typeof createMemoryStorage>
  /** A process named `name` with a channel of that concurrency over all of them. */
  start(name: string, more?: Partial<SceneOptions>): Scene
  readonly owners: Map<string, string>
}

function createNodes(concurrency: number): Nodes {
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  const gauge = createGauge()
  const owners = new Map<string, string>()
  function start(name: string, more: Partial<SceneOptions> = {}): Scene {
    const submits = Array.from({ length: 500 }, () => async ({ task }: ChannelRequest) => {
      const owner = owners.get(task) ?? "nobody"
      for (const each of ["all", name, owner]) gauge.enter(each)
      await clock.wait(CALL_MS)
      for (const each of ["all", name, owner]) gauge.leave(each)
      return completed()
    })
    const channels = [createScriptedChannel({ concurrency, submits })]
    return createScene({ channels, clock, storage, artifacts, ...more })
  }
  return { clock, gauge, owners, start, storage }
}

async function submitMany(
  { engine }: Scene,
  owners: Map<string, string>,
  account: string,
  count: number,
): Promise<readonly string[]> {
  const results = await Promise.all(
    Array.from({ length: count }, () =>
      engine.submit({ account, model: "model-a", parameters: { prompt: "p" } }),
    ),
  )
  return results.map((result) => {
    assert.ok(result.kind === "submitted")
    owners.set(result.task.id, account)
    return result.task.id
  })
}

async function assertDone(scene: Scene, ids: readonly string[]): Promise<void> {
  for (const id of ids) assert.equal((await scene.read(id)).state, "succeeded.available")
}

describe("a channel's concurrency", () => {
  it("holds over all processes, and each of them has its share", async () => {
    const { clock, gauge, owners, start } = createNodes(3)
    const [one, two] = [start("one"), start("two")]
    await clock.advance(0)
    const ids = [
      ...(await submitMany(one, owners, "ada", 150)),
      ...(await submitMany(two, owners, "bob", 150)),
    ]
    await clock.advance(120_000)
    await assertDone(one, ids)
    assert.equal(gauge.most.get("all"), 3)
    for (const name of ["one", "two"]) {
      assert.ok((gauge.calls.get(name) ?? 0) >= 50, `${name} made ${gauge.calls.get(name)} calls`)
    }
  })

  it("is all there for a process alone, as soon as it has started", async () => {
    const { clock, gauge, owners, start } = createNodes(8)
    const scene = start("one")
    await clock.advance(0)
    await submitMany(scene, owners, "ada", 8)
    await clock.advance(1)
    assert.equal(gauge.most.get("all"), 8)
  })

  it("costs a process alone no question to the storage while it works", async () => {
    const { clock, owners, start, storage } = createNodes(8)
    const scene = start("one")
    await clock.advance(0)
    await clock.advance(4_000)
    let questions = 0
    for (const [name, method] of Object.entries(storage)) {
      if (typeof method !== "function" || !/^(take|release|peek|findStarted)/.test(name)) continue
      const counted = (...parameters: readonly unknown[]): unknown => {
        questions += 1
        return Reflect.apply(method, storage, parameters)
      }
      Object.assign(storage, { [name]: counted })
    }
    for (let round = 0; round < 20; round += 1) {
      await submitMany(scene, owners, "ada", 8)
      await clock.advance(CALL_MS)
    }
    assert.equal(questions, 0)
  })

  it("is divided among the processes that have it", async () => {
    const { clock, gauge, owners, start } = createNodes(4)
    const other: Model = { ...MODEL, id: "model-b" }
    const [{ models: rates }] = PRICES
    start("idle", {
      models: [other],
      prices: [{ version: "1", models: { "model-b": rates["model-a"] } }],
      channels: [createScriptedChannel({ concurrency: 4, models: ["model-b"], name: "other" })],
    })
    const busy = start("busy")
    await clock.advance(30_000)
    const ids = await submitMany(busy, owners, "bob", 40)
    await clock.advance(30_000)
    await assertDone(busy, ids)
    assert.equal(gauge.most.get("busy"), 4)
  })

  it("is handed over in part to a process that joins later, however long the line is", async () => {
    const { clock, gauge, owners, start } = createNodes(4)
    const one = start("one")
    await clock.advance(0)
    const ids = await submitMany(one, owners, "ada", 450)
    await clock.advance(10_000)
    start("two")
    await clock.advance(60_000)
    await assertDone(one, ids)
    const calls = gauge.calls.get("two") ?? 0
    assert.ok(calls >= 30, `it made ${calls} calls`)
    assert.equal(gauge.most.get("all"), 4)
  })

  it("comes back from a process that died, once its lease has expired", async () => {
    const { clock, gauge, owners, start, storage } = createNodes(3)
    const process = createPausable(clock, storage)
    const dead = start("dead", { clock: process.clock, storage: process.storage })
    await clock.advance(0)
    process.pause()
    const alive = start("alive")
    const ids = await submitMany(alive, owners, "bob", 60)
    await clock.advance(59_000)
    assert.equal(gauge.calls.get("all"), undefined, "permits of a live lease were used")
    await clock.advance(60_000)
    await assertDone(alive, ids)
    assert.equal(gauge.most.get("alive"), 3)
    // It wakes: its permits are others' now.
    process.resume()
    await submitMany(dead, owners, "ada", 60)
    await clock.advance(60_000)
    assert.equal(gauge.most.get("all"), 3)
  })
})

describe("a bound on an account's running tasks", () => {
  async function createBounded(runningTasks: number, names: readonly string[]) {
    const nodes = createNodes(8)
    const { clock, storage } = nodes
    await storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks } })
    const scenes = names.map((name) => nodes.start(name))
    await clock.advance(0)
    const [scene] = scenes
    assert.ok(scene)
    return { ...nodes, scene, scenes }
  }

  it("holds in one process, and keeps no other account waiting", async () => {
    const { clock, gauge, owners, scene, storage } = await createBounded(2, ["one"])
    const ada = await submitMany(scene, owners, "ada", 60)
    await clock.advance(1)
    const bob = await submitMany(scene, owners, "bob", 12)
    await clock.advance(4 * CALL_MS)
    await assertDone(scene, bob)
    const [measure] = await storage.measureQueue()
    assert.ok(measure && measure.held <= 8, "tasks are kept from other processes")
    await clock.advance(40 * CALL_MS)
    await assertDone(scene, ada)
    assert.equal(gauge.most.get("ada"), 2)
    assert.ok((gauge.most.get("bob") ?? 0) >= 6)
  })

  it("holds over all processes, and everything is carried out", async () => {
    const { clock, gauge, owners, scene, scenes } = await createBounded(3, ["one", "two", "three"])
    const ids: string[] = []
    for (const each of scenes) ids.push(...(await submitMany(each, owners, "ada", 30)))
    await clock.advance(120_000)
    await assertDone(scene, ids)
    assert.equal(gauge.most.get("ada"), 3)
  })

  it("has its tasks taken by processes alone that have a share of it", async () => {
    const { clock, gauge, owners, scene, storage } = await createBounded(1, ["a", "b", "c", "d"])
    await clock.advance(30_000)
    const { take } = storage
    const takers = new Map<string, Set<string>>()
    storage.take = async (request) => {
      const taken = await take(request)
      for (const { lease, task } of taken) {
        takers.set(task.account, (takers.get(task.account) ?? new Set()).add(lease))
      }
      return taken
    }
    const accounts = Array.from({ length: 12 }, (_, index) => `account-${index}`)
    const ids: string[] = []
    for (const id of accounts) {
      await storage.setAccount({ id, now: clock.now(), settings: { runningTasks: 1 } })
      ids.push(...(await submitMany(scene, owners, id, 5)))
    }
    await clock.advance(60_000)
    await assertDone(scene, ids)
    for (const id of accounts) assert.equal(gauge.most.get(id), 1)
    assert.deepEqual(
      accounts.map((id) => takers.get(id)?.size),
      accounts.map(() => 1),
    )
    assert.ok(new Set([...takers.values()].flatMap((leases) => [...leases])).size > 1)
  })

  it("holds for tasks that are handed straight to a channel", async () => {
    const { clock, gauge, owners, scene } = await createBounded(1, ["one"])
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) {
      ids.push(...(await submitMany(scene, owners, "ada", 1)))
      await clock.advance(1)
    }
    await clock.advance(10_000)
    await assertDone(scene, ids)
    assert.equal(gauge.most.get("ada"), 1)
  })

  it("that is raised or lifted is so for what waits already", async () => {
    for (const runningTasks of [6, null]) {
      const { clock, gauge, owners, scene, storage } = await createBounded(0, ["one"])
      const ids = await submitMany(scene, owners, "ada", 30)
      await clock.advance(5_000)
      assert.equal(gauge.calls.get("ada"), undefined)
      await storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks } })
      await clock.advance(40_000)
      await assertDone(scene, ids)
      assert.equal(gauge.most.get("ada"), runningTasks ?? 8)
    }
  })

  it("is left to others by a process whose channel is left alone, with what it had taken", async () => {
    const { clock, owners, start, storage } = createNodes(8)
    await storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks: 1 } })
    const reply = { kind: "not-created", reason: "down", retryAfterMs: 500_000 } as const
    const channel = createScriptedChannel({
      concurrency: 8,
      submits: Array.from({ length: 50 }, () => reply),
    })
    const ill = start("ill", { channels: [channel] })
    await clock.advance(0)
    const ids = await submitMany(ill, owners, "ada", 30)
    await clock.advance(5_000)
    start("well")
    await clock.advance(60_000)
    const tried = new Set(channel.calls.map(({ request }) => request.task))
    assert.ok(tried.size <= 10, `${tried.size} were tried by the process that can't`)
    await assertDone(
      ill,
      ids.filter((id) => !tried.has(id)),
    )
  })

  it("is given up by a process that died", async () => {
    const { clock, gauge, owners, start, storage } = createNodes(8)
    await storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks: 2 } })
    const process = createPausable(clock, storage)
    const dead = start("dead", { clock: process.clock, storage: process.storage })
    await clock.advance(0)
    await submitMany(dead, owners, "ada", 1)
    await clock.advance(1)
    process.pause()
    const alive = start("alive")
    const ids = await submitMany(alive, owners, "ada", 10)
    await clock.advance(200_000)
    await assertDone(alive, ids)
    assert.ok((gauge.most.get("ada") ?? 0) <= 2)
  })
})

describe("accounts that are full, however many", () => {
  it("delay nobody else's tasks", async () => {
    const memory = createMemoryStorage()
    const storage = { ...memory }
    let apartId = ""
    const submits = Array.from(
      { length: 500 },
      () =>
        ({ task }: ChannelRequest) =>
          task === apartId ? Promise.resolve(completed()) : quiet(),
    )
    const channel = createScriptedChannel({ concurrency: 60, submits })
    const scene = createScene({ channels: [channel], storage })
    const { clock, engine } = scene
    const parameters = { prompt: "a quiet harbour" }
    const accounts = Array.from({ length: 50 }, (_, index) => `account-${index}`)
    for (const id of accounts) {
      await storage.setAccount({ id, now: clock.now(), settings: { runningTasks: 1 } })
      await engine.submit({ account: id, model: "model-a", parameters })
      await engine.submit({ account: id, model: "model-a", parameters })
    }
    await clock.advance(1_000)
    let questions = 0
    for (const name of ["findAccount", "findRunningLimits", "heartbeat"] as const) {
      const method = memory[name] as (asked: never) => Promise<never>
      storage[name] = async (asked: never) => {
        questions += 1
        await clock.wait(200)
        return method(asked)
      }
    }
    await clock.advance(3_000)
    const apart = createScene({
      channels: [createScriptedChannel()],
      artifacts: scene.artifacts,
      clock,
      storage: memory,
      isStarted: false,
    })
    const { id } = await apart.submit()
    apartId = id
    await clock.advance(2_500)
    assert.ok(questions <= 10, `${questions} questions in some seconds`)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})
