/**
 * What a scrape says of the database and the files: how long the queue is, what calls took and came
 * to, and that it answers itself while the database fails or hangs.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { MODELS, SafelightError, type ArtifactStorage, type QueueMeasure } from "@safelight/core"
import {
  advanceSample,
  createManualClock,
  dispatchSample,
  submitSample,
  succeedSample,
  createMemoryStorage,
} from "@safelight/testkit"
import { createMetrics } from "safelight"
import { unavailable } from "../../support/unavailable.ts"
import { parsePrometheusText, readSample } from "./prometheus-text.ts"

const IMAGE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"

type Members = ReturnType<typeof createMemoryStorage>

/** A storage in memory, observed; `changes` take the place of its members. */
function createWorld(changes: Partial<Members> = {}) {
  const clock = createManualClock()
  const warned: string[] = []
  const log = { info() {}, error() {}, warn: (_: object, message: string) => warned.push(message) }
  const metrics = createMetrics({ clock, log })
  const storage = metrics.observeStorage({ ...createMemoryStorage(), ...changes })
  let made = 0

  return {
    clock,
    metrics,
    storage,
    warned,
    /** A task in the queue, of nobody. */
    async submit(model: string) {
      made += 1
      const now = clock.now()
      const queue = {
        kind: "enqueue",
        dueAt: now,
        endBy: now + 1e9,
        lease: null,
        startTag: 0,
      } as const
      const sample = submitSample({ id: `task-${made}`, submitted: { model }, now, queue })
      await storage.append(sample.append)
      return sample
    },
    async read() {
      return parsePrometheusText((await metrics.scrape()).text)
    },
  }
}

type World = ReturnType<typeof createWorld>

async function readQueue(world: World, model: string) {
  const families = await world.read()
  return [
    readSample(families, "safelight_queue_tasks", { model, state: "waiting" }),
    readSample(families, "safelight_queue_tasks", { model, state: "held" }),
    readSample(families, "safelight_queue_oldest_waiting_seconds", { model }),
  ]
}

/** Longer than an answer of the database is believed. */
const LATER_MS = 10_000

describe("a storage that is observed", () => {
  it("has the clock that it has without, and none where it has none", async () => {
    const { storage } = createWorld({ readClock: async () => 42 })
    assert.equal(await storage.readClock?.(), 42)
    assert.equal(createWorld().storage.readClock, undefined)
  })
})

describe("the queue", () => {
  it("is told by model: how many wait, how many are held, since when the oldest waits", async () => {
    const world = createWorld()
    await world.submit(IMAGE)
    await world.clock.advance(7_000)
    await world.submit(IMAGE)
    await world.submit(EDIT)
    assert.deepEqual(await readQueue(world, IMAGE), [2, 0, 7])
    assert.deepEqual(await readQueue(world, EDIT), [1, 0, 0])
    const now = world.clock.now()
    const models = [IMAGE]
    const taken = await world.storage.take({ lease: "a boot", models, now, limit: 1 })
    assert.equal(taken.length, 1)
    await world.clock.advance(LATER_MS)
    assert.deepEqual(await readQueue(world, IMAGE), [1, 1, 10])
  })

  it("is 0 for every model where no task is", async () => {
    const world = createWorld()
    for (const { id } of MODELS) {
      assert.deepEqual(await readQueue(world, id), [0, 0, 0], id)
    }
  })

  it("forgets a model that is not served any more once its last task is gone", async () => {
    let measured: readonly QueueMeasure[] = [{ model: "old", waiting: 1, held: 0, oldestAt: null }]
    const world = createWorld({ measureQueue: async () => measured })
    assert.deepEqual(await readQueue(world, "old"), [1, 0, 0])
    measured = []
    await world.clock.advance(LATER_MS)
    assert.deepEqual(await readQueue(world, "old"), [undefined, undefined, undefined])
  })

  it("is never older than nothing where a task becomes due later", async () => {
    const measureQueue = async () => [
      { model: IMAGE, waiting: 1, held: 0, oldestAt: Number.MAX_SAFE_INTEGER },
    ]
    assert.deepEqual(await readQueue(createWorld({ measureQueue }), IMAGE), [1, 0, 0])
  })

  it("is measured once for scrapes that come within two seconds", async () => {
    let measures = 0
    const measureQueue = async () => {
      measures += 1
      return []
    }
    const world = createWorld({ measureQueue })
    await world.read()
    await world.clock.advance(1_999)
    await world.read()
    assert.equal(measures, 1)
    await world.clock.advance(1)
    await world.read()
    assert.equal(measures, 2)
  })
})

