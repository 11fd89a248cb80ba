/** Keeping artifacts longer: what the account may, what the log decides, and what it changes. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAudit } from "@safelight/audit"
import { SafelightError, type HoldResult, type Task } from "@safelight/core"
import { sha256, type EngineSettings } from "@safelight/engine"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, MODEL, PRICES, type Scene } from "./support.ts"

const DAY_MS = 86_400_000

interface Held {
  readonly scene: Scene
  readonly task: Task
  /** Days from the task's end. */
  readonly hold: (days: number) => Promise<HoldResult | undefined>
}

async function finish(
  maxRetentionMs: number,
  options: { settings?: Partial<EngineSettings> } = {},
): Promise<Held> {
  const channel = createScriptedChannel({ submits: [completed()] })
  const scene = createScene({ channels: [channel], ...options })
  const settings = { maxRetentionMs }
  await scene.storage.setAccount({ id: "ada", now: scene.clock.now(), settings })
  const { id } = await scene.submit()
  const task = await scene.engine.finished(id)
  assert.ok(task !== undefined)
  const hold = (days: number) =>
    scene.engine.holdArtifacts({ account: "ada", id, until: task.finishedAt + days * DAY_MS })
  return { scene, task, hold }
}

/** Days that each artifact is kept: by what is listed, and by the task. */
async function readDays({ scene, task }: Held): Promise<readonly (readonly number[])[]> {
  const found = await scene.engine.findArtifacts({ account: "ada", id: task.id })
  const { artifacts } = await scene.read(task.id)
  return [found?.artifacts ?? [], artifacts].map((list) =>
    list.map(({ expiresAt }) => (expiresAt - task.finishedAt) / DAY_MS),
  )
}

function codeOf(result: HoldResult | undefined): string {
  assert.ok(result?.kind === "refused", JSON.stringify(result))
  return result.refusal.code
}

