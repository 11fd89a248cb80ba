/**
 * The contract of `Storage`: new tasks, which stand in line by their start tags. They come
 * behind the due tasks.
 */
import assert from "node:assert/strict"
import { toShare, type Pool, type Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { enqueue, peek, take } from "./queue-samples.ts"
import { acceptSample, advanceSample, dispatchSample } from "./sample-task.ts"
import { idsOf, MODELS, type StorageFixture } from "./storage-fixture.ts"

export const NEW_TASK_BEHAVIOURS: Behaviours<StorageFixture> = {
  "new tasks are taken in the order of their start tags, whatever their moments": async ({
    storage,
  }) => {
    const tags = [Number.MAX_SAFE_INTEGER, 3, -4, 2]
    for (const [index, startTag] of tags.entries()) {
      const model = MODELS[index % 2] ?? ""
      await enqueue(storage, `t${index}`, { startTag, dueAt: 900 - index, model })
    }
    const taken = await take(storage, { limit: 3 })
    assert.deepEqual(idsOf(taken), ["t2", "t3", "t1"])
    assert.deepEqual(
      taken.map(({ startTag }) => startTag),
      [-4, 2, 3],
    )
    const [last] = await take(storage)
    assert.deepEqual([last?.task.id, last?.startTag], ["t0", Number.MAX_SAFE_INTEGER])
  },

  "a new task whose moment has not come is passed over, and keeps its place": async (fixture) => {
    const { storage } = fixture
    await enqueue(storage, "later", { startTag: 1, dueAt: 2_000 })
    await enqueue(storage, "t", { startTag: 2 })
    assert.deepEqual(await peek(storage), { dueAt: null, startTag: 2, takeable: 1 })
    assert.deepEqual(idsOf(await take(storage)), ["t"])
    await enqueue(storage, "u", { startTag: 3 })
    assert.deepEqual(idsOf(await take(storage, { now: 2_000 })), ["later", "u"])
  },

  "due tasks come first, in the answer and in what the limit takes": async ({ storage }) => {
    await enqueue(storage, "new-b", { startTag: -2 })
    await enqueue(storage, "new-a", { startTag: -1, model: "model-b" })
    await enqueue(storage, "due-b", { dueAt: 900 })
    await enqueue(storage, "due-a", { dueAt: 800, model: "model-b" })
    await enqueue(storage, "due-later", { dueAt: 1_001 })
    assert.deepEqual(idsOf(await take(storage, { limit: 1 })), ["due-a"])
    const taken = await take(storage, { limit: 2 })
    assert.deepEqual(idsOf(taken), ["due-b", "new-b"])
    assert.deepEqual(
      taken.map(({ startTag }) => startTag),
      [null, -2],
    )
    assert.deepEqual(idsOf(await take(storage)), ["new-a"])
  },

  "tasks with one start tag, or one moment, are taken in the order of their ids": async ({
    storage,
  }) => {
    for (const [index, id] of ["c", "a", "d", "b"].entries()) {
      const model = MODELS[index % 3] ?? ""
      await enqueue(storage, `due-${id}`, { model })
      await enqueue(storage, `new-${id}`, { startTag: 5, model })
    }
    const taken = idsOf(await take(storage, { limit: 6 }))
    assert.equal(taken.join(" "), "due-a due-b due-c due-d new-a new-b")
  },

  "accounts without permits are left out of the new tasks, and never of the due ones": async ({
    storage,
  }) => {
    await enqueueOfAccounts(storage)
    const permits = toPermits({ a: 0, c: 0, unknown: 0 })
    assert.deepEqual(idsOf(await take(storage, { permits })), ["due-a", "due-b", "due-c", "new-b"])
    assert.deepEqual(idsOf(await take(storage, { permits: new Map() })), ["new-a", "new-c"])
  },

  "of an account as many new tasks are taken as it has permits, the first in line": async ({
    storage,
  }) => {
    for (const [index, account] of ["a", "a", "a", "b", "a", "b"].entries()) {
      await enqueue(storage, `t${index}`, { account, startTag: index })
    }
    await enqueue(storage, "due-1", { account: "a" })
    await enqueue(storage, "due-2", { account: "a" })
    const permits = toPermits({ a: 2, unknown: 1 })
    const taken = idsOf(await take(storage, { permits }))
    assert.deepEqual(taken, ["due-1", "due-2", "t0", "t1", "t3", "t5"])
    assert.deepEqual(idsOf(await take(storage, { permits: toPermits({ a: 1 }) })), ["t2"])
    assert.deepEqual(idsOf(await take(storage)), ["t4"])
  },

  "accounts whose names look like anything are told apart": async ({ storage }) => {
    const names = ["a'b", 'a"b', "a\\b", "{a}", "a,b", "__proto__", "å", "$.a"]
    for (const [index, account] of names.entries()) {
      await enqueue(storage, `t${index}`, { account, startTag: index })
      await enqueue(storage, `u${index}`, { account, startTag: 20 + index })
    }
    const permits = new Map(names.map((name) => [name, 1]))
    const taken = idsOf(await take(storage, { permits, limit: 30 }))
    assert.deepEqual(taken, ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"])
    const none = new Map(names.map((name) => [name, 0]))
    assert.deepEqual(await take(storage, { permits: none }), [])
  },

  "new tasks are left to the turns that have a share of their pools": async ({ storage }) => {
    const pools: (Pool | undefined)[] = [undefined]
    for (const number of [0, 1, 2, 3, 4, 7, 268_435_455]) {
      for (const size of [1, 2, 4, 5, 6, 1_000_000]) pools.push({ number, size })
    }
    for (const [index, pool] of pools.entries()) {
      await enqueue(storage, `new-${index}`, { startTag: index, ...(pool && { pool }) })
      await enqueue(storage, `due-${index}`, { ...(pool && { pool }) })
    }
    const due = idsOf(
      await take(storage, { turn: { index: 2, count: 5 }, limit: 99, dueOnly: true }),
    )
    assert.equal(due.length, pools.length)
    for (const index of [0, 1, 2, 3, 4]) {
      const [lease, turn] = [`lease-${index}`, { index, count: 5 }]
      const tasks = idsOf(await take(storage, { turn, lease, limit: 99 }))
      const mine = [...pools.entries()].filter(
        ([, pool]) => pool === undefined || toShare(turn, pool.size, () => pool.number) > 0,
      )
      assert.deepEqual(
        tasks,
        mine.map(([place]) => `new-${place}`),
      )
      await storage.release({ lease, tasks, dueAt: 0, startsAnew: true })
    }
    assert.equal((await take(storage, { limit: 99 })).length, pools.length)
  },

  "a task that is taken tells how many of its account may run, and so is read for many": async ({
    storage,
  }) => {
    const settings = { runningTasks: 3 }
    await storage.setAccount({ id: "a", now: 1_000, settings })
    await enqueue(storage, "t", { account: "a", startTag: 1 })
    await enqueue(storage, "u", { account: "b" })
    const taken = await take(storage)
    assert.deepEqual(
      taken.map(({ runningLimit, task: { id } }) => [id, runningLimit]),
      [
        ["u", null],
        ["t", 3],
      ],
    )
    const limits = await storage.findRunningLimits(["b", "a", "unknown"])
    assert.deepEqual(
      [limits.get("a"), limits.get("b"), limits.get("unknown"), limits.size],
      [3, null, null, 3],
    )
    assert.equal((await storage.findRunningLimits([])).size, 0)
  },

  "how far starts have come is the highest start tag that is held": async ({ storage }) => {
    const find = (models: readonly string[] = MODELS) => storage.findStartedTag({ models })
    assert.equal(await find(), null)
    for (const [id, startTag] of [
      ["a", 5],
      ["b", -3],
      ["c", 9],
    ] as const) {
      await enqueue(storage, id, { startTag, model: id === "a" ? "model-b" : "model-a" })
    }
    await enqueue(storage, "due", { lease: "mine" })
    assert.equal(await find(), null)
    await take(storage, { limit: 2 })
    assert.deepEqual(
      [await find(), await find(["model-a"]), await find(["model-c"])],
      [5, -3, null],
    )
    assert.equal(await find([]), null)
  },

  "a new task that was released keeps its place, from its moment on": async ({ storage }) => {
    await enqueue(storage, "t", { startTag: 4, dueAt: 500 })
    await enqueue(storage, "due", { dueAt: 600 })
    await take(storage, { lease: "mine" })
    const tasks = ["t", "due", "unknown"]
    await storage.release({ lease: "other", tasks, dueAt: 3_000 })
    assert.deepEqual(await take(storage, { now: 3_000 }), [])
    await storage.release({ lease: "mine", tasks, dueAt: 3_000 })
    assert.deepEqual(await peek(storage), { dueAt: 3_000, startTag: null, takeable: 0 })
    assert.deepEqual(await take(storage, { now: 2_999 }), [])
    const again = await take(storage, { now: 3_000 })
    assert.deepEqual(
      again.map(({ startTag, task: { id } }) => [id, startTag]),
      [
        ["due", null],
        ["t", 4],
      ],
    )
  },

  "what is to be dispatched anew is a new task again, at the front without a start tag": async ({
    storage,
  }) => {
    for (const [id, startTag] of [
      ["t", 4],
      ["u", null],
    ] as const) {
      const { head } = await enqueue(storage, id, { startTag, lease: "mine" })
      await storage.append(advanceSample(head, [dispatchSample()]).append)
    }
    const tasks = ["t", "u"]
    await storage.release({ lease: "mine", tasks, dueAt: 900, startsAnew: true })
    await enqueue(storage, "new", { startTag: 2 })
    const taken = await take(storage)
    assert.deepEqual(
      taken.map(({ startTag, task: { id } }) => [id, startTag]),
      [
        ["u", 0],
        ["new", 2],
        ["t", 4],
      ],
    )
  },

  "a freed task that was dispatched is due at its moment, before any new one": async (fixture) => {
    const { storage } = fixture
    const ways: readonly (() => Promise<unknown>)[] = [
      () => storage.expire({ lease: "mine", heartbeats: 0 }),
      () => storage.release({ lease: "mine", tasks: ["t1", "s1"], dueAt: 700 }),
    ]
    for (const [index, free] of ways.entries()) {
      const [task, start] = [`t${index}`, `s${index}`]
      const place = { lease: "mine", account: "full", dueAt: 700 }
      const { head } = await enqueue(storage, task, { ...place, startTag: 7 })
      // Dispatched and followed: neither append says anything of its place.
      const dispatched = advanceSample(head, [dispatchSample()])
      await storage.append(dispatched.append)
      await storage.append(advanceSample(dispatched.head, [acceptSample("op")]).append)
      await enqueue(storage, start, { ...place, startTag: 8 })
      await enqueue(storage, `first${index}`, { startTag: 1, account: "other" })
      await free()
      const none = toPermits({ full: 0, other: 0 })
      assert.deepEqual(await take(storage, { now: 699, permits: none }), [])
      const taken = await take(storage, { permits: toPermits({ full: 0 }) })
      assert.deepEqual(
        taken.map(({ task: { id }, startTag }) => [id, startTag]),
        [
          [task, null],
          [`first${index}`, 1],
        ],
      )
      const [last] = await take(storage)
      assert.deepEqual([last?.task.id, last?.startTag], [start, 8])
    }
  },

  "a new task that was rescheduled is due at its moment, held or not": async ({ storage }) => {
    for (const id of ["free", "held"]) {
      const { head } = await enqueue(storage, id, { startTag: 4 })
      const held = id === "held" ? "mine" : null
      const queue = { kind: "reschedule", dueAt: 3_000, lease: held } as const
      await storage.append(advanceSample(head, [dispatchSample()], { queue }).append)
    }
    assert.deepEqual(await take(storage, { now: 2_999 }), [])
    const [free, ...others] = await take(storage, { now: 3_000 })
    assert.deepEqual([free?.task.id, free?.startTag, others], ["free", null, []])
    assert.equal(await storage.expire({ lease: "mine", heartbeats: 0 }), true)
    const [freed] = await take(storage, { now: 3_000 })
    assert.deepEqual([freed?.task.id, freed?.startTag], ["held", null])
  },
}

function toPermits(counts: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(Object.entries(counts))
}

/** A due and a new task of each of three accounts, with start tags against the order of their names. */
async function enqueueOfAccounts(storage: Storage): Promise<void> {
  for (const [index, account] of ["c", "b", "a"].entries()) {
    const model = account === "c" ? "model-b" : "model-a"
    await enqueue(storage, `due-${account}`, { account, model, dueAt: 900 - index })
    await enqueue(storage, `new-${account}`, { account, model, startTag: 10 - index })
  }
}
