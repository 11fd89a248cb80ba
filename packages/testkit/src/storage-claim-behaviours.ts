/**
 * What the contract of `Storage` says about claims. A claim ends when somebody voids it whose count
 * of its beats still holds, never by a moment: a process that lives on can't lose it to a clock.
 */
import assert from "node:assert/strict"
import type { Behaviours } from "./contract.ts"
import { claim, enqueue, findBeats, renew } from "./queue-samples.ts"
import { advanceSample, dispatchSample } from "./sample-task.ts"
import { idsOf, type StorageFixture } from "./storage-fixture.ts"

export const CLAIM_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a claim holds however late it is, and only its holder renews it": async ({ storage }) => {
    await enqueue(storage, "t")
    await enqueue(storage, "u", { dueAt: 1_001 })
    await claim(storage, { claim: "mine" })
    assert.deepEqual(await claim(storage, { now: 1_000 }), [])
    assert.deepEqual(await renew(storage, "mine"), ["t"])
    assert.deepEqual(await renew(storage, "other"), [])
    assert.deepEqual(idsOf(await claim(storage, { now: Number.MAX_SAFE_INTEGER })), ["u"])
    assert.deepEqual(await renew(storage, "mine"), ["t"])
    assert.deepEqual(await storage.renew({ claim: "mine", tasks: [] }), [])
  },

  "every renewal is a beat, also of a claim without a task": async ({ storage }) => {
    assert.deepEqual(await storage.listClaims(), [])
    await enqueue(storage, "t", { claim: "holder" })
    assert.deepEqual(await storage.listClaims(), [{ claim: "holder", beats: 0 }])
    for (const beats of [1, 2, 3]) {
      await renew(storage, "holder")
      await storage.renew({ claim: "idle", tasks: [] })
      const claims = await storage.listClaims()
      assert.deepEqual(
        claims.toSorted((a, b) => (a.claim < b.claim ? -1 : 1)),
        [
          { claim: "holder", beats },
          { claim: "idle", beats },
        ],
      )
    }
  },

  "renewals at once are each a beat": async ({ storage }) => {
    await enqueue(storage, "t", { claim: "mine" })
    const renewals = await Promise.all(Array.from({ length: 20 }, () => renew(storage, "mine")))
    assert.deepEqual(renewals.flat(), Array.from({ length: 20 }).fill("t"))
    assert.equal(await findBeats(storage, "mine"), 20)
  },

  "a claim that was renewed since can't be voided, and nothing is changed": async (fixture) => {
    const { storage } = fixture
    await enqueue(storage, "t", { claim: "mine" })
    await storage.holdSlots({ pool: "pool", size: 2, claim: "mine", count: 2 })
    await renew(storage, "mine")
    await renew(storage, "mine")
    for (const beats of [0, 1, 3]) {
      assert.equal(await storage.voidClaim({ claim: "mine", beats }), false)
    }
    assert.equal(await findBeats(storage, "mine"), 2)
    assert.deepEqual(await claim(storage), [])
    assert.deepEqual(await renew(storage, "mine"), ["t"])
    const others = { pool: "pool", size: 2, claim: "other", count: 1 }
    assert.equal(await storage.holdSlots(others), 0)
  },

  "a voided claim frees its tasks and slots, and renews nothing": async ({ storage }) => {
    const { head } = await enqueue(storage, "t", { claim: "mine", turn: 7 })
    await enqueue(storage, "u", { claim: "mine", dueAt: 900 })
    await enqueue(storage, "other", { claim: "other" })
    for (const holder of ["mine", "other"]) {
      await storage.holdSlots({ pool: "pool", size: 3, claim: holder, count: 2 })
      await renew(storage, holder)
    }
    assert.equal(await storage.voidClaim({ claim: "mine", beats: 1 }), true)
    assert.equal(await findBeats(storage, "mine"), undefined)
    assert.equal(await storage.voidClaim({ claim: "mine", beats: 1 }), false)
    assert.deepEqual(await renew(storage, "mine"), [])
    assert.equal(await findBeats(storage, "mine"), 1)
    const claimed = await claim(storage, { claim: "next" })
    assert.deepEqual(idsOf(claimed), ["u", "t"])
    assert.deepEqual(claimed[1], { ...head, claim: "next", turn: 7 })
    assert.equal(await storage.holdSlots({ pool: "pool", size: 3, claim: "next", count: 3 }), 2)
    assert.deepEqual(await storage.renew({ claim: "other", tasks: ["other"] }), ["other"])
  },

  "what a claim holds beside what is named is freed, each in its place": async ({ storage }) => {
    const { head } = await enqueue(storage, "t", { claim: "mine", turn: 7 })
    await enqueue(storage, "u", { claim: "mine", dueAt: 900 })
    await enqueue(storage, "kept", { claim: "mine" })
    await enqueue(storage, "other", { claim: "other" })
    await storage.holdSlots({ pool: "pool", size: 3, claim: "mine", count: 2 })
    await renew(storage, "mine")
    await storage.freeOthers({ claim: "mine", tasks: ["kept", "other"] })
    const claimed = await claim(storage, { claim: "next" })
    assert.deepEqual(idsOf(claimed), ["u", "t"])
    assert.deepEqual(claimed[1], { ...head, claim: "next", turn: 7 })
    // The claim itself goes on, with its slots.
    assert.equal(await findBeats(storage, "mine"), 1)
    assert.deepEqual(await storage.renew({ claim: "mine", tasks: ["t", "kept"] }), ["kept"])
    assert.equal(await storage.holdSlots({ pool: "pool", size: 3, claim: "next", count: 3 }), 1)
    await storage.freeOthers({ claim: "mine", tasks: [] })
    assert.deepEqual(idsOf(await claim(storage)), ["kept"])
    assert.deepEqual(await storage.renew({ claim: "other", tasks: ["other"] }), ["other"])
  },

  "a claim that was never renewed has no beats and is voided so": async ({ storage }) => {
    await enqueue(storage, "t")
    await claim(storage, { claim: "mine" })
    assert.equal(await storage.voidClaim({ claim: "mine", beats: 1 }), false)
    assert.deepEqual(await claim(storage), [])
    assert.equal(await storage.voidClaim({ claim: "mine", beats: 0 }), true)
    assert.deepEqual(await storage.listClaims(), [])
    assert.deepEqual(idsOf(await claim(storage)), ["t"])
  },

  "of callers that void a claim at once its tasks go to one": async ({ storage }) => {
    await enqueue(storage, "t", { claim: "dead" })
    await renew(storage, "dead")
    const takers = Array.from({ length: 10 }, async (_, index) => {
      await storage.voidClaim({ claim: "dead", beats: 1 })
      return claim(storage, { claim: `claim-${index}` })
    })
    const taken = (await Promise.all(takers)).flat()
    const [again] = taken.length === 0 ? await claim(storage, { claim: "last" }) : taken
    assert.equal(again?.task.id, "t")
    assert.ok(taken.length <= 1)
    assert.equal(await findBeats(storage, "dead"), undefined)
  },

  "a voided claim may be worked under again, and voided again": async ({ storage }) => {
    const { head } = await enqueue(storage, "t", { claim: "mine" })
    await renew(storage, "mine")
    assert.equal(await storage.voidClaim({ claim: "mine", beats: 1 }), true)
    const queue = { kind: "reschedule", dueAt: 1_000, claim: "mine" } as const
    await storage.append(advanceSample(head, [dispatchSample()], { queue }).append)
    assert.equal(await findBeats(storage, "mine"), 0)
    assert.deepEqual(await claim(storage), [])
    assert.equal(await storage.voidClaim({ claim: "mine", beats: 0 }), true)
    assert.deepEqual(idsOf(await claim(storage)), ["t"])
  },
}
