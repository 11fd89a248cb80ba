/** What the contract of `Storage` says about places in the queue: moments, deadlines, retention. */
import assert from "node:assert/strict"
import type { QueueChange, Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { enqueue, findHeld, peek, take } from "./queue-samples.ts"
import { acceptSample, advanceSample, dispatchSample, type SampleAppend } from "./sample-task.ts"
import { idsOf, MODELS, toIds, type StorageFixture } from "./storage-fixture.ts"

export const QUEUE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a task is taken from its moment on, with its newest head": async ({ storage }) => {
    const { head } = await enqueue(storage, "t", { dueAt: 2_000 })
    assert.deepEqual(await take(storage, { now: 1_999 }), [])
    assert.deepEqual(await take(storage, { now: 2_000, lease: "mine" }), [
      { ...head, lease: "mine", startTag: null, runningLimit: null },
    ])
  },

  "a taking takes the models it names, the earliest first, up to its limit": async ({
    storage,
  }) => {
    const dueAts = [500, 300, 900, 100, 700, 200]
    for (const [index, dueAt] of dueAts.entries()) {
      await enqueue(storage, `t${dueAt}`, { dueAt, model: MODELS[index % 3] ?? "" })
    }
    const models = ["model-a", "model-b", "unknown"]
    const request = { models, now: 899 }
    assert.deepEqual(idsOf(await take(storage, { ...request, limit: 2 })), ["t100", "t300"])
    assert.deepEqual(idsOf(await take(storage, { ...request, limit: 9 })), ["t500", "t700"])
    assert.deepEqual(idsOf(await take(storage, { models: ["model-c"] })), ["t200", "t900"])
    assert.deepEqual(await take(storage, { models: [] }), [])
    assert.deepEqual(await take(storage, { limit: 0 }), [])
  },

  "callers that take at once never get the same task": async ({ storage }) => {
    const ids = toIds(100)
    await Promise.all(ids.map((id, index) => enqueue(storage, id, toPlace(index))))
    // As others take at the same moment a call may get less than there is, so all of them ask again.
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) => takeAll(storage, `lease-${index}`)),
    )
    assert.deepEqual(idsOf(taken.flat()).toSorted(), ids.toSorted())
  },

  "a released task may be taken from its moment on": async ({ storage }) => {
    await enqueue(storage, "t")
    await take(storage, { lease: "mine" })
    await storage.release({ lease: "other", tasks: ["t"], dueAt: 1_000 })
    assert.deepEqual(await take(storage, { now: 1_500 }), [])
    await storage.release({ lease: "mine", tasks: ["t", "unknown"], dueAt: 3_000 })
    assert.deepEqual(await peek(storage), { dueAt: 3_000, startTag: null, takeable: 0 })
    assert.deepEqual(await findHeld(storage, "mine"), [])
    assert.deepEqual(await take(storage, { now: 2_999 }), [])
    assert.deepEqual(idsOf(await take(storage, { now: 3_000 })), ["t"])
  },

  "an append may give the task to a lease, move its moment, or leave its place alone": async (
    fixture,
  ) => {
    const { storage } = fixture
    const submitted = await enqueue(storage, "t", { lease: "mine" })
    assert.deepEqual(await take(storage), [])
    assert.deepEqual(await findHeld(storage, "mine"), ["t"])

    const dispatched = advanceSample(submitted.head, [dispatchSample()])
    await storage.append(dispatched.append)
    assert.deepEqual(await take(storage), [])
    assert.deepEqual(await findHeld(storage, "mine"), ["t"])

    const accept = acceptSample(1)
    const held = { kind: "reschedule", dueAt: 4_000, lease: "next" } as const
    const accepted = advanceSample(dispatched.head, [accept], { queue: held })
    await storage.append(accepted.append)
    assert.deepEqual(await findHeld(storage, "mine"), [])
    assert.deepEqual(await findHeld(storage, "next"), ["t"])
    assert.deepEqual(await take(storage, { now: 4_000 }), [])

    const progress = { kind: "progress", attempt: 1, progress: 5 } as const
    const free = { kind: "reschedule", dueAt: 6_000, lease: null } as const
    const progressed = advanceSample(accepted.head, [progress], { queue: free })
    await storage.append(progressed.append)
    assert.deepEqual(await peek(storage), { dueAt: 6_000, startTag: null, takeable: 0 })
    assert.deepEqual(await take(storage, { now: 5_999 }), [])
    const [taken] = await take(storage, { now: 6_000, lease: "last" })
    assert.deepEqual(taken, {
      ...progressed.head,
      lease: "last",
      startTag: null,
      runningLimit: null,
    })
  },

  "a finished task leaves the queue and is retained from its moment": async ({ storage }) => {
    const kept = await finish(storage, "kept", 5_000)
    await finish(storage, "never", null)
    const early = await finish(storage, "early", 4_000)
    assert.deepEqual(await take(storage, { now: 99_999 }), [])
    assert.deepEqual(await storage.findOverdue({ now: 999_999, heldUntil: 999_999, limit: 9 }), [])
    assert.deepEqual(await peek(storage), { dueAt: null, startTag: null, takeable: 0 })
    assert.deepEqual(await storage.findRetained({ now: 3_999, limit: 9 }), [])
    assert.deepEqual(await storage.findRetained({ now: 5_000, limit: 9 }), [early, kept])
    assert.deepEqual(await storage.findRetained({ now: 5_000, limit: 1 }), [early])
    await storage.retain({ task: "early", dueAt: 6_000 })
    assert.deepEqual(await storage.findRetained({ now: 5_999, limit: 9 }), [kept])
    await storage.retain({ task: "kept", dueAt: null })
    await storage.retain({ task: "kept", dueAt: null })
    assert.deepEqual(await storage.findRetained({ now: 9_999, limit: 9 }), [early])
  },

  "overdue tasks are found by their end, earliest first": async ({ storage }) => {
    const late = await enqueue(storage, "late", { endBy: 3_000, startTag: 1 })
    const soon = await enqueue(storage, "soon", { endBy: 2_000 })
    await enqueue(storage, "later", { endBy: 4_001 })
    const find = (now: number, limit: number) => storage.findOverdue({ now, heldUntil: 0, limit })
    assert.deepEqual(await find(1_999, 9), [])
    assert.deepEqual(await find(2_000, 9), [soon.head])
    assert.deepEqual(await find(4_000, 9), [soon.head, late.head])
    assert.deepEqual(await find(4_000, 1), [soon.head])
  },

  "an overdue task that is held is left to its holder for a while": async ({ storage }) => {
    const held = await enqueue(storage, "held", { endBy: 2_000, lease: "mine" })
    const find = (heldUntil: number) => storage.findOverdue({ now: 9_000, heldUntil, limit: 9 })
    assert.deepEqual(await find(1_999), [])
    assert.deepEqual(await find(2_000), [held.head])
  },

  "a look ahead tells the earliest moment and the lowest start tag of the models": async (
    fixture,
  ) => {
    const { storage } = fixture
    const nothing = { dueAt: null, startTag: null, takeable: 0 }
    assert.deepEqual(await peek(storage), nothing)
    await enqueue(storage, "a", { dueAt: 3_000, model: "model-a" })
    await enqueue(storage, "b", { dueAt: 2_000, model: "model-b" })
    await enqueue(storage, "held", { dueAt: 500, lease: "mine" })
    const steps = { dueAt: 2_000, startTag: null }
    assert.deepEqual(await peek(storage, { now: 1_999 }), { ...steps, takeable: 0 })
    assert.deepEqual(await peek(storage, { now: 2_000 }), { ...steps, takeable: 1 })
    await enqueue(storage, "start", { dueAt: 950, model: "model-a", startTag: 8 })
    await enqueue(storage, "next", { dueAt: 200, model: "model-b", startTag: -7 })
    await enqueue(storage, "held-start", { dueAt: 100, startTag: 1, lease: "mine" })
    const both = { dueAt: 2_000, startTag: -7 }
    assert.deepEqual(await peek(storage), { ...both, takeable: 2 })
    assert.deepEqual(await peek(storage, { now: 3_000 }), { ...both, takeable: 4 })
    assert.deepEqual(await peek(storage, { now: 3_000, most: 3 }), { ...both, takeable: 3 })
    assert.deepEqual(await peek(storage, { now: 3_000, most: 1 }), { ...both, takeable: 1 })
    const ofA = { dueAt: 3_000, startTag: 8, takeable: 1 }
    assert.deepEqual(await peek(storage, { models: ["model-a"] }), ofA)
    assert.deepEqual(await peek(storage, { models: ["model-c", "unknown"] }), nothing)
    assert.deepEqual(await peek(storage, { models: [] }), nothing)
  },

  "the queue is measured by model: who waits, since when, and who is held": async (fixture) => {
    const { storage } = fixture
    assert.deepEqual(await storage.measureQueue(), [])
    await enqueue(storage, "b", { dueAt: 3_000, model: "model-b" })
    await enqueue(storage, "start", { dueAt: 2_000, model: "model-b", startTag: 1 })
    await enqueue(storage, "held", { dueAt: 1_000, model: "model-b", lease: "mine" })
    await enqueue(storage, "a", { dueAt: 500, model: "model-a", lease: "mine" })
    assert.deepEqual(await storage.measureQueue(), [
      { model: "model-a", waiting: 0, held: 1, oldestAt: null },
      { model: "model-b", waiting: 2, held: 1, oldestAt: 2_000 },
    ])
    await storage.release({ lease: "mine", tasks: ["a"], dueAt: 700 })
    const [first] = await storage.measureQueue()
    assert.deepEqual(first, { model: "model-a", waiting: 1, held: 0, oldestAt: 700 })
    await finish(storage, "done", null)
    assert.deepEqual((await storage.measureQueue())[0], first)
  },
}

/** Some are due, some stand in line. */
function toPlace(index: number): { readonly startTag: number | null } {
  return { startTag: index % 2 === 0 ? null : index }
}

/** Takes until nothing is left, at most as often as there are tasks. */
async function takeAll(storage: Storage, holder: string): ReturnType<Storage["take"]> {
  const taken = []
  for (let calls = 0; calls < 100; calls += 1) {
    taken.push(...(await take(storage, { limit: 7, lease: holder })))
    if ((await peek(storage)).takeable === 0) break
  }
  return taken
}

async function finish(
  storage: Storage,
  id: string,
  retainAt: number | null,
): Promise<SampleAppend["head"]> {
  const { head } = await enqueue(storage, id, { lease: "mine" })
  const queue: QueueChange = { kind: "finish", retainAt }
  const fail = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
  const failed = advanceSample(head, [fail], { queue })
  await storage.append(failed.append)
  return failed.head
}
