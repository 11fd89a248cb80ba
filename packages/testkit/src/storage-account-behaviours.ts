/** The contract of `AccountStorage`: accounts and their settings. */
import assert from "node:assert/strict"
import { NO_LIMITS, type Account, type AccountSettings } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import type { StorageFixture } from "./storage-fixture.ts"

const SETTINGS: AccountSettings = {
  budgetMicros: 5_000_000_000_000,
  rates: {
    create: { requests: 60, windowMs: 60_000 },
    read: null,
    content: { requests: 1, windowMs: 86_400_000 },
  },
  retentionMs: 86_400_000,
  maxRetentionMs: 172_800_000,
  signsContentUrls: true,
  suspendedAt: 2_000,
  unfinishedTasks: 7,
  runningTasks: 2,
  weight: 1_000,
}

export const ACCOUNT_BEHAVIOURS: Behaviours<StorageFixture> = {
  "an account that nobody made is unknown": async ({ storage }) => {
    for (const id of ["", "unknown", "\0", "\ud800"]) {
      assert.equal(await storage.findAccount(id), undefined)
    }
    assert.deepEqual(await storage.listAccounts(), [])
  },

  "an account is made as it is set, also after a reopening": async (fixture) => {
    const expected: Account = { ...SETTINGS, id: "a", createdAt: 500 }
    const change = { id: "a", now: 500, settings: SETTINGS }
    assert.deepEqual(await fixture.storage.setAccount(change), expected)
    assert.deepEqual(await fixture.storage.findAccount("a"), expected)
    const storage = await fixture.reopen()
    assert.deepEqual(await storage.findAccount("a"), expected)
    assert.equal(await storage.findAccount("A"), undefined)
  },

  "an account has no limits until they are set": async ({ storage }) => {
    const expected: Account = { ...NO_LIMITS, id: "a", createdAt: 500 }
    assert.deepEqual(await storage.setAccount({ id: "a", now: 500, settings: {} }), expected)
    assert.deepEqual(await storage.findAccount("a"), expected)
    await storage.createKey({ ...KEY, account: "b" })
    assert.deepEqual(await storage.findAccount("b"), { ...NO_LIMITS, id: "b", createdAt: 1_000 })
  },

  "a change sets what it names and leaves the rest": async ({ storage }) => {
    let expected: Account = { ...NO_LIMITS, id: "a", createdAt: 500 }
    await storage.setAccount({ id: "a", now: 500, settings: {} })
    const names = Object.keys(SETTINGS) as (keyof AccountSettings)[]
    for (const to of [SETTINGS, NO_LIMITS]) {
      for (const name of names) {
        const settings = { [name]: to[name] }
        expected = { ...expected, ...settings }
        assert.deepEqual(await storage.setAccount({ id: "a", now: 900, settings }), expected)
      }
    }
    assert.deepEqual(expected, { ...NO_LIMITS, id: "a", createdAt: 500 })
  },

  "changes at once to different settings all hold": async ({ storage }) => {
    const changes = Object.entries(SETTINGS).map(([name, value]) => ({ [name]: value }))
    await Promise.all(
      changes.map((settings) => storage.setAccount({ id: "a", now: 500, settings })),
    )
    assert.deepEqual(await storage.findAccount("a"), { ...SETTINGS, id: "a", createdAt: 500 })
  },

  "accounts are listed by the bytes of their ids": async ({ storage }) => {
    // UTF-16 has the last two the other way round.
    const ids = ["a", "b", "\u{fffd}", "\u{1f600}"]
    for (const [index, id] of ids.toReversed().entries()) {
      await storage.setAccount({ id, now: index, settings: {} })
    }
    const listed = await storage.listAccounts()
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids,
    )
    assert.deepEqual(listed[0], { ...NO_LIMITS, id: "a", createdAt: 3 })
  },
}

const KEY = {
  id: "k1",
  secretSha256: "ab".repeat(32),
  scopes: ["tasks:read"],
  createdAt: 1_000,
  revokedAt: 0,
  expiresAt: 0,
} as const