describe("a database that fails", () => {
  it("leaves the scrape working: it is down, and of the queue nothing is told", async () => {
    const down = new SafelightError({ code: "storage-unavailable", message: "down" })
    let isDown = false
    const fail = async (): Promise<void> => {
      if (isDown) throw down
    }
    const { measureQueue } = createMemoryStorage()
    const world = createWorld({ check: fail, measureQueue: () => fail().then(measureQueue) })
    assert.equal(readSample(await world.read(), "safelight_storage_up"), 1)
    isDown = true
    await world.clock.advance(LATER_MS)
    const families = await world.read()
    assert.equal(readSample(families, "safelight_storage_up"), 0)
    assert.deepEqual(families.get("safelight_queue_tasks")?.samples, [])
    assert.deepEqual(families.get("safelight_queue_oldest_waiting_seconds")?.samples, [])
    const failed = { method: "check", code: "storage-unavailable" }
    assert.equal(readSample(families, "safelight_storage_failures_total", failed), 1)
    assert.deepEqual(world.warned, ["database check failed", "queue not measured"])
    isDown = false
    await world.clock.advance(LATER_MS)
    assert.equal(readSample(await world.read(), "safelight_storage_up"), 1)
    assert.deepEqual(await readQueue(world, IMAGE), [0, 0, 0])
  })

  it("is waited for two seconds where it hangs, and asked once however often it is scraped", async () => {
    const asked: (() => void)[] = []
    const world = createWorld({ check: () => new Promise((resolve) => asked.push(resolve)) })
    for (let round = 0; round < 3; round += 1) {
      const scrape = world.read()
      await world.clock.advance(2_000)
      const families = await scrape
      assert.equal(readSample(families, "safelight_storage_up"), 0)
      // That was measured, but a database that is down is not quoted.
      assert.deepEqual(families.get("safelight_queue_tasks")?.samples, [])
    }
    assert.equal(asked.length, 1)
    asked[0]?.()
    await world.clock.advance(1)
    assert.equal(readSample(await world.read(), "safelight_storage_up"), 1)
  })

  it("is not called up for what it said before it began to hang", async () => {
    let isHanging = false
    const world = createWorld({
      check: () => (isHanging ? new Promise(() => {}) : Promise.resolve()),
    })
    assert.equal(readSample(await world.read(), "safelight_storage_up"), 1)
    isHanging = true
    await world.clock.advance(2_000)
    const scrape = world.read()
    await world.clock.advance(2_000)
    assert.equal(readSample(await scrape, "safelight_storage_up"), 0)
  })

  it("shows what a slow measure came to at the next scrapes, for a minute", async () => {
    const measures: ((measured: readonly QueueMeasure[]) => void)[] = []
    const world = createWorld({ measureQueue: () => new Promise((done) => measures.push(done)) })
    const first = world.read()
    await world.clock.advance(2_000)
    const families = await first
    assert.equal(readSample(families, "safelight_storage_up"), 1)
    assert.deepEqual(families.get("safelight_queue_tasks")?.samples, [])
    measures[0]?.([{ model: IMAGE, waiting: 5, held: 0, oldestAt: null }])
    await world.clock.advance(LATER_MS)
    const second = readQueue(world, IMAGE)
    await world.clock.advance(2_000)
    assert.deepEqual(await second, [5, 0, 0])
    await world.clock.advance(60_000)
    const third = readQueue(world, IMAGE)
    await world.clock.advance(2_000)
    assert.deepEqual(await third, [undefined, undefined, undefined])
  })
})

