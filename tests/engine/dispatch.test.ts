/** Asking a channel: the intent first, one purchase, and what each answer leads to. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { completed, createScene, ACCEPTED, SETTINGS, submitTo } from "./support.ts"

function countSubmits(channel: ScriptedChannel): number {
  return channel.calls.filter(({ method }) => method === "submit").length
}

describe("a dispatch", () => {
  it("is durable before the channel is called", async () => {
    const seen: string[][] = []
    const channel = createScriptedChannel({
      submits: [
        ({ task }) => {
          seen.push(scene.story(task))
          return ACCEPTED
        },
      ],
      polls: [completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.engine.finished(id)
    assert.deepEqual(seen, [["submitted", "dispatched"]])
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
  })

  it("records which channel, why, under which key, and until when it may be sent", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const { scene, id } = await submitTo(channel)
    await scene.engine.finished(id)
    const [, dispatched] = scene.history(id)
    assert.ok(dispatched?.type === "dispatched")
    const { attempt, because, channel: name, sendBefore, upstreamKey } = dispatched.data
    assert.deepEqual([attempt, name, upstreamKey], [1, "scripted", `${id}.1`])
    assert.equal(because, "tier 1, 1 of 1 channels able")
    assert.equal(sendBefore, dispatched.at + SETTINGS.leaseMs)
  })

  it("is tried again under a new key after proof that nothing was created", async () => {
    const channel = createScriptedChannel({
      submits: [{ kind: "not-created", reason: "busy", retryAfterMs: 5_000 }, completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(4_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "deferred"])
    await scene.clock.advance(3_000)
    const story = ["submitted", "dispatched", "deferred", "dispatched", "succeeded"]
    assert.deepEqual(scene.story(id), story)
    assert.deepEqual(channel.created, [`${id}.2`])
  })

  it("fails once attempts that were accepted came to nothing, at no charge", async () => {
    const lost = { kind: "not-created", reason: "lost", retryAfterMs: 1 } as const
    const channel = createScriptedChannel({
      submits: [ACCEPTED, ACCEPTED, ACCEPTED],
      polls: [lost, lost, lost],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(20_000)
    const task = await scene.read(id)
    assert.equal(task.error?.code, "provider_unavailable")
    assert.equal(task.chargeMicros, 0)
    assert.equal(countSubmits(channel), 3)
  })

  it("waits for a provider that is away, and succeeds once it is back", async () => {
    const isBack = (): boolean => scene.clock.now() - startedAt > 400_000
    const away = { kind: "not-created", reason: "away" } as const
    const submits = Array.from({ length: 100 }, () => async () => (isBack() ? completed() : away))
    const channel = createScriptedChannel({ submits })
    const scene = createScene({ channels: [channel] })
    const startedAt = scene.clock.now()
    const tasks = await Promise.all(Array.from({ length: 8 }, () => scene.submit()))
    await scene.clock.advance(599_000)
    for (const { id } of tasks) assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.equal(channel.created.length, 8)
  })

  it("is tried no faster than its back-off, whatever pause a provider asks for", async () => {
    const busy = {
      kind: "not-created",
      reason: "busy",
      retryAfterMs: 0,
      isAboutRequest: true,
    } as const
    const submits = Array.from({ length: 5_000 }, () => busy)
    const channel = createScriptedChannel({ submits })
    const scene = createScene({ channels: [channel] })
    await scene.storage.setAccount({
      id: "ada",
      now: scene.clock.now(),
      settings: { runningTasks: 1 },
    })
    await scene.submit()
    await scene.clock.advance(300_000)
    const tries = channel.calls.length
    assert.ok(tries > 10 && tries < 25, `${tries} tries in five minutes`)
  })

  it("says that no provider was there where none came back in time", async () => {
    const away = { kind: "not-created", reason: "away" } as const
    const channel = createScriptedChannel({ submits: Array.from({ length: 100 }, () => away) })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(599_000)
    assert.equal((await scene.read(id)).finishedAt, 0)
    await scene.engine.sweep(scene.clock.now() + 1_000)
    const { error, chargeMicros } = await scene.read(id)
    assert.deepEqual([error?.code, chargeMicros], ["provider_unavailable", 0])
  })

  it("fails with the channel's refusal, charged only where the channel was billed", async () => {
    const billed = { images: 2, outputVideoMs: 0 }
    const channel = createScriptedChannel({
      submits: [
        { kind: "refused", code: "content_policy_violation" },
        { kind: "refused", code: "provider_rejected", message: "Not today.", billed },
        { kind: "refused", code: "provider_rejected", billed },
      ],
    })
    const scene = createScene({ channels: [channel] })
    const free = await scene.engine.finished((await scene.submit()).id)
    assert.equal(free?.error?.type, "content_policy_error")
    assert.equal(free?.chargeMicros, 0)
    const two = await scene.submit({ prompt: "a quiet harbour", count: 2 })
    const paid = await scene.engine.finished(two.id)
    assert.equal(paid?.error?.message, "Not today.")
    assert.equal(paid?.chargeMicros, 60_000)
    // Nobody reserved for more than was asked for.
    const one = await scene.engine.finished((await scene.submit()).id)
    assert.deepEqual([one?.chargeMicros, one?.usage?.images], [30_000, 2])
  })

  it("is not sent once the lease is over, and says that nothing was", async () => {
    let isPaused = false
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({
      channels: [channel],
      async probe(point) {
        if (point !== "dispatch:after-append" || isPaused) return
        isPaused = true
        await scene.clock.wait(61_000)
      },
    })
    await scene.clock.advance(0)
    // The process stands still between the intent and the call, and renews nothing meanwhile.
    const { heartbeat } = scene.storage
    scene.storage.heartbeat = () => Promise.reject(new Error("paused"))
    const { id } = await scene.submit()
    await scene.clock.advance(61_000)
    scene.storage.heartbeat = heartbeat
    await scene.clock.advance(10_000)
    const [, , deferred] = scene.history(id)
    assert.ok(deferred?.type === "deferred")
    assert.equal(deferred.data.reason, "unsent")
    assert.equal(scene.story(id).at(-1), "succeeded")
    assert.equal(channel.created.length, 1)
  })

  it("is still ours where the storage stored the intent and failed all the same", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    let isFailing = true
    const scene = createScene({
      channels: [channel],
      probe(point) {
        if (point !== "dispatch:before-append" || !isFailing) return
        isFailing = false
        scene.storage.failAppends(1, true)
      },
    })
    const { id } = await scene.submit()
    await scene.clock.advance(5_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
  })

  it("that a stop overtakes before the call is known to be unsent, and not a doubt", async () => {
    const channel = createScriptedChannel()
    let stopped: Promise<void> | undefined
    const scene = createScene({
      channels: [channel],
      async probe(point) {
        if (point !== "dispatch:after-append") return
        stopped = scene.engine.stop()
        await scene.clock.wait(100)
      },
    })
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    await stopped
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "deferred"])
    assert.equal(countSubmits(channel), 0)
  })

  it("leaks no slot where a submission can't be prepared", async () => {
    const channel = createScriptedChannel({ concurrency: 1, submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const broken = { prompt: "p", count: 3 }
    await assert.rejects(scene.submit(broken), RangeError)
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("works on no more tasks at once than the channel takes", async () => {
    let inFlight = 0
    let most = 0
    const total = 20
    const channel = createScriptedChannel({
      concurrency: 3,
      submits: Array.from({ length: total }, () => async () => {
        inFlight += 1
        most = Math.max(most, inFlight)
        await scene.clock.wait(100)
        inFlight -= 1
        return completed()
      }),
    })
    const scene = createScene({ channels: [channel] })
    const tasks = await Promise.all(Array.from({ length: total }, () => scene.submit()))
    await scene.clock.advance(60_000)
    for (const { id } of tasks) assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.equal(most, 3)
  })

  it("goes to the lowest tier that has a slot, and by load over weight within it", async () => {
    const never = (): Promise<never> => new Promise(() => {})
    const create = (name: string, concurrency: number): ScriptedChannel =>
      createScriptedChannel({ name, concurrency, submits: Array.from({ length: 9 }, () => never) })
    const [heavy, light, spare] = [create("heavy", 9), create("light", 9), create("spare", 9)]
    const scene = createScene({
      channels: [
        { channel: spare, tier: 2 },
        { channel: light, weight: 1 },
        { channel: heavy, weight: 2 },
      ],
    })
    await scene.clock.advance(0)
    for (let count = 0; count < 6; count += 1) await scene.submit()
    await scene.clock.advance(1)
    assert.deepEqual([heavy, light, spare].map(countSubmits), [4, 2, 0])
  })

  it("leaves a channel alone after failures in a row, and tries it again later", async () => {
    const busy = { kind: "not-created", reason: "down", retryAfterMs: 1 } as const
    const shaky = createScriptedChannel({ name: "shaky", submits: [busy, busy, busy, completed()] })
    const spare = createScriptedChannel({ name: "spare", submits: [completed()] })
    const scene = createScene({
      channels: [shaky, { channel: spare, tier: 2 }],
      settings: { maxAttempts: 9 },
    })
    const first = await scene.submit()
    await scene.clock.advance(10_000)
    assert.deepEqual([shaky, spare].map(countSubmits), [3, 1])
    assert.equal((await scene.read(first.id)).dispatch?.channel, "spare")
    await scene.clock.advance(15_000)
    const second = await scene.submit()
    await scene.clock.advance(2_000)
    assert.equal((await scene.read(second.id)).dispatch?.channel, "shaky")
  })

  it("fails a task whose parameters were erased before it was carried out", async () => {
    const channel = createScriptedChannel()
    const scene = createScene({ channels: [channel], isStarted: false })
    const { id } = await scene.submit()
    assert.equal(await scene.engine.erase({ account: "bob", id }), false)
    assert.equal(await scene.engine.erase({ account: "ada", id }), true)
    scene.engine.start()
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).error?.code, "internal_error")
    assert.equal(countSubmits(channel), 0)
  })
})
