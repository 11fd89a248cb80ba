/** One key, one task: whatever fails, whoever asks again, as long as the key is remembered. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { IdempotencyKey, SubmitResult, Task } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene, brief } from "./support.ts"

const DAY_MS = 86_400_000
const FIRST = { key: "order-1", fingerprint: "a1".repeat(32) }
const OTHER = { key: "order-1", fingerprint: "b2".repeat(32) }

/** An engine that takes tasks and carries none out. */
function createIdle(): Scene {
  return createScene({ channels: [createScriptedChannel()], isStarted: false })
}

function submitAs(
  { engine }: Scene,
  idempotency: IdempotencyKey,
  options: { readonly account?: string; readonly parameters?: object } = {},
): Promise<SubmitResult> {
  const { account = "ada", parameters = { prompt: "a quiet harbour" } } = options
  return engine.submit({ account, model: "model-a", parameters, idempotency })
}

function taskOf(result: SubmitResult): Task {
  assert.ok(result.kind === "submitted", JSON.stringify(result))
  return result.task
}

/** Holds the next admission back until it is let go. */
function holdAdmission({ storage }: Scene): () => void {
  const { admit } = storage
  let letGo = (): void => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  storage.admit = async (request) => {
    storage.admit = admit
    await held
    return admit(request)
  }
  return letGo
}