describe("the signed log", () => {
  /** A scrape does not look at roots. */
  const ROOT = "ab".repeat(32)

  async function readSigned(world: World) {
    const families = await world.read()
    return {
      leaves: readSample(families, "safelight_tree_leaves"),
      waiting: readSample(families, "safelight_tree_waiting_events"),
      ageSeconds: readSample(families, "safelight_checkpoint_age_seconds"),
    }
  }

  const NOTHING = { leaves: undefined, waiting: undefined, ageSeconds: undefined }

  /** Three events, two of which have leaves, and a checkpoint of this moment. */
  async function sign(world: World): Promise<void> {
    const { storage } = world
    await world.submit(IMAGE)
    await world.submit(IMAGE)
    await storage.openTree()
    const from = (await storage.readTree()) ?? assert.fail()
    const unsequenced = await storage.listUnsequenced(10)
    await storage.extendTree({ from, to: { size: 2, root: ROOT }, unsequenced, tiles: [] })
    await storage.keepCheckpoint({ at: world.clock.now(), note: "", size: 2 })
    await world.submit(EDIT)
  }

  it("has no series before there is a tree, and no age before there is a checkpoint", async () => {
    const world = createWorld()
    await world.submit(IMAGE)
    assert.deepEqual(await readSigned(world), NOTHING)
    await world.storage.openTree()
    await world.clock.advance(LATER_MS)
    assert.deepEqual(await readSigned(world), { leaves: 0, waiting: 1, ageSeconds: undefined })
  })

  it("is told by its leaves, the events that wait for one, and the age of its checkpoint", async () => {
    const world = createWorld()
    await sign(world)
    assert.deepEqual(await readSigned(world), { leaves: 2, waiting: 1, ageSeconds: 0 })
    await world.clock.advance(90_000)
    assert.deepEqual(await readSigned(world), { leaves: 2, waiting: 1, ageSeconds: 90 })
  })

  it("is no age below nothing if another machine's clock is ahead", async () => {
    const world = createWorld()
    await world.storage.openTree()
    await world.storage.keepCheckpoint({ at: world.clock.now() + 5_000, note: "", size: 0 })
    assert.deepEqual(await readSigned(world), { leaves: 0, waiting: 0, ageSeconds: 0 })
  })

  it("ends at once if the database fails, and is back with it", async () => {
    const { countUnsequenced } = createMemoryStorage()
    let isDown = false
    const world = createWorld({
      countUnsequenced: () => (isDown ? Promise.reject(unavailable()) : countUnsequenced()),
    })
    await sign(world)
    assert.equal((await readSigned(world)).leaves, 2)
    isDown = true
    await world.clock.advance(LATER_MS)
    assert.deepEqual(await readSigned(world), NOTHING)
    assert.deepEqual(world.warned, ["signed log not measured"])
    isDown = false
    await world.clock.advance(LATER_MS)
    assert.equal((await readSigned(world)).ageSeconds, 20)
  })

  it("is waited for two seconds if the database hangs, and shown as it was for a minute", async () => {
    const { countUnsequenced } = createMemoryStorage()
    let isHanging = false
    let asked = 0
    const world = createWorld({
      async countUnsequenced() {
        asked += 1
        return isHanging ? new Promise(() => {}) : countUnsequenced()
      },
    })
    await sign(world)
    assert.equal((await readSigned(world)).leaves, 2)
    isHanging = true
    await world.clock.advance(LATER_MS)
    const scrape = readSigned(world)
    await world.clock.advance(2_000)
    assert.deepEqual(await scrape, { leaves: 2, waiting: 0, ageSeconds: 12 })
    // The question is still open: no other scrape waits for it.
    await world.clock.advance(47_999)
    assert.equal((await readSigned(world)).ageSeconds, 59.999)
    await world.clock.advance(1)
    assert.deepEqual(await readSigned(world), NOTHING)
    assert.equal(asked, 2)
  })

  it("counts what failed at signing by step and code", async () => {
    const world = createWorld()
    for (const step of ["sign", "copy", "copy"] as const) {
      world.metrics.onSigningFailure({ step, code: "storage-unavailable" })
    }
    world.metrics.onSigningFailure({ step: "sign", code: "shorter-tree" })
    const families = await world.read()
    const count = (step: string, code: string) =>
      readSample(families, "safelight_signing_failures_total", { step, code })
    assert.equal(count("sign", "storage-unavailable"), 1)
    assert.equal(count("copy", "storage-unavailable"), 2)
    assert.equal(count("sign", "shorter-tree"), 1)
    assert.equal(count("copy", "shorter-tree"), undefined)
  })
})

