/** What the contract of `Storage` says about channels: pauses, and what tasks tell of them. */
import assert from "node:assert/strict"
import type { QueueChange, Storage, TaskCommand } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { claim, enqueue } from "./queue-samples.ts"
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
    const held = { claim: "mine", turn: 1 }
    await enqueue(storage, "start", { turn: 2 })
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

  "outcomes are summed by the channel that was asked last": async ({ storage }) => {
    const all = { createdSince: 0, fromId: "", limit: 10 }
    assert.deepEqual(await storage.sumOutcomes(all), { channels: [], isWhole: true })
    const fail = { kind: "fail", attempt: 1, code: "provider_rejected" } as const
    const defer = { kind: "defer", attempt: 1, reason: "busy", retryAt: 1_000 } as const
    await advance(storage, "t1", [ask("a"), succeedSample()], FINISH)
    await advance(storage, "t2", [ask("a"), succeedSample(2)], FINISH)
    await advance(storage, "t3", [ask("a"), defer, ask("b", 2), { ...fail, attempt: 2 }], FINISH)
    await advance(storage, "t4", [ask("a"), fail], FINISH)
    await advance(storage, "t5", [ask("b"), acceptSample(7)])
    await enqueue(storage, "t6")
    const a = { channel: "a", succeeded: 2, failed: 1, chargeMicros: 90_000 }
    const b = { channel: "b", succeeded: 0, failed: 1, chargeMicros: 0 }
    const { channels, isWhole } = await storage.sumOutcomes(all)
    assert.deepEqual([new Set(channels), isWhole], [new Set([a, b]), true])
    const since = { ...all, createdSince: 1_001 }
    assert.deepEqual(await storage.sumOutcomes(since), { channels: [], isWhole: true })
  },

  "outcomes are those of the newest tasks by id, and it is said whether there were more": async ({
    storage,
  }) => {
    for (const id of ["T9", "t1", "t2", "t3"]) {
      await advance(storage, id, [ask("a"), succeedSample()], FINISH)
    }
    const sum = async (fromId: string, limit: number): Promise<unknown[]> => {
      const { channels, isWhole } = await storage.sumOutcomes({ createdSince: 0, fromId, limit })
      return [channels[0]?.succeeded, isWhole]
    }
    assert.deepEqual(await sum("t", 4), [3, true])
    assert.deepEqual(await sum("t2", 4), [2, true])
    assert.deepEqual(await sum("t", 2), [2, false])
    assert.deepEqual(await sum("", 9), [4, true])
  },

  "what waits for its moment may be claimed without any start": async ({ storage }) => {
    await enqueue(storage, "start", { turn: 1 })
    await enqueue(storage, "later", { dueAt: 1_001 })
    await enqueue(storage, "step", { dueAt: 900 })
    const request = { exceptStarts: true, exceptAccounts: ["account"] } as const
    assert.deepEqual(idsOf(await claim(storage, request)), ["step"])
    assert.deepEqual(idsOf(await claim(storage, request)), [])
    assert.deepEqual(idsOf(await claim(storage)), ["start"])
  },
}

function ask(channel: string, attempt = 1): TaskCommand {
  return { ...dispatchSample(attempt), channel } as TaskCommand
}

function reschedule(holder: string | null): QueueChange {
  return { kind: "reschedule", dueAt: 1_000, claim: holder }
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
