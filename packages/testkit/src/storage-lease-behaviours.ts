/**
 * The contract of `Storage`: worker leases. A lease is expired by a process that has counted its heartbeats,
 * and only if there was none since; it never ends by a moment, so that no clock can end a live one.
 */
import assert from "node:assert/strict"
import type { Behaviours } from "./contract.ts"
import { sendHeartbeat, enqueue, FACTS, findHeartbeats, take } from "./queue-samples.ts"
import { advanceSample, dispatchSample } from "./sample-task.ts"
import { idsOf, type StorageFixture } from "./storage-fixture.ts"

export const LEASE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a lease holds however late it is, and each heartbeat tells what it holds": async (fixture) => {
    const { storage } = fixture
    await enqueue(storage, "t")
    await enqueue(storage, "u", { dueAt: 1_001 })
    assert.deepEqual(await sendHeartbeat(storage, "mine", 1), [])
    await take(storage, { lease: "mine" })
    assert.deepEqual(await take(storage, { now: 1_000 }), [])
    assert.deepEqual(await sendHeartbeat(storage, "mine", 2), ["t"])
    assert.deepEqual(await sendHeartbeat(storage, "other", 1), [])
    const late = await take(storage, { now: Number.MAX_SAFE_INTEGER, lease: "mine" })
    assert.deepEqual(idsOf(late), ["u"])
    assert.deepEqual((await sendHeartbeat(storage, "mine", 3)).toSorted(), ["t", "u"])
  },

  "a heartbeat registers its lease with what it says of itself, or renews both": async (
    fixture,
  ) => {
    const { storage } = fixture
    assert.deepEqual(await storage.listLeases(), [])
    const ofOne = { ...FACTS, leftAlone: ["fal"] }
    const { leases } = await storage.heartbeat({ lease: "one", heartbeats: 1, facts: ofOne })
    assert.deepEqual(leases, [{ lease: "one", heartbeats: 1, facts: ofOne }])
    await sendHeartbeat(storage, "two", 7)
    await storage.heartbeat({ lease: "one", heartbeats: 2, facts: FACTS })
    const known = await storage.listLeases()
    assert.deepEqual(
      known.toSorted((a, b) => (a.lease < b.lease ? -1 : 1)),
      [
        { lease: "one", heartbeats: 2, facts: FACTS },
        { lease: "two", heartbeats: 7, facts: FACTS },
      ],
    )
  },

  "a heartbeat that arrives late or twice undoes nothing": async ({ storage }) => {
    await sendHeartbeat(storage, "mine", 2)
    for (const heartbeats of [1, 2]) {
      const facts = { ...FACTS, membership: "old" }
      await storage.heartbeat({ lease: "mine", heartbeats, facts })
      assert.deepEqual(await storage.listLeases(), [{ lease: "mine", heartbeats: 2, facts: FACTS }])
    }
    const heartbeats = Array.from({ length: 20 }, (_, index) => index + 3)
    await Promise.all(heartbeats.map((each) => sendHeartbeat(storage, "mine", each)))
    assert.equal(await findHeartbeats(storage, "mine"), 22)
  },

  "a lease that was renewed since does not expire, and nothing is changed": async (fixture) => {
    const { storage } = fixture
    await enqueue(storage, "t", { lease: "mine" })
    await sendHeartbeat(storage, "mine", 2)
    for (const heartbeats of [0, 1, 3]) {
      assert.equal(await storage.expire({ lease: "mine", heartbeats }), false)
    }
    assert.equal(await findHeartbeats(storage, "mine"), 2)
    assert.deepEqual(await take(storage), [])
    assert.deepEqual(await sendHeartbeat(storage, "mine", 3), ["t"])
  },

  "an expired lease leaves its tasks to anybody, each in its place": async ({ storage }) => {
    const { head } = await enqueue(storage, "t", { lease: "mine", startTag: 7 })
    await enqueue(storage, "u", { lease: "mine", dueAt: 900 })
    await enqueue(storage, "other", { lease: "other" })
    for (const holder of ["mine", "other"]) await sendHeartbeat(storage, holder, 1)
    assert.equal(await storage.expire({ lease: "mine", heartbeats: 1 }), true)
    assert.equal(await findHeartbeats(storage, "mine"), undefined)
    assert.equal(await storage.expire({ lease: "mine", heartbeats: 1 }), false)
    assert.deepEqual(await sendHeartbeat(storage, "mine", 2), [])
    const taken = await take(storage, { lease: "next" })
    assert.deepEqual(idsOf(taken), ["u", "t"])
    assert.deepEqual(taken[1], { ...head, lease: "next", startTag: 7, runningLimit: null })
    assert.deepEqual(await sendHeartbeat(storage, "other", 2), ["other"])
  },

  "a lease that is not registered has no heartbeats and expires so": async ({ storage }) => {
    await enqueue(storage, "t")
    await take(storage, { lease: "mine" })
    assert.deepEqual(await storage.listLeases(), [{ lease: "mine", heartbeats: 0 }])
    assert.equal(await storage.expire({ lease: "mine", heartbeats: 1 }), false)
    assert.deepEqual(await take(storage), [])
    assert.equal(await storage.expire({ lease: "mine", heartbeats: 0 }), true)
    assert.deepEqual(await storage.listLeases(), [])
    assert.deepEqual(idsOf(await take(storage)), ["t"])
  },

  "of callers that expire a lease at once its tasks go to one": async ({ storage }) => {
    await enqueue(storage, "t", { lease: "dead" })
    await sendHeartbeat(storage, "dead", 1)
    const takers = Array.from({ length: 10 }, async (_, index) => {
      await storage.expire({ lease: "dead", heartbeats: 1 })
      return take(storage, { lease: `lease-${index}` })
    })
    const taken = (await Promise.all(takers)).flat()
    const [again] = taken.length === 0 ? await take(storage, { lease: "last" }) : taken
    assert.equal(again?.task.id, "t")
    assert.ok(taken.length <= 1)
    assert.equal(await findHeartbeats(storage, "dead"), undefined)
  },

  "an expired lease may be worked under again, and expire again": async ({ storage }) => {
    const { head } = await enqueue(storage, "t", { lease: "mine" })
    await sendHeartbeat(storage, "mine", 1)
    assert.equal(await storage.expire({ lease: "mine", heartbeats: 1 }), true)
    const queue = { kind: "reschedule", dueAt: 1_000, lease: "mine" } as const
    await storage.append(advanceSample(head, [dispatchSample()], { queue }).append)
    assert.equal(await findHeartbeats(storage, "mine"), 0)
    assert.deepEqual(await take(storage), [])
    assert.equal(await storage.expire({ lease: "mine", heartbeats: 0 }), true)
    assert.deepEqual(idsOf(await take(storage)), ["t"])
  },
}