describe("calls of the database", () => {
  const SECONDS = "safelight_storage_duration_seconds"

  it("are timed by method, and answer and fail as they did", async () => {
    const bug = new Error("a bug")
    const clock = createManualClock()
    const world = createWorld({
      async readTask(id) {
        await clock.advance(30)
        if (id === "broken") throw bug
        return undefined
      },
    })
    Object.assign(world.clock, { monotonicNow: clock.monotonicNow })
    assert.equal(await world.storage.readTask("unknown"), undefined)
    await assert.rejects(world.storage.readTask("broken"), bug)
    const families = await world.read()
    const labels = { method: "readTask" }
    assert.equal(readSample(families, `${SECONDS}_count`, labels), 2)
    assert.equal(readSample(families, `${SECONDS}_bucket`, { ...labels, le: "0.025" }), 0)
    assert.equal(readSample(families, `${SECONDS}_bucket`, { ...labels, le: "0.05" }), 2)
    const failed = { ...labels, code: "unexpected" }
    assert.equal(readSample(families, "safelight_storage_failures_total", failed), 1)
  })

  it("tell which events were appended, and none of an append that lost", async () => {
    const world = createWorld()
    const { append, head } = await world.submit(IMAGE)
    const done = advanceSample(head, [dispatchSample(), succeedSample()])
    await world.storage.append(done.append)
    const other = submitSample({ id: append.task, now: 5 })
    await assert.rejects(world.storage.append(other.append), { code: "version-conflict" })
    const admitted = submitSample({ id: "admitted" })
    await world.storage.admit({ append: admitted.append })
    const families = await world.read()
    const counts = ["submitted", "dispatched", "succeeded", "failed"].map((type) =>
      readSample(families, "safelight_events_appended_total", { type }),
    )
    assert.deepEqual(counts, [2, 1, 1, undefined])
    const lost = { method: "append", code: "version-conflict" }
    assert.equal(readSample(families, "safelight_storage_failures_total", lost), 1)
  })

  it("tell nothing of a task that was not admitted", async () => {
    const world = createWorld({ admit: async () => ({ kind: "refused", limit: "budget" }) })
    await world.storage.admit({ append: submitSample({ id: "refused" }).append })
    assert.deepEqual((await world.read()).get("safelight_events_appended_total")?.samples, [])
  })

  it("leave alone what is no call to be timed", () => {
    const stop = (): void => {}
    const world = createWorld({ onQueued: () => stop })
    assert.equal(
      world.storage.onQueued?.(() => {}),
      stop,
    )
    assert.equal(createWorld().storage.onQueued, undefined)
    assert.equal(world.storage.events.size, 0)
  })
})

describe("commits", () => {
  it("are told by how many changes went together and how long they took", async () => {
    const world = createWorld()
    world.metrics.onCommit({ changes: 4, durationMs: 2, isFailed: false })
    world.metrics.onCommit({ changes: 300, durationMs: 20, isFailed: false })
    world.metrics.onCommit({ changes: 1, durationMs: 5_000, isFailed: true })
    const families = await world.read()
    const read = (name: string, labels: Record<string, string>) =>
      readSample(families, `safelight_commit_${name}`, labels)
    const outcome = "committed"
    assert.equal(read("changes_sum", { outcome }), 304)
    assert.deepEqual(
      ["2", "4", "256", "512"].map((le) => read("changes_bucket", { outcome, le })),
      [0, 1, 1, 2],
    )
    assert.equal(read("duration_seconds_sum", { outcome }), 0.022)
    assert.equal(read("duration_seconds_sum", { outcome: "failed" }), 5)
  })
})

describe("calls of artifact storage", () => {
  it("are timed and counted, with the bytes that were stored", async () => {
    const world = createWorld()
    const missing = new SafelightError({ code: "artifact-missing", message: "gone" })
    const files: ArtifactStorage & { readonly folder: string } = {
      folder: "somewhere",
      put: async () => ({ locator: "p", bytes: 1_000, sha256: "" }),
      open: () => Promise.reject(missing),
      remove: async () => {},
      list: async () => [],
      check: async () => {},
    }
    const observed = world.metrics.observeArtifacts(files)
    assert.equal(observed.folder, "somewhere")
    const body = (async function* () {})()
    assert.equal((await observed.put({ task: "t", key: "k", body })).locator, "p")
    await observed.put({ task: "t", key: "k", body })
    await assert.rejects(observed.open({ locator: "p" }), missing)
    const families = await world.read()
    const count = (method: string) =>
      readSample(families, "safelight_artifacts_duration_seconds_count", { method })
    assert.deepEqual([count("put"), count("open"), count("list")], [2, 1, undefined])
    assert.equal(readSample(families, "safelight_artifacts_stored_bytes_total"), 2_000)
    const failed = { method: "open", code: "artifact-missing" }
    assert.equal(readSample(families, "safelight_artifacts_failures_total", failed), 1)
  })
})