describe("a hold", () => {
  it("keeps artifacts until its moment, in the row, the task, the sweep and the audit", async () => {
    const held = await finish(90 * DAY_MS)
    const { hold, scene, task } = held
    const result = await hold(60)
    assert.ok(result?.kind === "held")
    assert.deepEqual(
      result.artifacts.map(({ expiresAt }) => expiresAt),
      [task.finishedAt + 60 * DAY_MS],
    )
    assert.deepEqual(await readDays(held), [[60], [60]])
    const at = (days: number) => scene.engine.sweep(task.finishedAt + days * DAY_MS)
    assert.deepEqual([(await at(14)).expired, (await at(15)).removed], [0, 0])
    const audit = createAudit({
      storage: scene.storage,
      digest: sha256,
      models: [MODEL],
      prices: PRICES,
    })
    const { findings } = await audit.replay()
    assert.deepEqual(findings, [])
    assert.equal((await at(60)).expired, 1)
    assert.equal((await at(61)).removed, 1)
    assert.deepEqual(scene.story(task.id).slice(-3), ["succeeded", "held", "expired"])
  })

  it("never shortens, and twice is the same as once", async () => {
    const held = await finish(90 * DAY_MS)
    for (const days of [60, 60, 20, 0]) assert.equal((await held.hold(days))?.kind, "held")
    assert.deepEqual(await readDays(held), [[60], [60]])
    await held.hold(90)
    assert.deepEqual(await readDays(held), [[90], [90]])
    assert.equal(held.scene.story(held.task.id).filter((type) => type === "held").length, 2)
  })

  it("adds an hour at least and a hundredth of what the account may, so that a task has few", async () => {
    for (const [mayHoldDays, stepDays] of [
      [15, 0.15],
      [90, 0.9],
      // An hour is more than a hundredth of what is left of it.
      [14.01, 0.01],
    ] as const) {
      const held = await finish(mayHoldDays * DAY_MS)
      assert.equal((await held.hold(14 + 1 / DAY_MS))?.kind, "held")
      assert.deepEqual(await readDays(held), [[14 + stepDays], [14 + stepDays]])
    }
    const held = await finish(60 * DAY_MS)
    const holds = Array.from({ length: 1_000 }, (_, index) => 14 + (46 * (index + 1)) / 1_000)
    for (const days of holds) assert.equal((await held.hold(days))?.kind, "held")
    assert.deepEqual(await readDays(held), [[60], [60]])
    const story = held.scene.story(held.task.id).filter((type) => type === "held")
    assert.ok(story.length <= 100 && story.length > 50, String(story.length))
  })

  it("is bounded by what the account may, which by default is nothing", async () => {
    const none = await finish(0)
    assert.equal(codeOf(await none.hold(15)), "not-allowed")
    assert.equal((await none.hold(14))?.kind, "held", "it is kept that long anyway")
    assert.deepEqual(await readDays(none), [[14], [14]])
    const some = await finish(30 * DAY_MS)
    const refused = await some.hold(31)
    assert.deepEqual(refused, {
      kind: "refused",
      refusal: { code: "too-long", latestAt: some.task.finishedAt + 30 * DAY_MS },
    })
    assert.equal((await some.hold(30))?.kind, "held")
  })

  it("is of a finished task of the account that has artifacts", async () => {
    const { scene, task } = await finish(90 * DAY_MS)
    const until = scene.clock.now() + 20 * DAY_MS
    const hold = (account: string, id: string) => scene.engine.holdArtifacts({ account, id, until })
    assert.equal(await hold("bob", task.id), undefined)
    assert.equal(await hold("ada", "none"), undefined)
    const failing = createScriptedChannel({
      submits: [{ kind: "refused", code: "provider_rejected" }],
    })
    const other = createScene({ channels: [failing], isStarted: false })
    const { id } = await other.submit()
    const of = () => other.engine.holdArtifacts({ account: "ada", id, until })
    assert.equal(codeOf(await of()), "not-finished")
    other.engine.start()
    assert.equal((await other.engine.finished(id))?.state, "failed")
    assert.equal(codeOf(await of()), "failed")
  })

  it("brings nothing back: it is refused from the expiry on, whether or not a sweep ran", async () => {
    const { hold, scene, task } = await finish(90 * DAY_MS)
    scene.clock.jump(task.finishedAt + 14 * DAY_MS - scene.clock.now())
    assert.equal(codeOf(await hold(20)), "expired")
    await scene.engine.sweep()
    assert.equal(codeOf(await hold(20)), "expired")
    assert.ok(!scene.story(task.id).includes("held"))
  })

  it("that comes before the record of an expiry wins, and the sweep removes nothing", async () => {
    const settings = { removeAfterMs: 1 }
    const held = await finish(90 * DAY_MS, { settings })
    const { hold, scene, task } = held
    const { append } = scene.storage
    let isFirst = true
    // Another node's clock is ahead: its sweep is about to record the expiry.
    scene.storage.append = async (change) => {
      if (isFirst && change.events.some(({ type }) => type === "expired")) {
        isFirst = false
        assert.equal((await hold(60))?.kind, "held")
      }
      await append(change)
    }
    const report = await scene.engine.sweep(task.finishedAt + 14 * DAY_MS + 5)
    assert.deepEqual([report.expired, report.removed, report.failed], [0, 0, 0])
    assert.deepEqual(await readDays(held), [[60], [60]])
    assert.deepEqual(scene.story(task.id).slice(-2), ["succeeded", "held"])
  })

  it("that comes behind the record of an expiry is refused", async () => {
    const { hold, scene, task } = await finish(90 * DAY_MS)
    const { append } = scene.storage
    let isFirst = true
    scene.storage.append = async (change) => {
      if (isFirst && change.events.some(({ type }) => type === "held")) {
        isFirst = false
        await scene.engine.sweep(task.finishedAt + 14 * DAY_MS)
      }
      await append(change)
    }
    assert.equal(codeOf(await hold(60)), "expired")
    assert.equal(scene.story(task.id).at(-1), "expired")
  })

  it("that meets a longer one finds it there, whichever of two nodes made it", async () => {
    for (const isOther of [false, true]) {
      const held = await finish(90 * DAY_MS)
      const { scene, task } = held
      const { artifacts, clock, storage } = scene
      const channels = [createScriptedChannel()]
      const other = createScene({ artifacts, channels, clock, isStarted: false, storage })
      const { engine } = isOther ? other : scene
      const until = task.finishedAt + 90 * DAY_MS
      const { append } = storage
      let isFirst = true
      storage.append = async (change) => {
        if (isFirst) {
          isFirst = false
          const longer = await engine.holdArtifacts({ account: "ada", id: task.id, until })
          assert.equal(longer?.kind, "held")
        }
        await append(change)
      }
      const result = await held.hold(60)
      assert.ok(result?.kind === "held")
      assert.deepEqual(
        [result.artifacts[0]?.expiresAt, result.task.version],
        [until, task.version + 1],
      )
      assert.deepEqual(await readDays(held), [[90], [90]])
      assert.deepEqual(scene.story(task.id).slice(-2), ["succeeded", "held"])
    }
  })

  it("that meets a shorter one is made on top of it", async () => {
    const held = await finish(90 * DAY_MS)
    const { scene, task } = held
    const { append } = scene.storage
    let isFirst = true
    scene.storage.append = async (change) => {
      if (isFirst) {
        isFirst = false
        assert.equal((await held.hold(20))?.kind, "held")
      }
      await append(change)
    }
    assert.equal((await held.hold(60))?.kind, "held")
    assert.deepEqual(await readDays(held), [[60], [60]])
    assert.deepEqual(scene.story(task.id).slice(-3), ["succeeded", "held", "held"])
  })

  it("is as long as the longest of many at once, on two nodes", async () => {
    const held = await finish(90 * DAY_MS)
    const { scene, task } = held
    const { artifacts, clock, storage } = scene
    const channels = [createScriptedChannel()]
    const other = createScene({ artifacts, channels, clock, isStarted: false, storage })
    const holds = Array.from({ length: 40 }, (_, index) => {
      const { engine } = index % 2 === 0 ? scene : other
      const until = task.finishedAt + (15 + ((index * 7) % 40)) * DAY_MS
      return engine.holdArtifacts({ account: "ada", id: task.id, until })
    })
    const results = await Promise.all(holds)
    assert.ok(results.every((result) => result?.kind === "held"))
    assert.deepEqual(await readDays(held), [[54], [54]])
    const { artifacts: kept } = await scene.read(task.id)
    assert.equal(kept.length, 1)
  })

  it("whose answer was lost is stored once, and found by the next", async () => {
    const held = await finish(90 * DAY_MS)
    held.scene.storage.failAppends(1, true)
    const first = held.hold(60).catch((error: unknown) => error)
    await held.scene.clock.advance(5_000)
    const result = await first
    assert.ok(!(result instanceof SafelightError), String(result))
    assert.equal((await held.hold(60))?.kind, "held")
    assert.equal(held.scene.story(held.task.id).filter((type) => type === "held").length, 1)
  })
})
