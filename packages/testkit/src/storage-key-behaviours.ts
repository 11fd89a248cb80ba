/** The contract of `KeyStorage`, and how a storage opens, answers and closes. */
import assert from "node:assert/strict"
import type { StoredKey } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { submitSample } from "./sample-task.ts"
import { assertRejects, toIds, type StorageFixture } from "./storage-fixture.ts"

export const KEY_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a key is found as it was created, also after a reopening": async (fixture) => {
    const key = toKey("k1", { scopes: ["tasks:write", "links:write"], expiresAt: 9_000 })
    await fixture.storage.createKey(key)
    assert.deepEqual(await fixture.storage.findKey("k1"), key)
    assert.equal(await fixture.storage.findKey("K1"), undefined)
    assert.deepEqual(await (await fixture.reopen()).findKey("k1"), key)
  },

  "keys are listed oldest first, those of one account among others": async ({ storage }) => {
    assert.deepEqual(await storage.listKeys(), [])
    const keys = [
      toKey("z", { createdAt: 100 }),
      toKey("a", { createdAt: 200, account: "other" }),
      toKey("m", { createdAt: 300 }),
    ]
    for (const key of keys.toReversed()) await storage.createKey(key)
    assert.deepEqual(await storage.listKeys(), keys)
  },

  "a known key id is refused and the first key stays": async ({ storage }) => {
    const key = toKey("k1", {})
    await storage.createKey(key)
    const another = { ...key, account: "other", secretSha256: "cd".repeat(32) }
    await assertRejects(storage.createKey(another), "already-exists")
    assert.deepEqual(await storage.listKeys(), [key])
  },

  "of many first keys at once one is created, and none where a revoked one is": async (fixture) => {
    const { storage } = fixture
    const made = await Promise.all(
      toIds(20).map((id) => storage.createFirstKey(toKey(id, { account: `of-${id}` }))),
    )
    assert.equal(made.filter(Boolean).length, 1)
    const [key, ...others] = await storage.listKeys()
    assert.deepEqual(others, [])
    assert.deepEqual(
      (await storage.listAccounts()).map(({ id }) => id),
      [key?.account],
    )
    await storage.revokeKey({ id: key?.id ?? "", revokedAt: 5_000 })
    const reopened = await fixture.reopen()
    assert.equal(await reopened.createFirstKey(toKey("late", {})), false)
    assert.equal((await reopened.listKeys()).length, 1)
  },

  "a first key may be of an account that is there": async ({ storage }) => {
    await storage.setAccount({ id: "account", now: 1_000, settings: {} })
    const key = toKey("k1", {})
    assert.equal(await storage.createFirstKey(key), true)
    assert.deepEqual(await storage.listKeys(), [key])
  },

  "a revoked key says when, and a second time keeps the first moment": async ({ storage }) => {
    await storage.createKey(toKey("k1", {}))
    await storage.createKey(toKey("k2", {}))
    assert.equal(await storage.revokeKey({ id: "k1", revokedAt: 5_000 }), true)
    assert.equal(await storage.revokeKey({ id: "k1", revokedAt: 6_000 }), true)
    assert.equal((await storage.findKey("k1"))?.revokedAt, 5_000)
    assert.equal((await storage.findKey("k2"))?.revokedAt, 0)
    assert.equal(await storage.revokeKey({ id: "unknown", revokedAt: 5_000 }), false)
  },

  "a rotated key ends at its moment, and its successor is there": async ({ storage }) => {
    const [key, successor] = [toKey("k1", {}), toKey("k2", { createdAt: 2_000 })]
    await storage.createKey(key)
    assert.equal(await storage.rotateKey({ id: "k1", expiresAt: 9_000, successor }), true)
    assert.deepEqual(await storage.listKeys(), [{ ...key, expiresAt: 9_000 }, successor])
  },

  "a rotation never lets a key live longer": async ({ storage }) => {
    for (const [id, expiresAt] of [
      ["before", 8_999],
      ["then", 9_000],
      ["after", 9_001],
    ] as const) {
      await storage.createKey(toKey(id, { expiresAt }))
      const successor = toKey(`${id}-next`, {})
      assert.equal(await storage.rotateKey({ id, expiresAt: 9_000, successor }), true)
      assert.equal((await storage.findKey(id))?.expiresAt, Math.min(expiresAt, 9_000))
    }
  },

  "an unknown or revoked key is not rotated, and has no successor": async ({ storage }) => {
    const revoked = toKey("k1", { revokedAt: 5_000 })
    await storage.createKey(revoked)
    const successor = toKey("k2", {})
    for (const id of ["k1", "unknown"]) {
      assert.equal(await storage.rotateKey({ id, expiresAt: 9_000, successor }), false)
    }
    assert.deepEqual(await storage.listKeys(), [revoked])
  },

  "a rotation to a known key id is refused and changes nothing": async ({ storage }) => {
    const keys = [toKey("k1", {}), toKey("k2", { createdAt: 2_000 })]
    for (const key of keys) await storage.createKey(key)
    const successor = toKey("k2", { secretSha256: "cd".repeat(32) })
    const rotated = storage.rotateKey({ id: "k1", expiresAt: 9_000, successor })
    await assertRejects(rotated, "already-exists")
    assert.deepEqual(await storage.listKeys(), keys)
  },

  "of rotations of one key at once each has its successor": async ({ storage }) => {
    await storage.createKey(toKey("k1", {}))
    const successors = ["a", "b", "c"].map((id) => toKey(id, { createdAt: 2_000 }))
    const rotated = successors.map((successor, index) =>
      storage.rotateKey({ id: "k1", expiresAt: 9_000 - index, successor }),
    )
    assert.deepEqual(await Promise.all(rotated), [true, true, true])
    assert.deepEqual(await storage.listKeys(), [toKey("k1", { expiresAt: 8_998 }), ...successors])
  },

  "a storage that works passes its check": async ({ storage }) => {
    await storage.check()
    assert.deepEqual(await storage.listKeys(), [])
  },

  "closing stores what was handed in; a closed storage does nothing more": async (fixture) => {
    const { storage } = fixture
    const sample = submitSample({ id: "t" })
    const appended = storage.append(sample.append)
    await storage.close()
    await appended
    await storage.close()
    await assertRejects(storage.append(submitSample({ id: "u" }).append), "storage-unavailable")
    await assertRejects(storage.readTask("t"), "storage-unavailable")
    await assertRejects(storage.readEvents("t"), "storage-unavailable")
    await assertRejects(storage.listKeys(), "storage-unavailable")
    await assertRejects(storage.scan({ after: "", limit: 1 }), "storage-unavailable")
    await assertRejects(storage.check(), "storage-unavailable")
    const reopened = await fixture.reopen()
    assert.deepEqual(await reopened.readTask("t"), sample.head)
    assert.equal(await reopened.readTask("u"), undefined)
  },
}

function toKey(id: string, key: Partial<StoredKey>): StoredKey {
  return {
    id,
    account: "account",
    secretSha256: "ab".repeat(32),
    scopes: ["tasks:read"],
    createdAt: 1_000,
    revokedAt: 0,
    expiresAt: 0,
    ...key,
  }
}
