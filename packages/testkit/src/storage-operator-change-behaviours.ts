/** The contract of `OperatorChangeStorage`. */
import assert from "node:assert/strict"
import { NO_LIMITS, type OperatorChange } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import type { StorageFixture } from "./storage-fixture.ts"

export const OPERATOR_CHANGE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "operators' changes are listed as they were recorded, newest first, also after a reopening":
    async (fixture) => {
      const { storage } = fixture
      assert.deepEqual(await storage.listOperatorChanges({ limit: 10 }), {
        changes: [],
        next: null,
      })
      const { rates } = NO_LIMITS
      const changes = [
        toChange(3, {
          change: "account-set",
          details: { settings: { budgetMicros: null, rates } },
        }),
        toChange(2, { account: null, changedBy: "command", details: { artifact: "é" } }),
        toChange(1, { details: { scopes: ["admin"], expiresAt: 9_007_199_254_740_991 } }),
      ]
      for (const change of [1, 0, 2].flatMap((index) => changes[index] ?? [])) {
        await storage.addOperatorChange(change)
      }
      const listed = { changes, next: null }
      assert.deepEqual(await storage.listOperatorChanges({ limit: 3 }), listed)
      assert.deepEqual(await (await fixture.reopen()).listOperatorChanges({ limit: 10 }), listed)
    },

  "operators' changes are read page by page, and a newer one moves no page": async ({
    storage,
  }) => {
    const changes = Array.from({ length: 5 }, (_, index) => toChange(5 - index))
    for (const change of changes) await storage.addOperatorChange(change)
    const first = await storage.listOperatorChanges({ limit: 2 })
    assert.deepEqual(first, { changes: changes.slice(0, 2), next: toId(4) })
    await storage.addOperatorChange(toChange(9))
    const second = await storage.listOperatorChanges({ limit: 2, before: toId(4) })
    assert.deepEqual(second, { changes: changes.slice(2, 4), next: toId(2) })
    const third = await storage.listOperatorChanges({ limit: 2, before: toId(2) })
    assert.deepEqual(third, { changes: changes.slice(4), next: null })
  },

  "a change that is recorded twice stays as it was recorded first": async ({ storage }) => {
    const change = toChange(1)
    await storage.addOperatorChange(change)
    await storage.addOperatorChange({ ...change, target: "another" })
    assert.deepEqual((await storage.listOperatorChanges({ limit: 2 })).changes, [change])
  },
}

function toId(number: number): string {
  return `019b7a3c-5d1e-7f60-8a2b-${String(number).padStart(12, "0")}`
}

function toChange(number: number, change: Partial<OperatorChange> = {}): OperatorChange {
  return {
    id: toId(number),
    at: number,
    changedBy: "0123456789",
    change: "key-revoked",
    target: "abcdefghij",
    account: "account",
    details: {},
    ...change,
  }
}
