/**
 * Cancelling for an account: what was bought is stopped where its channel can, and never given up where it
 * can't. Each test says what the caller is told, what the log says and what the channel was asked.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Cancellation, Channel } from "@safelight/core"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene, type Scene, type SceneOptions } from "./support.ts"

const ACCEPTED = { kind: "accepted", operation: { id: "job-7" } } as const
const LOST = { kind: "lost", operation: { id: "job-7" } } as const
const RUNNING = { kind: "running", pollAfterMs: 1_000 } as const
const STOPPED = { kind: "refused", code: "task_cancelled" } as const
const FEW = [RUNNING, RUNNING, RUNNING]
const MANY = Array.from({ length: 60 }, () => RUNNING)

interface World {
  readonly scene: Scene
  readonly channel: ScriptedChannel
  readonly id: string
}

async function begin(
  channel: ScriptedChannel,
  more: Partial<SceneOptions> = {},
): Promise<World & { readonly log: ReturnType<typeof createLogRecorder> }> {
  const log = createLogRecorder()
  const scene = createScene({ channels: [channel], log: log.log, ...more })
  await scene.clock.advance(0)
  const { id } = await scene.submit()
  await scene.clock.advance(1_000)
  return { scene, channel, id, log }
}

/** The cancellation's result, with as much time as it takes. */
async function cancel({ scene, id }: Pick<World, "scene" | "id">): Promise<Cancellation> {
  const asked = scene.engine.cancel({ account: "ada", id })
  const seen = { isOver: false }
  void asked.finally(() => (seen.isOver = true)).catch(() => {})
  for (let turns = 0; !seen.isOver && turns < 40; turns += 1) await scene.clock.advance(250)
  return (await asked) ?? assert.fail("the task is unknown")
}

function countCalls(channel: ScriptedChannel, method: string): number {
  return channel.calls.filter((call) => call.method === method).length
}

