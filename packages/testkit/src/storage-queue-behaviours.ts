/** What the contract of `Storage` says about claims, deadlines and retention. */
import assert from "node:assert/strict"
import type { ClaimRequest, QueueChange, Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample, type SampleAppend } from "./sample-task.ts"
import { idsOf, MODELS, toIds, type StorageFixture } from "./storage-fixture.ts"

type Place = Partial<Extract<QueueChange, { kind: "enqueue" }>>

export const QUEUE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a task is claimed from its moment on, with its newest head": async ({ storage }) => {
    const { head } = await enqueue(storage, "t", { dueAt: 2_000 })
    assert.deepEqual(await claim(storage, { now: 1_999 }), [])
    assert.deepEqual(await claim(storage, { now: 2_000, claim: "mine" }), [
      { ...head, claim: "mine" },
    ])
  },

  "a claim takes the models it names, the earliest first, up to its limit": async ({ storage }) => {
    const dueAts = [500, 300, 900, 100, 700, 200]
    for (const [index, dueAt] of dueAts.entries()) {
      await enqueue(storage, `t${dueAt}`, { dueAt }, MODELS[index % 3])
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
    await Promise.all(ids.map((id) => enqueue(storage, id, {})))
    const claims = Array.from({ length: 20 }, (_, index) =>
      claim(storage, { limit: 7, claim: `claim-${index}` }),
    )
    const taken = (await Promise.all(claims)).flat()
    assert.deepEqual(idsOf(taken).toSorted(), ids.toSorted())
    assert.equal(new Set(taken.map((each) => each.claim)).size, 15)
  },

  "a claim holds until its moment, then anybody may take the task": async ({ storage }) => {
    await enqueue(storage, "t", {})
    await claim(storage, { now: 1_000, until: 1_500, claim: "first" })
    assert.deepEqual(await claim(storage, { now: 1_499 }), [])
    const [taken] = await claim(storage, { now: 1_500, until: 1_600, claim: "second" })
    assert.equal(taken?.claim, "second")
    assert.deepEqual(await renew(storage, "first", 9_000), [])
    assert.deepEqual(idsOf(await claim(storage, { now: 1_600 })), ["t"])
  },

  "only the claim that holds a task renews it": async ({ storage }) => {
    await enqueue(storage, "t", {})
    await enqueue(storage, "u", { dueAt: 1_001 })
    await claim(storage, { now: 1_000, until: 1_500, claim: "mine" })
    assert.deepEqual(await renew(storage, "mine", 2_000), ["t"])
    assert.deepEqual(await renew(storage, "other", 9_000), [])
    assert.deepEqual(idsOf(await claim(storage, { now: 1_999, until: 9_000 })), ["u"])
    assert.deepEqual(idsOf(await claim(storage, { now: 2_000 })), ["t"])
    assert.deepEqual(await storage.renew({ claim: "mine", until: 9_000, tasks: [] }), [])
  },

  "a released task may be taken from its moment on": async ({ storage }) => {
    await enqueue(storage, "t", {})
    await claim(storage, { claim: "mine", until: 9_000 })
    await storage.release({ claim: "other", tasks: ["t"], dueAt: 1_000 })
    assert.deepEqual(await claim(storage, { now: 1_500 }), [])
    await storage.release({ claim: "mine", tasks: ["t", "unknown"], dueAt: 3_000 })
    assert.equal(await storage.nextDueAt(MODELS), 3_000)
    assert.deepEqual(await renew(storage, "mine", 9_000), [])
    assert.deepEqual(await claim(storage, { now: 2_999 }), [])
    assert.deepEqual(idsOf(await claim(storage, { now: 3_000 })), ["t"])
  },

  "an append may claim the task, move its moment, or leave its place alone": async (fixture) => {
    const { storage } = fixture
    const term = { claim: "mine", until: 2_000 }
    const submitted = await enqueue(storage, "t", { claim: term })
    assert.deepEqual(await claim(storage, { now: 1_999 }), [])
    assert.deepEqual(await renew(storage, "mine", 3_000), ["t"])

    const dispatched = advanceSample(submitted.head, [dispatchSample()])
    await storage.append(dispatched.append)
    assert.deepEqual(await claim(storage, { now: 2_999 }), [])

    const reschedule = (dueAt: number, claimTerm: typeof term | null): QueueChange => ({
      kind: "reschedule",
      dueAt,
      claim: claimTerm,
    })
    const accepted = advanceSample(dispatched.head, [{ kind: "accept", operation: 1 }], {
      queue: reschedule(4_000, { claim: "next", until: 5_000 }),
    })
    await storage.append(accepted.append)
    assert.deepEqual(await renew(storage, "mine", 9_000), [])
    assert.deepEqual(await claim(storage, { now: 4_999 }), [])
    const progressed = advanceSample(
      accepted.head,
      [{ kind: "progress", attempt: 1, progress: 5 }],
      { queue: reschedule(6_000, null) },
    )
    await storage.append(progressed.append)
    assert.equal(await storage.nextDueAt(MODELS), 6_000)
    assert.deepEqual(await claim(storage, { now: 5_999 }), [])
    const [claimed] = await claim(storage, { now: 6_000, claim: "last" })
    assert.deepEqual(claimed, { ...progressed.head, claim: "last" })
  },

  "a run-out claim still waits for the task's own moment": async ({ storage }) => {
    await enqueue(storage, "t", { dueAt: 5_000, claim: { claim: "mine", until: 2_000 } })
    assert.deepEqual(await claim(storage, { now: 4_999 }), [])
    assert.deepEqual(idsOf(await claim(storage, { now: 5_000 })), ["t"])
  },

  "a finished task leaves the queue and is retained from its moment": async ({ storage }) => {
    const kept = await finish(storage, "kept", 5_000)
    await finish(storage, "never", null)
    const early = await finish(storage, "early", 4_000)
    assert.deepEqual(await claim(storage, { now: 99_999 }), [])
    assert.deepEqual(await storage.findOverdue({ now: 999_999, limit: 9 }), [])
    assert.equal(await storage.nextDueAt(MODELS), null)
    assert.deepEqual(await storage.findRetained({ now: 3_999, limit: 9 }), [])
    assert.deepEqual(await storage.findRetained({ now: 5_000, limit: 9 }), [early, kept])
    assert.deepEqual(await storage.findRetained({ now: 5_000, limit: 1 }), [early])
    await storage.retain({ task: "early", dueAt: 6_000 })
    assert.deepEqual(await storage.findRetained({ now: 5_999, limit: 9 }), [kept])
    await storage.retain({ task: "kept", dueAt: null })
    await storage.retain({ task: "kept", dueAt: null })
    assert.deepEqual(await storage.findRetained({ now: 9_999, limit: 9 }), [early])
  },

  "overdue tasks are found by their end, claimed or not, earliest first": async ({ storage }) => {
    const late = await enqueue(storage, "late", { endBy: 3_000 })
    const held = await enqueue(storage, "held", {
      endBy: 2_000,
      claim: { claim: "mine", until: 99_999 },
    })
    await enqueue(storage, "later", { endBy: 4_001 })
    assert.deepEqual(await storage.findOverdue({ now: 1_999, limit: 9 }), [])
    assert.deepEqual(await storage.findOverdue({ now: 2_000, limit: 9 }), [held.head])
    assert.deepEqual(await storage.findOverdue({ now: 4_000, limit: 9 }), [held.head, late.head])
    assert.deepEqual(await storage.findOverdue({ now: 4_000, limit: 1 }), [held.head])
  },

  "the next moment is the earliest of the unclaimed tasks of the models": async ({ storage }) => {
    assert.equal(await storage.nextDueAt(MODELS), null)
    await enqueue(storage, "a", { dueAt: 3_000 }, "model-a")
    await enqueue(storage, "b", { dueAt: 2_000 }, "model-b")
    await enqueue(storage, "c", { dueAt: 1_000, claim: { claim: "mine", until: 1_500 } })
    assert.equal(await storage.nextDueAt(MODELS), 2_000)
    assert.equal(await storage.nextDueAt(["model-a"]), 3_000)
    assert.equal(await storage.nextDueAt(["model-c", "unknown"]), null)
    assert.equal(await storage.nextDueAt([]), null)
  },
}

async function enqueue(
  storage: Storage,
  id: string,
  place: Place,
  model: string = MODELS[0],
): Promise<SampleAppend> {
  const queue = { kind: "enqueue", dueAt: 1_000, endBy: 100_000, claim: null, ...place } as const
  const sample = submitSample({ id, submitted: { model }, queue })
  await storage.append(sample.append)
  return sample
}

async function finish(
  storage: Storage,
  id: string,
  retainAt: number | null,
): Promise<SampleAppend["head"]> {
  const { head } = await enqueue(storage, id, { claim: { claim: "mine", until: 9_000 } })
  const fail = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
  const failed = advanceSample(head, [fail], { queue: { kind: "finish", retainAt } })
  await storage.append(failed.append)
  return failed.head
}

function claim(storage: Storage, request: Partial<ClaimRequest>): ReturnType<Storage["claim"]> {
  return storage.claim({
    models: MODELS,
    now: 1_000,
    limit: 10,
    claim: "claim",
    until: 100_000,
    ...request,
  })
}

function renew(storage: Storage, holder: string, until: number): Promise<readonly string[]> {
  return storage.renew({ claim: holder, until, tasks: ["t", "u", "unknown"] })
}
