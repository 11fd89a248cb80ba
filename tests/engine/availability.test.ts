/** What can be made is known at submit: by the channels of every process that works on tasks. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type LeaseFacts, type SubmitRequest } from "@safelight/core"
import {
  createManualClock,
  createMemoryStorage,
  createScriptedChannel,
  type ManualClock,
  type MemoryStorage,
} from "@safelight/testkit"
import * as fc from "fast-check"
import { checkAsync } from "../core/support/property.ts"
import { FACTS } from "../support/lease-facts.ts"
import { createLogRecorder } from "./log-recorder.ts"
import { createPausable } from "./pausable.ts"
import {
  ACCEPTED,
  brief,
  createScene,
  MODEL,
  SETTINGS,
  type Scene,
  type SceneOptions,
} from "./support.ts"

const OTHER = { ...MODEL, id: "model-b" }
const MODELS = [MODEL, OTHER]
const PRICE = { perImageMicros: 30_000 }
const PRICES = [{ version: "1", models: { "model-a": PRICE, "model-b": PRICE } }] as const

/** A node that makes `models`, in a database of its own unless it shares `more`'s. */
function createNode(models: readonly string[], more: Partial<SceneOptions> = {}): Scene {
  const submits = Array.from({ length: 50 }, () => ACCEPTED)
  const name = models.join("+") || "idle"
  const channel = createScriptedChannel({ name, models, submits })
  return createScene({ channels: [channel], models: MODELS, prices: PRICES, ...more })
}

/** One that takes requests and works on none. */
function createApi(more: Partial<SceneOptions>): Scene {
  return createNode(["model-a", "model-b"], { ...more, isStarted: false })
}

function ask(model: string, more: Partial<SubmitRequest> = {}): SubmitRequest {
  return { account: "ada", model, parameters: { prompt: "fog" }, ...more }
}

async function submit({ engine }: Scene, model: string): Promise<string> {
  const result = await engine.submit(ask(model))
  if (result.kind === "submitted" || result.rejection.code !== "model-unavailable") {
    return brief(result)
  }
  return result.rejection.reason
}

interface Cluster {
  readonly clock: ManualClock
  readonly storage: MemoryStorage
}

function createCluster(): Cluster {
  return { clock: createManualClock(), storage: createMemoryStorage() }
}

describe("a model that nobody can make", () => {
  it("is refused at once, and nothing is stored or reserved for it", async () => {
    const scene = createNode(["model-a"])
    await scene.clock.advance(0)
    assert.equal(await submit(scene, "model-b"), "no_channel")
    assert.equal(scene.storage.events.size, 0)
    assert.equal((await scene.engine.readBalance("ada")).reservedMicros, 0)
    assert.deepEqual([...(await scene.engine.listUnavailable())], [["model-b", "no_channel"]])
    assert.equal(await submit(scene, "model-a"), "new")
  })

  it("is known to be one however long a busy process takes to say so", async () => {
    const manual = createManualClock()
    let [heldUpMs, isBusy] = [0, false]
    const monotonicNow = (): number => {
      heldUpMs += isBusy ? 1_100 : 0
      return manual.monotonicNow() + heldUpMs
    }
    const scene = createNode(["model-a"], { clock: { ...manual, monotonicNow } })
    await manual.advance(0)
    isBusy = true
    const reasons = await scene.engine.listUnavailable()
    isBusy = false
    assert.deepEqual([...reasons], [["model-b", "no_channel"]])
  })

  it("is queued if the host asks for that, and is listed all the same", async () => {
    const scene = createNode(["model-a"], { queueUnavailable: true })
    await scene.clock.advance(0)
    assert.equal(await submit(scene, "model-b"), "new")
    assert.deepEqual([...(await scene.engine.listUnavailable())], [["model-b", "no_channel"]])
  })

  it("is quoted, and a repeat of an earlier request gets its task", async () => {
    const cluster = createCluster()
    const idempotency = { key: "one", fingerprint: "a".repeat(64) }
    const both = createNode(["model-a", "model-b"], cluster)
    await cluster.clock.advance(0)
    assert.equal(brief(await both.engine.submit(ask("model-b", { idempotency }))), "new")
    await both.engine.stop()
    const one = createNode(["model-a"], cluster)
    await cluster.clock.advance(0)
    assert.equal(await submit(one, "model-b"), "no_channel")
    assert.equal((await one.engine.quote(ask("model-b"))).kind, "quoted")
    assert.equal(brief(await one.engine.submit(ask("model-b", { idempotency }))), "replayed")
    const other = { ...idempotency, fingerprint: "b".repeat(64) }
    const refused = await one.engine.submit(ask("model-b", { idempotency: other }))
    assert.equal(brief(refused), "idempotency-key-reused")
  })

  it("is paused if an operator has paused every channel of it, until one is resumed", async () => {
    const scene = createNode(["model-a"])
    await scene.clock.advance(0)
    await scene.storage.pauseChannel({ channel: "model-a", pausedAt: scene.clock.now() })
    await scene.clock.advance(4_000)
    assert.equal(await submit(scene, "model-a"), "paused")
    createNode(["model-a", "model-b"], { clock: scene.clock, storage: scene.storage })
    await scene.clock.advance(1_000)
    assert.equal(await submit(scene, "model-a"), "new")
    await scene.storage.pauseChannel({ channel: "model-a+model-b", pausedAt: scene.clock.now() })
    await scene.clock.advance(15_000)
    assert.equal(await submit(scene, "model-a"), "paused")
    await scene.storage.resumeChannel("model-a")
    await scene.clock.advance(1_000)
    assert.equal(await submit(scene, "model-a"), "new")
  })
})