describe("a submission with an idempotency key", () => {
  it("that was accepted before is answered with its task as it stands now", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    const first = await submitAs(scene, FIRST)
    assert.equal(brief(first), "new")
    await scene.engine.finished(taskOf(first).id)
    const again = await submitAs(scene, FIRST)
    assert.equal(brief(again), "replayed")
    assert.deepEqual(taskOf(again), await scene.read(taskOf(first).id))
    assert.equal(taskOf(again).state, "succeeded.available")
    assert.equal(scene.storage.events.size, 1)
    assert.equal(scene.storage.inputs.size, 1)
  })

  it("is refused where the key stands for another request, whose task goes on", async () => {
    const scene = createIdle()
    const { id } = taskOf(await submitAs(scene, FIRST))
    assert.equal(brief(await submitAs(scene, OTHER)), "idempotency-key-reused")
    assert.equal(taskOf(await submitAs(scene, FIRST)).id, id)
    assert.equal(scene.storage.events.size, 1)
  })

  it("is another account's own affair, and another key's", async () => {
    const scene = createIdle()
    const results = [
      await submitAs(scene, FIRST),
      await submitAs(scene, FIRST, { account: "bob" }),
      await submitAs(scene, { ...FIRST, key: "order-2" }),
    ]
    assert.deepEqual(results.map(brief), ["new", "new", "new"])
    assert.equal(scene.storage.events.size, 3)
  })

  it("is refused while the first is being accepted, and replayed once it was", async () => {
    const scene = createIdle()
    const letGo = holdAdmission(scene)
    const first = submitAs(scene, FIRST)
    assert.equal(brief(await submitAs(scene, FIRST)), "idempotency-key-in-use")
    assert.equal(brief(await submitAs(scene, OTHER)), "idempotency-key-in-use")
    await scene.clock.advance(0)
    assert.equal(brief(await submitAs(scene, FIRST, { account: "bob" })), "new")
    letGo()
    assert.equal(brief(await first), "new")
    assert.equal(brief(await submitAs(scene, FIRST)), "replayed")
    assert.equal(scene.storage.events.size, 2)
  })

  it("is replayed while the first still waits for a channel that answers at once", async () => {
    const never = (): Promise<never> => new Promise(() => {})
    const channel = createScriptedChannel({ answersAtOnce: true, submits: [never] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const first = submitAs(scene, FIRST)
    await scene.clock.advance(1)
    const again = await submitAs(scene, FIRST)
    assert.equal(brief(again), "replayed")
    await scene.clock.advance(2_000)
    assert.equal(taskOf(await first).id, taskOf(again).id)
  })

  it("leaves the key free where the request is wrong or the storage fails", async () => {
    const scene = createIdle()
    const wrong = await submitAs(scene, FIRST, { parameters: {} })
    assert.equal(brief(wrong), "invalid-parameters")
    await assert.rejects(submitAs(scene, FIRST, { parameters: { prompt: "p", count: 3 } }))
    scene.storage.failAppends(1)
    await assert.rejects(submitAs(scene, FIRST), { code: "storage-unavailable" })
    assert.equal(brief(await submitAs(scene, FIRST)), "new")
    assert.equal(scene.storage.events.size, 1)
  })

  it("stands for one task where the storage stored it and failed all the same", async () => {
    const scene = createIdle()
    scene.storage.failAppends(1, true)
    const first = await submitAs(scene, FIRST)
    assert.equal(brief(first), "new")
    const again = await submitAs(scene, FIRST)
    assert.deepEqual([brief(again), taskOf(again).id], ["replayed", taskOf(first).id])
    assert.equal(scene.storage.events.size, 1)
  })

  it("is of unknown outcome where nothing answers, and then stands for what was stored", async () => {
    const scene = createIdle()
    const { readTask } = scene.storage
    scene.storage.readTask = () => Promise.reject(new Error("no answer"))
    scene.storage.failAppends(1, true)
    await assert.rejects(submitAs(scene, FIRST), { code: "outcome-unknown" })
    scene.storage.readTask = readTask
    const again = await submitAs(scene, FIRST)
    assert.equal(brief(again), "replayed")
    assert.deepEqual([...scene.storage.events.keys()], [taskOf(again).id])
  })

  it("is replayed by another process over the same storage", async () => {
    const scene = createIdle()
    const { id } = taskOf(await submitAs(scene, FIRST))
    const { clock, storage, artifacts } = scene
    const channels = [createScriptedChannel()]
    const other = createScene({ channels, clock, storage, artifacts, isStarted: false })
    const again = await submitAs(other, FIRST)
    assert.deepEqual([brief(again), taskOf(again).id], ["replayed", id])
  })

  it("says so where its task is gone", async () => {
    const scene = createIdle()
    await submitAs(scene, FIRST)
    scene.storage.readTask = async () => undefined
    await assert.rejects(submitAs(scene, FIRST), { code: "storage-corrupt" })
  })
})

describe("a replayed or refused submission", () => {
  it("dispatches nothing and holds no slot", async () => {
    const channel = createScriptedChannel({
      concurrency: 1,
      submits: [completed(), completed()],
    })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const { id } = taskOf(await submitAs(scene, FIRST))
    await scene.engine.finished(id)
    for (const key of [FIRST, OTHER, FIRST, OTHER]) await submitAs(scene, key)
    await scene.clock.advance(5_000)
    assert.equal(channel.calls.length, 1)
    const next = await scene.submit()
    await scene.engine.finished(next.id)
    assert.equal((await scene.read(next.id)).dispatch?.because, "tier 1, 1 of 1 channels able")
    assert.equal(channel.calls.length, 2)
  })

  it("gives its slot at once to a task that waits for one", async () => {
    const channel = createScriptedChannel({ concurrency: 1, submits: [completed(), completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    await scene.engine.finished(taskOf(await submitAs(scene, FIRST)).id)
    await scene.clock.advance(0)
    const letGo = holdAdmission(scene)
    const replayed = submitAs(scene, FIRST)
    const waiting = await scene.submit()
    await scene.clock.advance(0)
    assert.deepEqual(scene.story(waiting.id), ["submitted"])
    letGo()
    assert.equal(brief(await replayed), "replayed")
    await scene.clock.advance(0)
    assert.equal((await scene.read(waiting.id)).state, "succeeded.available")
  })
})

describe("an idempotency key", () => {
  it("is remembered for 14 days after its use and then forgotten by a sweep", async () => {
    const scene = createIdle()
    const { id } = taskOf(await submitAs(scene, FIRST))
    const usedAt = scene.clock.now()
    assert.equal((await scene.engine.sweep(usedAt + 14 * DAY_MS)).forgotten, 0)
    assert.equal(brief(await submitAs(scene, FIRST)), "replayed")
    assert.equal((await scene.engine.sweep(usedAt + 14 * DAY_MS + 1)).forgotten, 1)
    const again = await submitAs(scene, FIRST)
    assert.equal(brief(again), "new")
    assert.notEqual(taskOf(again).id, id)
  })

  it("is remembered for as long as the setting says", async () => {
    const scene = createScene({
      channels: [createScriptedChannel()],
      isStarted: false,
      settings: { idempotencyMs: 5_000 },
    })
    await submitAs(scene, FIRST)
    assert.equal((await scene.engine.sweep(scene.clock.now() + 5_001)).forgotten, 1)
  })

  it("is forgotten with many others, page by page, and none that is younger", async () => {
    const scene = createIdle()
    const count = 1_001
    for (let index = 0; index < count; index += 1) {
      await submitAs(scene, { ...FIRST, key: `order-${index}` })
    }
    await scene.clock.advance(1)
    await submitAs(scene, { ...FIRST, key: "young" })
    const limits: number[] = []
    const { forgetIdempotency } = scene.storage
    scene.storage.forgetIdempotency = (request) => {
      limits.push(request.limit)
      return forgetIdempotency(request)
    }
    const report = await scene.engine.sweep(scene.clock.now() + 14 * DAY_MS)
    assert.equal(report.forgotten, count)
    assert.deepEqual(limits, [500, 500, 500])
    assert.equal(brief(await submitAs(scene, { ...FIRST, key: "young" })), "replayed")
  })

  it("is forgotten when its task's inputs are erased", async () => {
    const scene = createIdle()
    const { id } = taskOf(await submitAs(scene, FIRST))
    await scene.engine.erase({ account: "ada", id })
    assert.equal(brief(await submitAs(scene, OTHER)), "new")
  })
})
