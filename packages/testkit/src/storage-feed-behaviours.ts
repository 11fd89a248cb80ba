/** The contract of `Storage`: feeds. */
import assert from "node:assert/strict"
import { setImmediate } from "node:timers/promises"
import { KEPT_FOREVER, type FeedEntry, type Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import {
  acceptSample,
  advanceSample,
  dispatchSample,
  submitSample,
  succeedSample,
} from "./sample-task.ts"
import { assertRejects, type StorageFixture } from "./storage-fixture.ts"

const account = "account"
const ALL = { account, after: 0, limit: 1_000 } as const

async function readTypes(storage: Storage, after = 0): Promise<string[]> {
  const entries = await storage.readFeed({ ...ALL, after })
  return entries.map(({ task, type, version }) => `${task} ${version} ${type}`)
}

function assertDense(entries: readonly FeedEntry[], from = 1): void {
  const positions = entries.map(({ position }) => position)
  assert.deepEqual(
    positions,
    entries.map((_, index) => from + index),
  )
}

export const FEED_BEHAVIOURS: Behaviours<StorageFixture> = {
  "an account that nobody watches has no feed": async ({ storage }) => {
    await storage.append(submitSample({ id: "t" }).append)
    assert.equal(await storage.findFeed(account), undefined)
    assert.deepEqual(await storage.listFeeds(), [])
    assert.deepEqual(await storage.readFeed(ALL), [])
    await storage.limitFeed({ account, until: 5 })
    assert.equal(await storage.forgetFeed({ account, now: 9, before: 9, limit: 9 }), 0)
    assert.equal(await storage.findFeed(account), undefined)
  },

  "a feed has every event of the account since it was begun, also after a reopening": async (
    fixture,
  ) => {
    const { storage } = fixture
    const early = submitSample({ id: "early" })
    await storage.append(early.append)
    const feed = await storage.openFeed({ account, until: 50 })
    assert.deepEqual(feed, { account, id: feed.id, keptUntil: 50, position: 0, spreadTo: 0 })
    const dispatched = advanceSample(early.head, [dispatchSample()], { now: 2_000 })
    await storage.append(dispatched.append)
    const late = submitSample({ id: "late", now: 1_500 })
    assert.deepEqual(await storage.admit({ append: late.append }), { kind: "admitted" })
    const other = submitSample({ id: "other", submitted: { account: "other" } })
    await storage.append(other.append)
    const ended = advanceSample(dispatched.head, [acceptSample({ id: 1 }), succeedSample()])
    await storage.append(ended.append)

    const reopened = await fixture.reopen()
    const entries = await reopened.readFeed(ALL)
    assert.deepEqual(entries[0], {
      account,
      position: 1,
      at: 2_000,
      task: "early",
      type: "dispatched",
      version: 2,
    })
    assert.deepEqual(await readTypes(reopened), [
      "early 2 dispatched",
      "late 1 submitted",
      "early 3 accepted",
      "early 4 succeeded",
    ])
    assertDense(entries)
    assert.deepEqual(await readTypes(reopened, 2), ["early 3 accepted", "early 4 succeeded"])
    assert.equal((await reopened.readFeed({ ...ALL, limit: 2 })).length, 2)
    assert.deepEqual(await reopened.findFeed(account), { ...feed, position: 4 })
    assert.deepEqual(await reopened.listFeeds(), [{ ...feed, position: 4 }])
  },

  "an entry that comes with its task has it as its event left it": async ({ storage }) => {
    await storage.openFeed({ account, until: 50 })
    const submitted = submitSample({ id: "t" })
    await storage.append(submitted.append)
    const first = await storage.readTask("t")
    const dispatched = advanceSample(submitted.head, [dispatchSample()], { now: 2_000 })
    await storage.append(dispatched.append)
    const second = await storage.readTask("t")
    for (const { head, version } of await storage.readFeed(ALL)) {
      if (head !== undefined) assert.deepEqual(head, [first, second][version - 1])
    }
  },

  "an append that is refused, or comes twice, adds nothing to a feed": async ({ storage }) => {
    await storage.openFeed({ account, until: 50 })
    const submitted = submitSample({ id: "t" })
    await storage.append(submitted.append)
    await storage.append(submitted.append)
    const rival = submitSample({ id: "t", now: 7 })
    await assertRejects(storage.append(rival.append), "version-conflict")
    await storage.setAccount({ id: account, now: 1, settings: { budgetMicros: 0 } })
    const refused = await storage.admit({ append: submitSample({ id: "refused" }).append })
    assert.deepEqual(refused, { kind: "refused", limit: "budget" })
    assert.deepEqual(await readTypes(storage), ["t 1 submitted"])
  },

  "a feed is kept for the longest that was asked for, until it is limited": async ({ storage }) => {
    const feed = await storage.openFeed({ account, until: 50 })
    assert.equal((await storage.openFeed({ account, until: 20 })).keptUntil, 50)
    assert.deepEqual(await storage.openFeed({ account, until: KEPT_FOREVER }), {
      ...feed,
      keptUntil: KEPT_FOREVER,
    })
    await storage.limitFeed({ account, until: 60 })
    await storage.limitFeed({ account, until: 70 })
    assert.deepEqual(await storage.findFeed(account), { ...feed, keptUntil: 60 })
  },

  "of a feed the oldest entries are forgotten, and never the newest": async ({ storage }) => {
    await storage.openFeed({ account, until: 50_000 })
    for (const now of [1, 2, 3, 4]) {
      await storage.append(submitSample({ id: `t${now}`, now }).append)
    }
    const request = { account, now: 9, limit: 2 }
    assert.equal(await storage.forgetFeed({ ...request, before: 1 }), 0)
    assert.equal(await storage.forgetFeed({ ...request, before: 9 }), 2)
    assert.deepEqual(await readTypes(storage), ["t3 1 submitted", "t4 1 submitted"])
    assert.equal(await storage.forgetFeed({ ...request, before: 9 }), 1)
    assert.equal(await storage.forgetFeed({ ...request, before: 9 }), 0)
    await storage.append(submitSample({ id: "t5" }).append)
    assertDense(await storage.readFeed(ALL), 4)
  },

  "of the entries that are old enough to be forgotten the newest stays": async ({ storage }) => {
    await storage.openFeed({ account, until: 50_000 })
    for (const now of [1, 2, 3, 8, 9]) {
      await storage.append(submitSample({ id: `t${now}`, now }).append)
    }
    const request = { account, now: 9, before: 5, limit: 9 }
    assert.equal(await storage.forgetFeed(request), 2)
    assert.equal(await storage.forgetFeed(request), 0)
    assert.deepEqual(await readTypes(storage), [
      "t3 1 submitted",
      "t8 1 submitted",
      "t9 1 submitted",
    ])
  },

  "what is still to be spread is not forgotten": async ({ storage }) => {
    await storage.openFeed({ account, until: KEPT_FOREVER })
    await storage.append(submitSample({ id: "a" }).append)
    await storage.append(submitSample({ id: "b" }).append)
    assert.equal(await storage.forgetFeed({ account, now: 9_000, before: 9_000, limit: 9 }), 0)
    assert.equal((await readTypes(storage)).length, 2)
  },

  "a feed that is no longer kept is removed, and the next one is another": async ({ storage }) => {
    const feed = await storage.openFeed({ account, until: 50 })
    for (const id of ["a", "b", "c"]) await storage.append(submitSample({ id, now: 1 }).append)
    const request = { account, before: 0, limit: 1 }
    assert.equal(await storage.forgetFeed({ ...request, now: 50 }), 0)
    assert.equal(await storage.forgetFeed({ ...request, now: 51 }), 1)
    assert.equal(await storage.forgetFeed({ ...request, now: 51 }), 1)
    assert.equal(await storage.forgetFeed({ ...request, now: 51 }), 0)
    assert.equal(await storage.findFeed(account), undefined)
    assert.deepEqual(await storage.readFeed(ALL), [])
    await storage.append(submitSample({ id: "d" }).append)
    const next = await storage.openFeed({ account, until: 90 })
    assert.notEqual(next.id, feed.id)
    await storage.append(submitSample({ id: "e" }).append)
    assert.deepEqual(await readTypes(storage), ["e 1 submitted"])
    assertDense(await storage.readFeed(ALL))
  },

  "appends at once get positions without gaps, each task's events in order": async ({
    storage,
  }) => {
    await storage.openFeed({ account, until: 50 })
    async function live(id: string): Promise<void> {
      const submitted = submitSample({
        id,
        submitted: { account: id.startsWith("o") ? id : account },
      })
      await storage.append(submitted.append)
      const dispatched = advanceSample(submitted.head, [dispatchSample()])
      await storage.append(dispatched.append)
      await storage.append(advanceSample(dispatched.head, [succeedSample()]).append)
    }
    const names = Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? "o" : "t") + index)
    await Promise.all(names.map(live))
    const entries = await storage.readFeed(ALL)
    assert.equal(entries.length, 30 * 3)
    assertDense(entries)
    for (const [id, events] of Map.groupBy(entries, ({ task }) => task)) {
      assert.ok(id.startsWith("t"))
      assert.deepEqual(
        events.map(({ version }) => version),
        [1, 2, 3],
      )
    }
  },

  "a feed that is begun among appends misses none that comes after": async ({ storage }) => {
    const before = Array.from({ length: 30 }, (_, index) => submitSample({ id: `before-${index}` }))
    const appends = before.map(({ append }) => storage.append(append))
    const others = ["one", "two"].map((other) => storage.openFeed({ account: other, until: 50 }))
    const feeds = [1, 2, 3].map(() => storage.openFeed({ account, until: 50 }))
    const ids = new Set((await Promise.all(feeds)).map(({ id }) => id))
    assert.equal(ids.size, 1)
    const after = Array.from({ length: 30 }, (_, index) => submitSample({ id: `after-${index}` }))
    await Promise.all([...after.map(({ append }) => storage.append(append)), ...appends, ...others])
    const entries = await storage.readFeed(ALL)
    assertDense(entries)
    const tasks = new Set(entries.map(({ task }) => task))
    for (const { append } of after) assert.ok(tasks.has(append.task), append.task)
  },

  "who listens is told of the accounts whose feeds grow, until it stops": async ({ storage }) => {
    const told: string[] = []
    await storage.openFeed({ account, until: 50 })
    const stop = storage.onFed((each) => told.push(each))
    await storage.append(submitSample({ id: "unwatched", submitted: { account: "other" } }).append)
    await storage.append(submitSample({ id: "t" }).append)
    await setImmediate()
    // Perhaps more than once: a listener that has just begun to listen to others is notified of every feed.
    assert.deepEqual([...new Set(told)], [account])
    stop()
    const before = told.length
    await storage.append(submitSample({ id: "u" }).append)
    await setImmediate()
    assert.equal(told.length, before)
  },
}
