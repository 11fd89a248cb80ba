/** What the contract of `Storage` says about places in the queue: moments, deadlines, retention. */
import assert from "node:assert/strict"
import type { QueueChange, Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { claim, enqueue, peek, renew } from "./queue-samples.ts"
import { acceptSample, advanceSample, dispatchSample, type SampleAppend } from "./sample-task.ts"
import { idsOf, MODELS, toIds, type StorageFixture } from "./storage-fixture.ts"

export const QUEUE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a task is claimed from its moment on, with its newest head": async ({ storage }) => {
    const { head } = await enqueue(storage, "t", { dueAt: 2_000 })
    assert.deepEqual(await claim(storage, { now: 1_999 }), [])
    assert.deepEqual(await claim(storage, { now: 2_000, claim: "mine" }), [
      { ...head, claim: "mine", turn: null },
    ])
  },

  "a claim takes the models it names, the earliest first, up to its limit": async ({ storage }) => {
    const dueAts = [500, 300, 900, 100, 700, 200]
    for (const [index, dueAt] of dueAts.entries()) {
      await enqueue(storage, `t${dueAt}`, { dueAt, model: MODELS[index % 3] ?? "" })
    }
    const models = ["model-a", "model-b", "unknown"]
    const request = { models, now: 899 }
    assert.deepEqual(idsOf(await claim(storage, { ...request, limit: 2 })), ["t100", "t300"])
    assert.deepEqual(idsOf(await claim(storage, { ...request, limit: 9 })), ["t500", "t700"])
    assert.deepEqual(idsOf(await claim(storage, { models: ["model-c"] })), ["t200", "t900"])
    assert.deepEqual(await claim(storage, { models: [] }), [])
    assert.deepEqual(await claim(storage, { limit: 0 }), [])
  },

  "callers that claim at once never get the same task": async ({ storage }) => {
    const ids = toIds(100)
    await Promise.all(ids.map((id, index) => enqueue(storage, id, toPlace(index))))
    // As others claim at the same moment a call may get less than there is, so all of them ask again.
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claimAll(storage, `claim-${index}`)),
    )
    assert.deepEqual(idsOf(taken.flat()).toSorted(), ids.toSorted())
  },

  "a released task may be taken from its moment on": async ({ storage }) => {
    await enqueue(storage, "t")
    await claim(storage, { claim: "mine" })
    await storage.release({ claim: "other", tasks: ["t"], dueAt: 1_000 })
    assert.deepEqual(await claim(storage, { now: 1_500 }), [])
    await storage.release({ claim: "mine", tasks: ["t", "unknown"], dueAt: 3_000 })
    assert.deepEqual(await peek(storage), { dueAt: 3_000, turn: null, claimable: 0 })
    assert.deepEqual(await renew(storage, "mine"), [])
    assert.deepEqual(await claim(storage, { now: 2_999 }), [])
    assert.deepEqual(idsOf(await claim(storage, { now: 3_000 })), ["t"])
  },

  "an append may claim the task, move its moment, or leave its place alone": async (fixture) => {
    const { storage } = fixture
    const submitted = await enqueue(storage, "t", { claim: "mine" })
    assert.deepEqual(await claim(storage), [])
    assert.deepEqual(await renew(storage, "mine"), ["t"])

    const dispatched = advanceSample(submitted.head, [dispatchSample()])
    await storage.append(dispatched.append)
    assert.deepEqual(await claim(storage), [])
    assert.deepEqual(await renew(storage, "mine"), ["t"])

    const accept = acceptSample(1)
    const held = { kind: "reschedule", dueAt: 4_000, claim: "next" } as const
    const accepted = advanceSample(dispatched.head, [accept], { queue: held })
    await storage.append(accepted.append)
    assert.deepEqual(await renew(storage, "mine"), [])
    assert.deepEqual(await renew(storage, "next"), ["t"])
    assert.deepEqual(await claim(storage, { now: 4_000 }), [])

    const progress = { kind: "progress", attempt: 1, progress: 5 } as const
    const free = { kind: "reschedule", dueAt: 6_000, claim: null } as const
    const progressed = advanceSample(accepted.head, [progress], { queue: free })
    await storage.append(progressed.append)
    assert.deepEqual(await peek(storage), { dueAt: 6_000, turn: null, claimable: 0 })
    assert.deepEqual(await claim(storage, { now: 5_999 }), [])
    const [claimed] = await claim(storage, { now: 6_000, claim: "last" })
    assert.deepEqual(claimed, { ...progressed.head, claim: "last", turn: null })
  },

  "a finished task leaves the queue and is retained from its moment": async ({ storage }) => {
    const kept = await finish(storage, "kept", 5_000)
    await finish(storage, "never", null)
    const early = await finish(storage, "early", 4_000)
    assert.deepEqual(await claim(storage, { now: 99_999 }), [])
    assert.deepEqual(await storage.findOverdue({ now: 999_999, heldUntil: 999_999, limit: 9 }), [])
    assert.deepEqual(await peek(storage), { dueAt: null, turn: null, claimable: 0 })
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
    const late = await enqueue(storage, "late", { endBy: 3_000, turn: 1 })
    const soon = await enqueue(storage, "soon", { endBy: 2_000 })
    await enqueue(storage, "later", { endBy: 4_001 })
    const find = (now: number, limit: number) => storage.findOverdue({ now, heldUntil: 0, limit })
    assert.deepEqual(await find(1_999, 9), [])
    assert.deepEqual(await find(2_000, 9), [soon.head])
    assert.deepEqual(await find(4_000, 9), [soon.head, late.head])
    assert.deepEqual(await find(4_000, 1), [soon.head])
  },

  "an overdue task that is claimed is left to its holder for a while": async ({ storage }) => {
    const held = await enqueue(storage, "held", { endBy: 2_000, claim: "mine" })
    const find = (heldUntil: number) => storage.findOverdue({ now: 9_000, heldUntil, limit: 9 })
    assert.deepEqual(await find(1_999), [])
    assert.deepEqual(await find(2_000), [held.head])
  },

  "a look ahead tells the earliest moment and the lowest turn of the models": async (fixture) => {
    const { storage } = fixture
    const nothing = { dueAt: null, turn: null, claimable: 0 }
    assert.deepEqual(await peek(storage), nothing)
    await enqueue(storage, "a", { dueAt: 3_000, model: "model-a" })
    await enqueue(storage, "b", { dueAt: 2_000, model: "model-b" })
    await enqueue(storage, "held", { dueAt: 500, claim: "mine" })
    const steps = { dueAt: 2_000, turn: null }
    assert.deepEqual(await peek(storage, { now: 1_999 }), { ...steps, claimable: 0 })
    assert.deepEqual(await peek(storage, { now: 2_000 }), { ...steps, claimable: 1 })
    await enqueue(storage, "start", { dueAt: 9_000, model: "model-a", turn: 8 })
    await enqueue(storage, "next", { dueAt: 200, model: "model-b", turn: -7 })
    await enqueue(storage, "held-start", { dueAt: 100, turn: 1, claim: "mine" })
    const both = { dueAt: 2_000, turn: -7 }
    assert.deepEqual(await peek(storage), { ...both, claimable: 2 })
    assert.deepEqual(await peek(storage, { now: 3_000 }), { ...both, claimable: 4 })
    assert.deepEqual(await peek(storage, { now: 3_000, most: 3 }), { ...both, claimable: 3 })
    assert.deepEqual(await peek(storage, { now: 3_000, most: 1 }), { ...both, claimable: 1 })
    const ofA = { dueAt: 3_000, turn: 8, claimable: 1 }
    assert.deepEqual(await peek(storage, { models: ["model-a"] }), ofA)
    assert.deepEqual(await peek(storage, { models: ["model-c", "unknown"] }), nothing)
    assert.deepEqual(await peek(storage, { models: [] }), nothing)
  },

  "the queue is measured by model: who waits, since when, and who is held": async (fixture) => {
    const { storage } = fixture
    assert.deepEqual(await storage.measureQueue(), [])
    await enqueue(storage, "b", { dueAt: 3_000, model: "model-b" })
    await enqueue(storage, "start", { dueAt: 2_000, model: "model-b", turn: 1 })
    await enqueue(storage, "held", { dueAt: 1_000, model: "model-b", claim: "mine" })
    await enqueue(storage, "a", { dueAt: 500, model: "model-a", claim: "mine" })
    assert.deepEqual(await storage.measureQueue(), [
      { model: "model-a", waiting: 0, claimed: 1, oldestAt: null },
      { model: "model-b", waiting: 2, claimed: 1, oldestAt: 2_000 },
    ])
    await storage.release({ claim: "mine", tasks: ["a"], dueAt: 700 })
    const [first] = await storage.measureQueue()
    assert.deepEqual(first, { model: "model-a", waiting: 1, claimed: 0, oldestAt: 700 })
    await finish(storage, "done", null)
    assert.deepEqual((await storage.measureQueue())[0], first)
  },
}

/** Some wait for their moment, some for their turn. */
function toPlace(index: number): { readonly turn: number | null } {
  return { turn: index % 2 === 0 ? null : index }
}

/** Claims until nothing is left, at most as often as there are tasks. */
async function claimAll(storage: Storage, holder: string): ReturnType<Storage["claim"]> {
  const taken = []
  for (let calls = 0; calls < 100; calls += 1) {
    taken.push(...(await claim(storage, { limit: 7, claim: holder })))
    if ((await peek(storage)).claimable === 0) break
  }
  return taken
}

async function finish(
  storage: Storage,
  id: string,
  retainAt: number | null,
): Promise<SampleAppend["head"]> {
  const { head } = await enqueue(storage, id, { claim: "mine" })
  const queue: QueueChange = { kind: "finish", retainAt }
  const fail = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
  const failed = advanceSample(head, [fail], { queue })
  await storage.append(failed.append)
  return failed.head
}
