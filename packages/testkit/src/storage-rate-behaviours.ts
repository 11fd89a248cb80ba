/** The contract of `RateStorage`. */
import assert from "node:assert/strict"
import { RATE_POLICIES } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import type { StorageFixture } from "./storage-fixture.ts"

/** Microseconds in the year 2100: no smaller integer will do. */
const LATE = 4_102_444_800_000_000

export const RATE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a rate stands at 0 until it is advanced, also after a reopening": async (fixture) => {
    const name = { account: "a", policy: "create" } as const
    assert.equal(await fixture.storage.readRate(name), 0)
    assert.equal(await fixture.storage.advanceRate({ ...name, from: 0, to: LATE }), true)
    assert.equal(await fixture.storage.readRate(name), LATE)
    const storage = await fixture.reopen()
    assert.equal(await storage.readRate(name), LATE)
    assert.equal(await storage.advanceRate({ ...name, from: LATE, to: LATE + 1 }), true)
    assert.equal(await storage.readRate(name), LATE + 1)
  },

  "a rate is advanced only from where it is": async ({ storage }) => {
    const name = { account: "a", policy: "read" } as const
    assert.equal(await storage.advanceRate({ ...name, from: 1, to: 5 }), false)
    assert.equal(await storage.readRate(name), 0)
    assert.equal(await storage.advanceRate({ ...name, from: 0, to: 5 }), true)
    for (const from of [0, 4, 6]) {
      assert.equal(await storage.advanceRate({ ...name, from, to: 9 }), false)
    }
    assert.equal(await storage.readRate(name), 5)
  },

  "each account and policy has a rate of its own": async ({ storage }) => {
    const names = ["a", "A", "b"].flatMap((account) =>
      RATE_POLICIES.map((policy) => ({ account, policy })),
    )
    for (const [index, name] of names.entries()) {
      assert.equal(await storage.advanceRate({ ...name, from: 0, to: index + 1 }), true)
    }
    for (const [index, name] of names.entries()) {
      assert.equal(await storage.readRate(name), index + 1)
    }
  },

  "of those who advance a rate at once one succeeds": async ({ storage }) => {
    const name = { account: "a", policy: "content" } as const
    for (let from = 0; from < 5; from = await storage.readRate(name)) {
      const advanced = await Promise.all(
        Array.from({ length: 20 }, () => storage.advanceRate({ ...name, from, to: from + 1 })),
      )
      assert.equal(advanced.filter(Boolean).length, 1)
      assert.equal(await storage.readRate(name), from + 1)
    }
  },

  "callers who read and advance in turns lose no step between them": async ({ storage }) => {
    const name = { account: "a", policy: "create" } as const
    async function takeSteps(count: number): Promise<void> {
      for (let taken = 0; taken < count;) {
        const from = await storage.readRate(name)
        if (await storage.advanceRate({ ...name, from, to: from + 1 })) taken += 1
      }
    }
    await Promise.all(Array.from({ length: 8 }, () => takeSteps(5)))
    assert.equal(await storage.readRate(name), 40)
  },
}