describe("a task that its account cancels", () => {
  it("costs nothing before a channel has it", async () => {
    const channel = createScriptedChannel()
    const world = await begin(channel, { isStarted: false })
    const { outcome, task } = await cancel(world)
    assert.deepEqual([outcome, task.error?.code], ["cancelled", "task_cancelled"])
    assert.deepEqual(world.scene.story(world.id), ["submitted", "failed"])
    const failed = world.scene.history(world.id).at(-1)
    assert.ok(failed?.type === "failed")
    assert.deepEqual([failed.data.cost, failed.data.chargeMicros], ["none", 0])
    world.scene.engine.start()
    await world.scene.clock.advance(5_000)
    assert.deepEqual(channel.calls, [])
  })

  it("costs nothing while it waits for another try", async () => {
    const busy = { kind: "not-created", reason: "down", retryAfterMs: 60_000 } as const
    const world = await begin(createScriptedChannel({ submits: [busy] }))
    const { outcome } = await cancel(world)
    assert.equal(outcome, "cancelled")
    assert.equal((await cancel(world)).outcome, "cancelled")
    await world.scene.clock.advance(120_000)
    assert.equal(countCalls(world.channel, "submit"), 1)
  })

  it("is stopped at its channel while it runs, uncharged, and the log says what it may have cost", async () => {
    const world = await begin(createScriptedChannel({ submits: [ACCEPTED], polls: MANY }))
    const { outcome, task } = await cancel(world)
    assert.deepEqual([outcome, task.state, task.chargeMicros], ["stopped", "failed", 0])
    const failed = world.scene.history(world.id).at(-1)
    assert.ok(failed?.type === "failed")
    assert.equal(failed.data.cost, "unknown")
    const { request } = world.channel.calls.find(({ method }) => method === "cancel") ?? {}
    assert.ok(request !== undefined && "operation" in request)
    assert.deepEqual(request.operation, { id: "job-7" })
    await world.scene.clock.advance(30_000)
    assert.equal(countCalls(world.channel, "cancel"), 1)
    assert.equal((await cancel(world)).outcome, "stopped")
    assert.equal(countCalls(world.channel, "cancel"), 1)
  })

  it("leaves room for the next one", async () => {
    const channel = createScriptedChannel({
      concurrency: 1,
      submits: [ACCEPTED, ACCEPTED],
      polls: MANY,
    })
    const world = await begin(channel)
    const next = await world.scene.submit()
    await world.scene.clock.advance(2_000)
    assert.equal((await world.scene.read(next.id)).state, "queued")
    await cancel(world)
    await world.scene.clock.advance(2_000)
    assert.equal((await world.scene.read(next.id)).state, "running")
  })

  it("goes on where it is too late, and its success is charged", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [...FEW, completed()],
      cancelOutcome: "too-late",
    })
    const world = await begin(channel)
    const first = await cancel(world)
    assert.deepEqual([first.outcome, first.task.state], ["too-late", "running"])
    await world.scene.clock.advance(10_000)
    const { outcome, task } = await cancel(world)
    assert.deepEqual([outcome, task.state], ["too-late", "succeeded.available"])
    assert.equal(task.chargeMicros, 30_000)
    assert.equal(countCalls(channel, "cancel"), 1)
  })

  it("goes on where the channel does not tell, and ends as the provider ends it", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [...FEW, STOPPED],
      cancelOutcome: "unknown",
    })
    const world = await begin(channel)
    assert.equal((await cancel(world)).outcome, "unknown")
    await world.scene.clock.advance(10_000)
    const { outcome, task } = await cancel(world)
    assert.deepEqual([outcome, task.error?.code], ["stopped", "task_cancelled"])
  })

  for (const [words, change] of [
    ["can't stop work", { cancel: undefined }],
    ["fails", { cancel: () => Promise.reject(new Error("the provider is away")) }],
    ["never answers", { cancel: () => new Promise(() => {}) }],
  ] as const) {
    it(`goes on where the channel ${words}`, async () => {
      const scripted = createScriptedChannel({
        submits: [ACCEPTED],
        polls: [...MANY.slice(0, 12), completed()],
      })
      const channel = { ...scripted, ...change } as unknown as ScriptedChannel
      if (change.cancel === undefined) delete (channel as { cancel?: unknown }).cancel
      const world = await begin(channel)
      const { outcome } = await cancel(world)
      assert.equal(outcome, "unknown")
      await world.scene.clock.advance(30_000)
      assert.equal((await world.scene.read(world.id)).state, "succeeded.available")
    })
  }

  it("keeps a result that is being stored, whatever the channel would say", async () => {
    const put = Promise.withResolvers<void>()
    const channel = createScriptedChannel({ submits: [ACCEPTED], polls: [completed()] })
    const world = await begin(channel, {
      probe: (point) => (point === "collect:before-put" ? put.promise : undefined),
    })
    await world.scene.clock.advance(2_000)
    const { outcome, task } = await cancel(world)
    assert.deepEqual([outcome, task.state], ["too-late", "running"])
    assert.equal(countCalls(channel, "cancel"), 0)
    put.resolve()
    await world.scene.clock.advance(2_000)
    assert.equal((await world.scene.read(world.id)).state, "succeeded.available")
  })

  it("loses against a success that is recorded while the channel is asked", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [RUNNING, completed()],
      async cancelOutcome() {
        await world.scene.clock.wait(4_000)
        return "stopped" as const
      },
    })
    const world: World = await begin(channel, {})
    const { outcome, task } = await cancel(world)
    assert.deepEqual([outcome, task.state], ["too-late", "succeeded.available"])
  })

  it("is asked for once by callers who ask together", async () => {
    const world = await begin(createScriptedChannel({ submits: [ACCEPTED], polls: MANY }))
    const [first, second] = await Promise.all([cancel(world), cancel(world)])
    assert.deepEqual([first.outcome, second.outcome], ["stopped", "stopped"])
    assert.equal(countCalls(world.channel, "cancel"), 1)
  })

  it("is another account's business alone", async () => {
    const world = await begin(createScriptedChannel({ submits: [ACCEPTED], polls: MANY }))
    const { engine } = world.scene
    assert.equal(await engine.cancel({ account: "eve", id: world.id }), undefined)
    assert.equal(await engine.cancel({ account: "ada", id: "none" }), undefined)
    assert.equal(countCalls(world.channel, "cancel"), 0)
    assert.equal((await world.scene.read(world.id)).state, "running")
  })

  it("is refused once the engine stops", async () => {
    const world = await begin(createScriptedChannel({ submits: [ACCEPTED], polls: MANY }))
    const stopped = world.scene.engine.stop()
    await assert.rejects(world.scene.engine.cancel({ account: "ada", id: world.id }), {
      code: "overloaded",
    })
    await world.scene.clock.advance(1_000)
    await stopped
  })
})