describe("a breaker that is open", () => {
  it("is no reason to refuse", async () => {
    const failing = Array.from({ length: 3 }, () => new Error("down"))
    const channel = createScriptedChannel({ submits: failing })
    const scene = createScene({ channels: [channel], settings: { backoffMs: 1 } })
    await scene.clock.advance(0)
    for (let tries = 0; tries < 3; tries += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one failure after the other
      await scene.submit()
      // oxlint-disable-next-line no-await-in-loop -- one failure after the other
      await scene.clock.advance(10)
    }
    const [lease] = await scene.storage.listLeases()
    await scene.clock.advance(6_000)
    assert.ok(lease)
    assert.equal(brief(await scene.engine.submit(ask("model-a"))), "new")
    assert.equal((await scene.engine.listUnavailable()).size, 0)
  })
})

describe("a process that only takes requests", () => {
  it("knows what the others make, and what they stop making", async () => {
    const cluster = createCluster()
    const [one, two] = [createNode(["model-a"], cluster), createNode(["model-b"], cluster)]
    const api = createApi(cluster)
    await cluster.clock.advance(0)
    assert.deepEqual([await submit(api, "model-a"), await submit(api, "model-b")], ["new", "new"])
    await two.engine.stop()
    await cluster.clock.advance(SETTINGS.leaseMs / 2)
    // Another process may be about to take its place.
    assert.equal(await submit(api, "model-b"), "new")
    await cluster.clock.advance(SETTINGS.leaseMs)
    assert.equal(await submit(api, "model-b"), "no_channel")
    assert.equal(await submit(api, "model-a"), "new")
    const three = createNode(["model-b"], cluster)
    await cluster.clock.advance(1_000)
    assert.equal(await submit(api, "model-b"), "new")
    await Promise.all([one, three].map(({ engine }) => engine.stop()))
  })

  it("refuses for want of any worker only after a lease's time", async () => {
    const cluster = createCluster()
    const api = createApi(cluster)
    assert.equal(await submit(api, "model-a"), "new")
    await cluster.clock.advance(SETTINGS.leaseMs - 1)
    assert.equal(await submit(api, "model-a"), "new")
    await cluster.clock.advance(1_000)
    assert.equal(await submit(api, "model-a"), "no_worker")
    createNode(["model-b"], cluster)
    await cluster.clock.advance(1_000)
    assert.equal(await submit(api, "model-a"), "no_channel")
  })

  it("refuses nothing while a process of an older release works, which tells no models", async () => {
    const cluster = createCluster()
    createNode(["model-b"], cluster)
    const facts: LeaseFacts = { ...FACTS, channels: ["old"] }
    await cluster.storage.heartbeat({ lease: "old", heartbeats: 1, facts })
    const api = createApi(cluster)
    await cluster.clock.advance(0)
    assert.equal(await submit(api, "model-a"), "new")
    assert.equal((await api.engine.listUnavailable()).size, 0)
  })

  it("refuses nothing while the storage can't be read, and says so once", async () => {
    const cluster = createCluster()
    createNode(["model-b"], cluster)
    let isDown = false
    const storage: MemoryStorage = {
      ...cluster.storage,
      async listLeases() {
        if (!isDown) return cluster.storage.listLeases()
        throw new SafelightError({ code: "storage-unavailable", message: "down", retryable: true })
      },
    }
    const recorder = createLogRecorder()
    const api = createApi({ ...cluster, storage, log: recorder.log })
    await cluster.clock.advance(0)
    assert.equal(await submit(api, "model-a"), "no_channel")
    isDown = true
    await cluster.clock.advance(2_000)
    assert.equal(await submit(api, "model-a"), "new")
    await cluster.clock.advance(60_000)
    assert.equal(await submit(api, "model-a"), "new")
    const told = recorder.entries.filter(({ message }) => message === "availability not read")
    assert.equal(told.length, 1)
    isDown = false
    await cluster.clock.advance(2_000)
    assert.equal(await submit(api, "model-a"), "no_channel")
  })

  it("reads the storage as rarely as requests come together", async () => {
    const cluster = createCluster()
    createNode(["model-a"], cluster)
    await cluster.clock.advance(0)
    let looks = 0
    const storage: MemoryStorage = {
      ...cluster.storage,
      listLeases() {
        looks += 1
        return cluster.storage.listLeases()
      },
    }
    const api = createApi({ ...cluster, storage })
    const askOften = (model: string) =>
      Promise.all(Array.from({ length: 20 }, () => submit(api, model)))
    await askOften("model-a")
    await askOften("model-b")
    assert.equal(looks, 1)
    await cluster.clock.advance(4_999)
    await askOften("model-a")
    assert.equal(looks, 1)
    await cluster.clock.advance(1)
    await askOften("model-a")
    assert.equal(looks, 2)
  })
})

