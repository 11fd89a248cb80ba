/** The contract of `LinkStorage`. */
import assert from "node:assert/strict"
import { NO_LIMITS, type LinkKey, type LinkScope, type Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import type { StorageFixture } from "./storage-fixture.ts"

export const LINK_BEHAVIOURS: Behaviours<StorageFixture> = {
  "links are verified with the newest two keys, the newest first": async (fixture) => {
    const { storage } = fixture
    assert.deepEqual(await storage.readLinkKeys(), [])
    // The order is that of the calls: the third was made by a clock that had gone back.
    const [first, second, third] = [toKey("b", 200), toKey("c", 200), toKey("a", 100)]
    await storage.addLinkKey(first)
    assert.deepEqual(await storage.readLinkKeys(), [first])
    await storage.addLinkKey(second)
    assert.deepEqual(await storage.readLinkKeys(), [second, first])
    await storage.addLinkKey(third)
    assert.deepEqual(await storage.readLinkKeys(), [third, second])
    assert.deepEqual(await (await fixture.reopen()).readLinkKeys(), [third, second])
  },

  "a link key that is added twice is added once": async ({ storage }) => {
    const [first, second] = [toKey("a", 100), toKey("b", 200)]
    await Promise.all([storage.addLinkKey(first), storage.addLinkKey(first)])
    await storage.addLinkKey(second)
    await storage.addLinkKey(first)
    await storage.addLinkKey({ ...second, secret: "cd".repeat(32) })
    assert.deepEqual(await storage.readLinkKeys(), [second, first])
  },

  "of link keys that are added at once two stay": async ({ storage }) => {
    const keys = ["a", "b", "c", "d"].map((id) => toKey(id, 100))
    await Promise.all(keys.map((key) => storage.addLinkKey(key)))
    const stored = await storage.readLinkKeys()
    assert.equal(new Set(stored.map(({ id }) => id)).size, 2)
  },

  "an epoch rises for its artifact alone, or for its whole account": async (fixture) => {
    const { storage } = fixture
    assert.deepEqual(await readEpochs(storage), [0, 0, 0, 0])
    await storage.raiseLinkEpoch({ kind: "artifact", task: "t", key: "image_1" })
    assert.deepEqual(await readEpochs(storage), [1, 0, 0, 1])
    await storage.raiseLinkEpoch({ kind: "account", account: "a", now: 500 })
    assert.deepEqual(await readEpochs(storage), [2, 1, 1, 1])
    await storage.raiseLinkEpoch({ kind: "artifact", task: "t", key: "image_1" })
    await storage.raiseLinkEpoch({ kind: "account", account: "a", now: 600 })
    assert.deepEqual(await readEpochs(storage), [4, 2, 2, 2])
    assert.deepEqual(await readEpochs(await fixture.reopen()), [4, 2, 2, 2])
  },

  "every rise of an epoch counts, also of those that come at once": async ({ storage }) => {
    const scopes: LinkScope[] = [
      { kind: "account", account: "a", now: 500 },
      { kind: "artifact", task: "t", key: "image_1" },
    ]
    const raised = Array.from({ length: 10 }, () => scopes).flat()
    await Promise.all(raised.map((scope) => storage.raiseLinkEpoch(scope)))
    assert.deepEqual(await readEpochs(storage), [20, 10, 10, 10])
  },

  "an account is made where its links are revoked, and kept as it is": async ({ storage }) => {
    await storage.raiseLinkEpoch({ kind: "account", account: "a", now: 500 })
    const made = { ...NO_LIMITS, id: "a", createdAt: 500 }
    assert.deepEqual(await storage.findAccount("a"), made)
    const settings = { signsContentUrls: true }
    await storage.setAccount({ id: "a", now: 600, settings })
    await storage.raiseLinkEpoch({ kind: "account", account: "a", now: 700 })
    assert.deepEqual(await storage.findAccount("a"), { ...made, ...settings })
    assert.deepEqual(await readEpochs(storage), [2, 2, 2, 0])
  },
}

/** Of three artifacts of account `a`, and of the first as another account would ask. */
function readEpochs(storage: Storage): Promise<number[]> {
  const names = [
    { account: "a", task: "t", key: "image_1" },
    { account: "a", task: "t", key: "image_2" },
    { account: "a", task: "u", key: "image_1" },
    { account: "b", task: "t", key: "image_1" },
  ]
  return Promise.all(names.map((name) => storage.readLinkEpoch(name)))
}

function toKey(id: string, createdAt: number): LinkKey {
  return { id: id.repeat(8), secret: "ab".repeat(32), createdAt }
}