describe("a task whose purchase is under way", () => {
  it("is stopped once the answer is there", async () => {
    const call = Promise.withResolvers<void>()
    const channel = createScriptedChannel({
      submits: [
        async () => {
          await call.promise
          return ACCEPTED
        },
      ],
      polls: MANY,
    })
    const world = await begin(channel)
    assert.equal((await world.scene.read(world.id)).state, "dispatching")
    const asked = world.scene.engine.cancel({ account: "ada", id: world.id })
    await world.scene.clock.advance(300)
    call.resolve()
    await world.scene.clock.advance(5_000)
    assert.equal((await asked)?.outcome, "stopped")
    assert.deepEqual(channel.created, [`${world.id}.1`])
    assert.equal(countCalls(channel, "cancel"), 1)
  })

  it("goes on where the answer does not come in time, and its result is kept", async () => {
    const call = Promise.withResolvers<void>()
    const channel = createScriptedChannel({
      submitTimeoutMs: 100_000,
      sendWithinMs: 10_000,
      submits: [
        async () => {
          await call.promise
          return completed()
        },
      ],
    })
    const world = await begin(channel)
    const { outcome, task } = await cancel(world)
    assert.deepEqual([outcome, task.state], ["unknown", "dispatching"])
    call.resolve()
    await world.scene.clock.advance(1_000)
    assert.equal((await cancel(world)).outcome, "too-late")
    assert.equal((await world.scene.read(world.id)).state, "succeeded.available")
  })
})

describe("a task in doubt", () => {
  const lookup = { kind: "lookup", longestRequestMs: 1_000 } as const

  it("ends uncharged where nobody can be asked, and a line names the purchase", async () => {
    const world = await begin(createScriptedChannel({ submits: [LOST] }))
    assert.equal((await world.scene.read(world.id)).state, "doubtful")
    const { outcome, task } = await cancel(world)
    assert.deepEqual([outcome, task.error?.code], ["unknown", "task_cancelled"])
    assert.equal(task.chargeMicros, 0)
    const line = world.log.entries.find(({ message }) => message === "purchase abandoned")
    assert.equal(line?.level, "error")
    assert.equal(line.fields["upstreamKey"], `${world.id}.1`)
    assert.equal((await cancel(world)).outcome, "unknown")
  })

  it("is found and stopped where its channel can be asked", async () => {
    const channel = createScriptedChannel({ submission: lookup, submits: [LOST], polls: MANY })
    const world = await begin(channel)
    const { outcome } = await cancel(world)
    assert.equal(outcome, "stopped")
    assert.deepEqual(world.scene.story(world.id).slice(-2), ["accepted", "failed"])
    assert.equal(countCalls(channel, "cancel"), 1)
    assert.ok(world.log.entries.every(({ message }) => message !== "purchase abandoned"))
  })

  it("is stopped once a repeat under the same key has told what came of it", async () => {
    const submission = { kind: "keyed", keyTtlMs: 3_600_000 } as const
    const channel = createScriptedChannel({ submission, submits: [LOST], polls: MANY })
    const world = await begin(channel, { settings: { backoffMs: 3_000 } })
    assert.equal((await world.scene.read(world.id)).state, "doubtful")
    assert.equal((await cancel(world)).outcome, "stopped")
    assert.deepEqual(channel.created, [`${world.id}.1`])
  })

  it("buys nothing again", async () => {
    const lost: Channel["submit"] = () => Promise.reject(new Error("the answer was lost"))
    const channel = { ...createScriptedChannel({ submission: lookup }), submit: lost }
    const world = await begin(channel)
    const { outcome } = await cancel(world)
    assert.equal(outcome, "unknown")
    await world.scene.clock.advance(300_000)
    assert.deepEqual(world.scene.story(world.id), ["submitted", "dispatched", "doubted", "failed"])
  })
})

describe("two processes", () => {
  it("stop what the other one follows", async () => {
    const channel = createScriptedChannel({ submits: [ACCEPTED], polls: MANY })
    const world = await begin(channel)
    const { clock, storage, artifacts } = world.scene
    const other = createScene({
      channels: [channel],
      clock,
      storage,
      artifacts,
      isStarted: false,
    })
    assert.equal((await cancel({ scene: other, id: world.id })).outcome, "stopped")
    await clock.advance(30_000)
    const { chargeMicros, state } = await world.scene.read(world.id)
    assert.deepEqual([state, chargeMicros], ["failed", 0])
    assert.deepEqual(channel.created, [`${world.id}.1`])
  })

  it("leave to the other one what they have no channel for", async () => {
    const channel = createScriptedChannel({ submits: [ACCEPTED], polls: MANY })
    const world = await begin(channel)
    const { clock, storage, artifacts } = world.scene
    const channels = [createScriptedChannel({ name: "another" })]
    const other = createScene({ channels, clock, storage, artifacts, isStarted: false })
    assert.equal((await cancel({ scene: other, id: world.id })).outcome, "unknown")
    assert.equal((await world.scene.read(world.id)).state, "running")
  })
})
