/**
 * What the contract of `Storage` says about starts: tasks that wait for their turn and for no
 * moment. They come behind the due steps of tasks that are under way.
 */
import assert from "node:assert/strict"
import type { Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { claim, enqueue, peek } from "./queue-samples.ts"
import { acceptSample, advanceSample, dispatchSample } from "./sample-task.ts"
import { idsOf, MODELS, type StorageFixture } from "./storage-fixture.ts"

export const START_BEHAVIOURS: Behaviours<StorageFixture> = {
  "starts are taken in the order of their turns, whatever their moments": async ({ storage }) => {
    const turns = [Number.MAX_SAFE_INTEGER, 3, -4, 2]
    for (const [index, turn] of turns.entries()) {
      const model = MODELS[index % 2] ?? ""
      await enqueue(storage, `t${index}`, { turn, dueAt: 9_000 - index, model })
    }
    const claimed = await claim(storage, { limit: 3 })
    assert.deepEqual(idsOf(claimed), ["t2", "t3", "t1"])
    assert.deepEqual(
      claimed.map(({ turn }) => turn),
      [-4, 2, 3],
    )
    const [last] = await claim(storage)
    assert.deepEqual([last?.task.id, last?.turn], ["t0", Number.MAX_SAFE_INTEGER])
  },

  "due steps come first, in the answer and in what the limit takes": async ({ storage }) => {
    await enqueue(storage, "start-b", { turn: -2 })
    await enqueue(storage, "start-a", { turn: -1, model: "model-b" })
    await enqueue(storage, "step-b", { dueAt: 900 })
    await enqueue(storage, "step-a", { dueAt: 800, model: "model-b" })
    await enqueue(storage, "step-later", { dueAt: 1_001 })
    assert.deepEqual(idsOf(await claim(storage, { limit: 1 })), ["step-a"])
    const claimed = await claim(storage, { limit: 2 })
    assert.deepEqual(idsOf(claimed), ["step-b", "start-b"])
    assert.deepEqual(
      claimed.map(({ turn }) => turn),
      [null, -2],
    )
    assert.deepEqual(idsOf(await claim(storage)), ["start-a"])
  },

  "tasks with one turn, or one moment, are taken in the order of their ids": async (fixture) => {
    const { storage } = fixture
    for (const [index, id] of ["c", "a", "d", "b"].entries()) {
      const model = MODELS[index % 3] ?? ""
      await enqueue(storage, `step-${id}`, { model })
      await enqueue(storage, `start-${id}`, { turn: 5, model })
    }
    const claimed = idsOf(await claim(storage, { limit: 6 }))
    assert.equal(claimed.join(" "), "step-a step-b step-c step-d start-a start-b")
  },

  "accounts may be left out of the starts, and never of the steps": async ({ storage }) => {
    await enqueueOfAccounts(storage)
    const exceptAccounts = ["a", "c", "unknown"]
    const claimed = idsOf(await claim(storage, { exceptAccounts }))
    assert.deepEqual(claimed, ["step-a", "step-b", "step-c", "start-b"])
    assert.deepEqual(idsOf(await claim(storage, { exceptAccounts: [] })), ["start-a", "start-c"])
  },

  "how far starts have come is the highest turn that is claimed": async ({ storage }) => {
    const find = (models: readonly string[] = MODELS) => storage.findStartedTurn({ models })
    assert.equal(await find(), null)
    for (const [id, turn] of [
      ["a", 5],
      ["b", -3],
      ["c", 9],
    ] as const) {
      await enqueue(storage, id, { turn, model: id === "a" ? "model-b" : "model-a" })
    }
    await enqueue(storage, "step", { claim: "mine" })
    assert.equal(await find(), null)
    await claim(storage, { limit: 2 })
    assert.deepEqual(
      [await find(), await find(["model-a"]), await find(["model-c"])],
      [5, -3, null],
    )
    assert.equal(await find([]), null)
  },

  "a start that was released waits for its moment, among the steps": async ({ storage }) => {
    await enqueue(storage, "t", { turn: 4 })
    await claim(storage, { claim: "mine" })
    await storage.release({ claim: "mine", tasks: ["t"], dueAt: 3_000 })
    assert.deepEqual(await peek(storage), { dueAt: 3_000, turn: null, claimable: 0 })
    assert.deepEqual(await claim(storage, { now: 2_999 }), [])
    const [again] = await claim(storage, { now: 3_000 })
    assert.deepEqual([again?.task.id, again?.turn], ["t", null])
  },

  "a start that was released in its turn keeps it, and waits for no moment": async ({
    storage,
  }) => {
    await enqueue(storage, "t", { turn: 4, dueAt: 500 })
    await enqueue(storage, "step", { dueAt: 600 })
    await claim(storage, { claim: "mine" })
    const tasks = ["t", "step", "unknown"]
    await storage.release({ claim: "other", tasks, dueAt: 3_000, keepsTurns: true })
    assert.deepEqual(await claim(storage), [])
    await storage.release({ claim: "mine", tasks, dueAt: 3_000, keepsTurns: true })
    assert.deepEqual(await peek(storage), { dueAt: 3_000, turn: 4, claimable: 1 })
    assert.equal((await storage.measureQueue())[0]?.oldestAt, 500)
    const [again, ...others] = await claim(storage)
    assert.deepEqual([again?.task.id, again?.turn, others], ["t", 4, []])
    assert.deepEqual(idsOf(await claim(storage, { now: 3_000 })), ["step"])
  },

  "a freed task that was dispatched waits for its moment, before any start": async (fixture) => {
    const { storage } = fixture
    const ways: readonly (() => Promise<unknown>)[] = [
      () => storage.voidClaim({ claim: "mine", beats: 0 }),
      () => storage.freeOthers({ claim: "mine", tasks: [] }),
      () => storage.release({ claim: "mine", tasks: ["t2", "s2"], dueAt: 700, keepsTurns: true }),
    ]
    for (const [index, free] of ways.entries()) {
      const [task, start] = [`t${index}`, `s${index}`]
      const place = { claim: "mine", account: "full", dueAt: 700 }
      const { head } = await enqueue(storage, task, { ...place, turn: 7 })
      // Dispatched and followed: neither append says anything of its place.
      const dispatched = advanceSample(head, [dispatchSample()])
      await storage.append(dispatched.append)
      await storage.append(advanceSample(dispatched.head, [acceptSample("op")]).append)
      await enqueue(storage, start, { ...place, turn: 8 })
      await enqueue(storage, `first${index}`, { turn: 1, account: "other" })
      await free()
      assert.deepEqual(await claim(storage, { now: 699, exceptAccounts: ["full", "other"] }), [])
      const exceptAccounts = ["full"]
      const claimed = await claim(storage, { exceptAccounts })
      assert.deepEqual(
        claimed.map(({ task: { id }, turn }) => [id, turn]),
        [
          [task, null],
          [`first${index}`, 1],
        ],
      )
      const [last] = await claim(storage)
      assert.deepEqual([last?.task.id, last?.turn], [start, 8])
    }
  },

  "a start that was rescheduled waits for its moment, claimed or not": async ({ storage }) => {
    for (const id of ["free", "held"]) {
      const { head } = await enqueue(storage, id, { turn: 4 })
      const held = id === "held" ? "mine" : null
      const queue = { kind: "reschedule", dueAt: 3_000, claim: held } as const
      await storage.append(advanceSample(head, [dispatchSample()], { queue }).append)
    }
    assert.deepEqual(await claim(storage, { now: 2_999 }), [])
    const [free, ...others] = await claim(storage, { now: 3_000 })
    assert.deepEqual([free?.task.id, free?.turn, others], ["free", null, []])
    assert.equal(await storage.voidClaim({ claim: "mine", beats: 0 }), true)
    const [freed] = await claim(storage, { now: 3_000 })
    assert.deepEqual([freed?.task.id, freed?.turn], ["held", null])
  },
}

/** A step and a start of each of three accounts, with turns against the order of their names. */
async function enqueueOfAccounts(storage: Storage): Promise<void> {
  for (const [index, account] of ["c", "b", "a"].entries()) {
    const model = account === "c" ? "model-b" : "model-a"
    await enqueue(storage, `step-${account}`, { account, model, dueAt: 900 - index })
    await enqueue(storage, `start-${account}`, { account, model, turn: 10 - index })
  }
}