describe("a rolling deployment", () => {
  it("that adds a model: nodes without it leave its tasks to those that have it", async () => {
    const cluster = createCluster()
    const old = createNode(["model-a"], { ...cluster, models: [MODEL] })
    const next = createNode(["model-a", "model-b"], cluster)
    const api = createApi(cluster)
    await cluster.clock.advance(10_000)
    assert.equal(await submit(api, "model-b"), "new")
    await cluster.clock.advance(2_000)
    await next.engine.stop()
    // A moment later its place is not taken yet.
    assert.equal(await submit(api, "model-b"), "new")
    await cluster.clock.advance(20_000)
    const [first = "", second = ""] = cluster.storage.events.keys()
    assert.equal((await api.read(first)).dispatch?.channel, "model-a+model-b")
    assert.deepEqual(api.story(second), ["submitted"])
    const last = createNode(["model-b"], cluster)
    await cluster.clock.advance(30_000)
    assert.equal((await api.read(second)).dispatch?.channel, "model-b")
    await Promise.all([old, last].map(({ engine }) => engine.stop()))
  })

  it("that takes a model away: it can be asked for as long as an old node works", async () => {
    const cluster = createCluster()
    const old = createNode(["model-a", "model-b"], cluster)
    await cluster.clock.advance(0)
    const next = createNode(["model-a"], { ...cluster, models: [MODEL] })
    const api = createApi(cluster)
    await cluster.clock.advance(10_000)
    assert.equal(await submit(api, "model-b"), "new")
    assert.equal(brief(await next.engine.submit(ask("model-b"))), "model-not-found")
    await cluster.clock.advance(2_000)
    await old.engine.stop()
    await cluster.clock.advance(2 * SETTINGS.leaseMs)
    assert.equal(await submit(api, "model-b"), "no_channel")
    assert.equal(await submit(api, "model-a"), "new")
    await next.engine.stop()
  })
})

type Step =
  | { readonly kind: "start"; readonly models: readonly string[] }
  | { readonly kind: "stop" | "stand" | "wake"; readonly node: number }
  | { readonly kind: "advance" | "jump"; readonly durationMs: number }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("start" as const),
      models: fc.subarray(["model-a", "model-b"], { minLength: 1 }),
    }),
    fc.record({
      kind: fc.constantFrom("stop" as const, "stand" as const, "wake" as const),
      node: fc.nat(3),
    }),
    fc.record({ kind: fc.constant("advance" as const), durationMs: fc.nat(150_000) }),
    fc.record({
      kind: fc.constant("jump" as const),
      durationMs: fc.integer({ min: -9_000_000, max: 9_000_000 }),
    }),
  ),
  { maxLength: 14 },
)

interface LiveNode {
  readonly scene: Scene
  readonly models: readonly string[]
  readonly process: ReturnType<typeof createPausable>
  isStanding: boolean
}

/** Runs the steps; after each, whatever a live node makes must be accepted by another process. */
async function run(list: readonly Step[]): Promise<void> {
  const cluster = createCluster()
  const api = createApi(cluster)
  const nodes: LiveNode[] = []
  for (const step of list) {
    await take(step, cluster, nodes)
    // The first heartbeat of who has just started, or woken.
    await cluster.clock.advance(1_000)
    const live = nodes.filter(({ isStanding }) => !isStanding)
    for (const model of new Set(live.flatMap(({ models }) => models))) {
      assert.equal(await submit(api, model), "new", model)
      assert.equal((await api.engine.listUnavailable()).has(model), false)
    }
  }
  for (const { process, scene } of nodes) {
    process.resume()
    await scene.engine.stop()
  }
}

async function take(step: Step, cluster: Cluster, nodes: LiveNode[]): Promise<void> {
  switch (step.kind) {
    case "start": {
      const process = createPausable(cluster.clock, cluster.storage)
      const { clock, storage } = process
      const scene = createNode(step.models, { clock, storage })
      nodes.push({ scene, models: step.models, process, isStanding: false })
      return
    }
    case "advance":
      return cluster.clock.advance(step.durationMs)
    case "jump":
      return cluster.clock.jump(step.durationMs)
    case "stop":
    case "stand":
    case "wake":
      return command(step.kind, nodes, nodes[step.node])
  }
}

async function command(
  kind: "stop" | "stand" | "wake",
  nodes: LiveNode[],
  node: LiveNode | undefined,
): Promise<void> {
  if (node === undefined) return
  node.isStanding = kind === "stand"
  if (node.isStanding) return node.process.pause()
  node.process.resume()
  if (kind === "wake") return
  nodes.splice(nodes.indexOf(node), 1)
  await node.scene.engine.stop()
}

describe("what a live process makes", () => {
  it("is never refused, whatever stops, stands still, wakes, or sets its clock", async (t) => {
    await checkAsync(t, fc.asyncProperty(steps, run), 60)
  })
})
