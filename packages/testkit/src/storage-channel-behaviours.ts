/** What the contract of `Storage` says about channels: pauses, and what tasks tell of them. */
import assert from "node:assert/strict"
import type { AttemptCost, QueueChange, Storage, TaskCommand } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { enqueue, take } from "./queue-samples.ts"
import { acceptSample, advanceSample, dispatchSample, succeedSample } from "./sample-task.ts"
import { FINISH, idsOf, type StorageFixture } from "./storage-fixture.ts"

export const CHANNEL_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a channel is paused until it is resumed, since the first moment": async (fixture) => {
    const { storage } = fixture
    assert.deepEqual(await storage.listPausedChannels(), [])
    await storage.resumeChannel("fal")
    for (const [channel, pausedAt] of [
      ["b", 200],
      ["B", 9_007_199_254_740_991],
      ["a", 100],
      ["b", 300],
    ] as const) {
      await storage.pauseChannel({ channel, pausedAt })
    }
    const paused = [
      { channel: "B", pausedAt: 9_007_199_254_740_991 },
      { channel: "a", pausedAt: 100 },
      { channel: "b", pausedAt: 200 },
    ]
    assert.deepEqual(await storage.listPausedChannels(), paused)
    const reopened = await fixture.reopen()
    assert.deepEqual(await reopened.listPausedChannels(), paused)
    await reopened.resumeChannel("B")
    await reopened.resumeChannel("b")
    await reopened.pauseChannel({ channel: "b", pausedAt: 400 })
    assert.deepEqual(await reopened.listPausedChannels(), [
      { channel: "a", pausedAt: 100 },
      { channel: "b", pausedAt: 400 },
    ])
  },

  "in flight is what a channel was asked for, until it is deferred or finished": async ({
    storage,
  }) => {
    assert.deepEqual(await storage.countInFlight(), [])
    const doubt = { kind: "doubt", attempt: 1, code: "lost" } as const
    const defer = { kind: "defer", attempt: 1, reason: "busy", retryAt: 5_000 } as const
    const held = { lease: "mine", startTag: 1 }
    await enqueue(storage, "start", { startTag: 2 })
    await enqueue(storage, "held", held)
    await advance(storage, "dispatching", [ask("b")], undefined, held)
    await advance(
      storage,
      "running",
      [ask("a"), acceptSample({ words: "\u0000" })],
      undefined,
      held,
    )
    await advance(storage, "given-up", [ask("a"), acceptSample(7)], reschedule(null))
    await advance(storage, "doubtful", [ask("B"), doubt], reschedule(null))
    await advance(storage, "deferred", [ask("a"), defer], reschedule(null))
    await advance(storage, "finished", [ask("a"), succeedSample()], FINISH)
    const counts = (await storage.countInFlight()).map(({ channel, tasks }) => [channel, tasks])
    assert.deepEqual(Object.fromEntries(counts), { B: 1, a: 2, b: 1 })
  },

  "outcomes are summed by channel and model, with what each attempt cost": async ({ storage }) => {
    const all = { from: 0, to: 9_000 }
    assert.deepEqual(await storage.sumOutcomes(all), [])
    const fail = { kind: "fail", attempt: 1, code: "provider_rejected" } as const
    const defer = { kind: "defer", attempt: 1, reason: "busy", retryAt: 1_000 } as const
    const computed = { computedMicros: 7, told: { micros: 2_000_000, unit: "credits" } }
    const lost = { ...defer, cost: told(400) }
    await advance(storage, "t1", [ask("a"), succeedSample(1, { cost: told(100) })], FINISH)
    await advance(storage, "t2", [ask("a"), succeedSample(2, { cost: computed })], FINISH)
    await advance(storage, "t3", [ask("a"), lost, ask("b", 2), { ...fail, attempt: 2 }], FINISH)
    await advance(storage, "t4", [ask("a"), { ...fail, cost: "none" }], FINISH)
    await advance(storage, "t5", [ask("b"), acceptSample(7)])
    await enqueue(storage, "t6")
    const other = { model: "model-B" }
    await advance(storage, "t7", [ask("a"), { ...fail, cost: told(9, "credits") }], FINISH, other)
    await advance(storage, "t8", [ask("B"), defer, ask("B", 2), succeedSample()], FINISH)
    const nothing = { chargeMicros: 0, computedMicros: 0, failed: 0, succeeded: 0, toldMicros: 0 }
    const quick = { succeededMs: 0, longestMs: 0, unknown: 0 }
    assert.deepEqual(await storage.sumOutcomes(all), [
      {
        ...nothing,
        ...quick,
        channel: "B",
        chargeMicros: 30_000,
        model: "model-a",
        succeeded: 1,
        unknown: 1,
      },
      { ...nothing, ...quick, channel: "a", failed: 1, model: "model-B", unknown: 1 },
      {
        ...quick,
        channel: "a",
        chargeMicros: 90_000,
        computedMicros: 7,
        failed: 1,
        model: "model-a",
        succeeded: 2,
        toldMicros: 500,
      },
      { ...nothing, ...quick, channel: "b", failed: 1, model: "model-a", unknown: 1 },
    ])
  },

  "a task that ends while it waits again keeps the outcome of its last attempt": async ({
    storage,
  }) => {
    const lost = { kind: "defer", attempt: 1, reason: "failed", retryAt: 1_000 } as const
    const end = { kind: "fail", attempt: 1, code: "task_cancelled" } as const
    const { head } = await enqueue(storage, "t1")
    const deferred = advanceSample(head, [ask("a"), { ...lost, cost: told(400) }], {
      queue: reschedule(null),
    })
    await storage.append(deferred.append)
    const ended = advanceSample(deferred.head, [end], { queue: FINISH })
    await storage.append(ended.append)
    const read = await storage.readTask("t1")
    assert.equal(read?.task.state, "failed")
    const [sum, ...others] = await storage.sumOutcomes({ from: 0, to: 9_000 })
    assert.deepEqual([sum?.toldMicros, sum?.failed, others], [400, 0, []])
  },

  "outcomes are of a period, and told with how long successes took": async (fixture) => {
    const { storage } = fixture
    for (const [id, tookMs] of [
      ["t1", 10],
      ["t2", 250],
      ["t3", 1_000],
    ] as const) {
      const { head } = await enqueue(storage, id)
      const asked = advanceSample(head, [ask("a")])
      await storage.append(asked.append)
      const ended = advanceSample(asked.head, [succeedSample()], {
        now: 1_000 + tookMs,
        queue: FINISH,
      })
      await storage.append(ended.append)
    }
    const sum = async (from: number, to: number): Promise<unknown[]> => {
      const [found] = await storage.sumOutcomes({ from, to })
      return [found?.succeeded, found?.succeededMs, found?.longestMs]
    }
    assert.deepEqual(await sum(0, 9_000), [3, 1_260, 1_000])
    assert.deepEqual(await sum(1_010, 1_250), [1, 10, 10])
    assert.deepEqual(await sum(1_011, 1_251), [1, 250, 250])
    assert.deepEqual(await storage.sumOutcomes({ from: 2_001, to: 9_000 }), [])
    const reopened = await fixture.reopen()
    const [kept] = await reopened.sumOutcomes({ from: 0, to: 9_000 })
    assert.equal(kept?.chargeMicros, 90_000)
  },

  "due tasks may be taken alone": async ({ storage }) => {
    await enqueue(storage, "start", { startTag: 1 })
    await enqueue(storage, "later", { dueAt: 1_001 })
    await enqueue(storage, "step", { dueAt: 900 })
    const request = { dueOnly: true, permits: new Map([["account", 0]]) }
    assert.deepEqual(idsOf(await take(storage, request)), ["step"])
    assert.deepEqual(idsOf(await take(storage, request)), [])
    assert.deepEqual(idsOf(await take(storage)), ["start"])
  },
}

function told(micros: number, unit = "usd"): AttemptCost {
  return { computedMicros: null, told: { micros, unit } }
}

function ask(channel: string, attempt = 1): TaskCommand {
  return { ...dispatchSample(attempt), channel } as TaskCommand
}

function reschedule(holder: string | null): QueueChange {
  return { kind: "reschedule", dueAt: 1_000, lease: holder }
}

async function advance(
  storage: Storage,
  id: string,
  commands: readonly TaskCommand[],
  queue?: QueueChange,
  place: Parameters<typeof enqueue>[2] = {},
): Promise<void> {
  const { head } = await enqueue(storage, id, place)
  await storage.append(advanceSample(head, commands, queue === undefined ? {} : { queue }).append)
}
