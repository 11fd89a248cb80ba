/** What the contract of `Storage` says about slots: how many claims may have of a pool together. */
import assert from "node:assert/strict"
import type { SlotRequest, Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { findBeats } from "./queue-samples.ts"
import type { StorageFixture } from "./storage-fixture.ts"

export const SLOT_BEHAVIOURS: Behaviours<StorageFixture> = {
  "claims hold as many slots as others leave, and twice is as once": async ({ storage }) => {
    assert.equal(await hold(storage, { claim: "a", count: 3 }), 3)
    assert.equal(await hold(storage, { claim: "b", count: 3 }), 2)
    assert.equal(await hold(storage, { claim: "c", count: 1 }), 0)
    for (const [claim, held] of [
      ["a", 3],
      ["b", 2],
      ["c", 0],
    ] as const) {
      assert.equal(await hold(storage, { claim, count: 3 }), held)
    }
    assert.equal(await hold(storage, { claim: "c", count: 9, pool: "another" }), 5)
  },

  "slots are given back, some or all of them, to whoever asks next": async ({ storage }) => {
    await hold(storage, { claim: "a", count: 5 })
    assert.equal(await hold(storage, { claim: "a", count: 4 }), 4)
    assert.equal(await hold(storage, { claim: "b", count: 4 }), 1)
    assert.equal(await hold(storage, { claim: "a", count: 0 }), 0)
    assert.equal(await hold(storage, { claim: "a", count: 0 }), 0)
    assert.equal(await hold(storage, { claim: "b", count: 9 }), 5)
  },

  "a pool that shrinks takes nothing away until its holders ask again": async ({ storage }) => {
    await hold(storage, { claim: "a", count: 3 })
    await hold(storage, { claim: "b", count: 2 })
    assert.equal(await hold(storage, { claim: "c", count: 1, size: 4 }), 0)
    assert.equal(await hold(storage, { claim: "a", count: 3, size: 4 }), 2)
    assert.equal(await hold(storage, { claim: "b", count: 2, size: 1 }), 0)
    assert.equal(await hold(storage, { claim: "a", count: 2, size: 0 }), 0)
    assert.equal(await hold(storage, { claim: "c", count: 1, size: 1 }), 1)
  },

  "callers at once never hold more than there are, and leave none unused": async (fixture) => {
    const { storage } = fixture
    const claims = Array.from({ length: 20 }, (_, index) => `claim-${index}`)
    const held = await Promise.all(claims.map((claim) => hold(storage, { claim, count: 2 })))
    assert.equal(
      held.reduce((sum, count) => sum + count, 0),
      5,
    )
    const again = await Promise.all(claims.map((claim) => hold(storage, { claim, count: 2 })))
    assert.deepEqual(again, held)
  },

  "the slots of a pool are counted over all claims": async ({ storage }) => {
    assert.equal(await storage.countSlots("pool"), 0)
    await hold(storage, { claim: "a", count: 3 })
    await hold(storage, { claim: "b", count: 1 })
    await hold(storage, { claim: "a", count: 2, pool: "another" })
    assert.equal(await storage.countSlots("pool"), 4)
    await hold(storage, { claim: "a", count: 1 })
    assert.equal(await storage.voidClaim({ claim: "b", beats: 0 }), true)
    assert.equal(await storage.countSlots("pool"), 1)
  },

  "a claim that holds slots alone is listed until it gives them back": async ({ storage }) => {
    await hold(storage, { claim: "a", count: 1 })
    assert.equal(await findBeats(storage, "a"), 0)
    await hold(storage, { claim: "a", count: 0 })
    assert.equal(await findBeats(storage, "a"), undefined)
    await hold(storage, { claim: "a", count: 5 })
    assert.equal(await storage.voidClaim({ claim: "a", beats: 0 }), true)
    assert.equal(await hold(storage, { claim: "b", count: 5 }), 5)
  },
}

function hold(
  storage: Storage,
  request: Pick<SlotRequest, "claim" | "count"> & Partial<SlotRequest>,
): Promise<number> {
  return storage.holdSlots({ pool: "pool", size: 5, ...request })
}
