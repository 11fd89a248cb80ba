/** The contract of `WebhookStorage`: deliveries, from the feed to their end. */
import assert from "node:assert/strict"
import type { RecordedTry } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import type { StorageFixture } from "./storage-fixture.ts"
import {
  toEndpoint,
  createEndpoint,
  toDelivery,
  toPending,
  toRecord,
  fillFeed,
  takeDue,
  findByMessage,
  listAll,
  findDueIds,
  toMessages,
} from "./webhook-samples.ts"

export const DELIVERY_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a delivery is taken once until its time is over": async ({ storage }) => {
    await fillFeed(storage, [toDelivery("m1"), toDelivery("m2", { dueAt: 2_000 })])
    assert.deepEqual(await findDueIds(storage, 999), [])
    assert.deepEqual(await findDueIds(storage, 1_000), ["we_1"])
    const taken = await Promise.all([takeDue(storage, 1_000), takeDue(storage, 1_000)])
    assert.deepEqual(taken.flat(), [toPending("m1", { dueAt: 61_000, tries: 1 })])
    assert.deepEqual(toMessages(await takeDue(storage, 60_999)), ["m2"])
    assert.deepEqual(toMessages(await takeDue(storage, 61_000)), ["m1"])
  },

  "endpoints with something due are found by page": async ({ storage }) => {
    for (const id of ["we_c", "we_a", "we_d", "we_b"]) {
      await createEndpoint(storage, toEndpoint(id))
      const dueAt = id === "we_b" ? 2_000 : 1_000
      await storage.addDelivery(toDelivery("m1", { endpoint: id, dueAt }))
    }
    const page = { now: 1_000, limit: 2 }
    const first = await storage.findDueWebhooks({ ...page, after: "" })
    assert.deepEqual(
      first.map(({ id }) => id),
      ["we_a", "we_c"],
    )
    const second = await storage.findDueWebhooks({ ...page, after: "we_c" })
    assert.deepEqual(
      second.map(({ id }) => id),
      ["we_d"],
    )
  },

  "many that take deliveries at once share them": async ({ storage }) => {
    const names = Array.from({ length: 40 }, (_, index) => `m${index}`)
    await fillFeed(
      storage,
      names.map((name, sequence) => toDelivery(name, { sequence })),
    )
    const taken = await Promise.all(Array.from({ length: 8 }, () => takeDue(storage, 1_000, 5)))
    const more = await takeDue(storage, 1_000, 40)
    const all = toMessages([...taken.flat(), ...more])
    assert.equal(all.length, 40)
    assert.equal(new Set(all).size, 40)
  },

  "deliveries of one task are taken in order, those of others beside them": async ({ storage }) => {
    await fillFeed(storage, [
      toDelivery("a1", { subject: "a", sequence: 1 }),
      toDelivery("a2", { subject: "a", sequence: 2 }),
      toDelivery("b3", { subject: "b", sequence: 3 }),
    ])
    const [first, other] = await takeDue(storage, 1_000)
    assert.deepEqual(toMessages([first, other]), ["a1", "b3"])
    assert.deepEqual(await takeDue(storage, 1_000), [], "the one before is under way")
    await storage.recordTries([toRecord(first, { dueAt: 9_000 }), toRecord(other)])
    assert.deepEqual(await findDueIds(storage, 8_999), [], "it waits as long as the one before it")
    assert.deepEqual(toMessages(await takeDue(storage, 9_000)), ["a1"])
    await storage.recordTries([
      toRecord(toPending("a1", { ...first, tries: 2 }), { state: "failed" }),
    ])
    assert.deepEqual(toMessages(await takeDue(storage, 9_000)), ["a2"])
  },

  "only the newest try of a delivery is recorded": async ({ storage }) => {
    await fillFeed(storage, [toDelivery("m1")])
    const [first] = await takeDue(storage, 1_000)
    const [second] = await takeDue(storage, 61_000)
    const history = [{ at: 1_000, durationMs: 7, status: 200, failure: null, answer: "é\u0001" }]
    await storage.recordTries([toRecord(first, { state: "failed" })])
    assert.equal((await findByMessage(storage, "m1"))?.state, "pending")
    await storage.recordTries([toRecord(second, { state: "delivered", history })])
    assert.deepEqual(
      await findByMessage(storage, "m1"),
      toPending("m1", { state: "delivered", tries: 2, dueAt: 0, history }),
    )
    await storage.recordTries([toRecord(second, { state: "failed" })])
    assert.equal((await findByMessage(storage, "m1"))?.state, "delivered")
  },

  "an endpoint is failing from its first failure to its next success": async ({ storage }) => {
    await fillFeed(storage, [toDelivery("m1")])
    const [taken] = await takeDue(storage, 1_000)
    const { url } = toEndpoint("we_1")
    const noteAt = async (at: number, hasSucceeded: boolean): Promise<readonly number[]> => {
      const standing = { at, url, hasSucceeded }
      await storage.recordTries([toRecord(taken, { dueAt: 1_000, state: "pending", standing })])
      const found = await storage.findWebhook({ account: "account", id: "we_1" })
      return [found?.failingSince ?? -1, found?.provenAt ?? -1]
    }
    assert.deepEqual(await noteAt(2_000, true), [0, 2_000])
    assert.deepEqual(await noteAt(3_000, true), [0, 2_000])
    assert.deepEqual(await noteAt(4_000, false), [4_000, 0])
    assert.deepEqual(await noteAt(5_000, false), [4_000, 0])
    const renewed = toEndpoint("we_1", { revision: 2 })
    assert.equal(await storage.updateWebhook(renewed, { isRenewed: true }), true)
    assert.deepEqual(await storage.findWebhook(renewed), renewed)
  },

  "a try at the URL before says nothing of the one that there is now": async ({ storage }) => {
    await fillFeed(storage, [toDelivery("m1"), toDelivery("m2")])
    const [one, other] = await takeDue(storage, 1_000)
    const { url: before } = toEndpoint("we_1")
    const moved = toEndpoint("we_1", { revision: 2, url: "https://b.example/hook" })
    assert.equal(await storage.updateWebhook(moved, { isRenewed: true }), true)
    const record = (tried: typeof one, url: string, at: number): RecordedTry =>
      toRecord(tried, { standing: { at, url, hasSucceeded: true } })
    await storage.recordTries([record(one, before, 2_000)])
    assert.deepEqual(await storage.findWebhook(moved), moved)
    // Of both in one commit the newer is at the URL before.
    await storage.recordTries([record(other, moved.url, 3_000), record(one, before, 4_000)])
    assert.equal((await storage.findWebhook(moved))?.provenAt, 3_000)
  },

  "what waits for an endpoint is counted up to a bound, notices left out": async ({ storage }) => {
    const notice = toDelivery("n1", { type: "task.expiring", dueAt: 9_000 })
    const given = { ...toDelivery("m4"), isGivenUp: true as const }
    await fillFeed(storage, [toDelivery("m1"), toDelivery("m2"), toDelivery("m3"), notice, given])
    const count = (most: number, dueBy = 99_000) =>
      storage.countWaiting({ endpoint: "we_1", dueBy, most })
    assert.deepEqual(await Promise.all([count(2), count(3), count(9)]), [2, 3, 3])
    const [taken] = await takeDue(storage, 1_000, 1)
    assert.equal(await count(9), 3, "a try that is under way still waits")
    await storage.recordTries([toRecord(taken)])
    assert.equal(await count(9), 2)
    assert.equal(await count(9, 999), 0)
    assert.equal(await storage.countWaiting({ endpoint: "we_2", dueBy: 9_000, most: 9 }), 0)
    const stored = await findByMessage(storage, "m4")
    assert.deepEqual([stored?.state, stored?.tries, stored?.history], ["failed", 0, []])
    assert.equal(await storage.replayDeliveries({ endpoint: "we_1", now: 5_000, message: "m4" }), 1)
    assert.equal(await count(9), 3)
  },

  "an endpoint that is disabled gives up what waits, and gets nothing": async ({ storage }) => {
    await fillFeed(storage, [toDelivery("m1"), toDelivery("m2", { sequence: 2 })])
    const [taken] = await takeDue(storage, 1_000, 1)
    const disabled = toEndpoint("we_1", { revision: 2, disabledAt: 1_500, disabledReason: "gone" })
    assert.equal(await storage.updateWebhook(disabled), true)
    assert.deepEqual(await takeDue(storage, 99_000), [])
    assert.equal(await storage.clearDeliveries({ endpoint: "we_1", limit: 9 }), 2)
    assert.deepEqual(
      (await listAll(storage)).map(({ state }) => state),
      ["failed", "failed"],
    )
    await storage.recordTries([toRecord(taken, { dueAt: 1_000, state: "pending" })])
    await storage.addDelivery(toDelivery("m3", { sequence: 3 }))
    assert.deepEqual(await findDueIds(storage, 99_000), [])
    assert.deepEqual(await takeDue(storage, 99_000), [])
    const enabled = toEndpoint("we_1", { revision: 3 })
    assert.equal(await storage.updateWebhook(enabled), true)
    assert.deepEqual(toMessages(await takeDue(storage, 99_000)), ["m3"])
  },

  "a delivery is replayed alone, or with all that failed since a moment": async ({ storage }) => {
    const moments = [100, 200, 300, 400]
    const made = moments.map((createdAt) =>
      toDelivery(`m${createdAt}`, { createdAt, sequence: createdAt }),
    )
    await fillFeed(storage, made)
    const states = ["failed", "failed", "delivered", "failed"] as const
    const taken = await takeDue(storage, 1_000)
    await storage.recordTries(
      taken.map((each, index) => toRecord(each, { state: states[index] ?? "failed" })),
    )
    const replay = { endpoint: "we_1", now: 5_000 }
    assert.equal(await storage.replayDeliveries({ ...replay, message: "m300" }), 1)
    assert.equal(await storage.replayDeliveries({ ...replay, message: "m300" }), 0, "it waits")
    assert.equal(await storage.replayDeliveries({ ...replay, message: "none" }), 0)
    assert.equal(await storage.replayDeliveries({ ...replay, since: 200, limit: 1 }), 1)
    assert.equal(await storage.replayDeliveries({ ...replay, since: 200, limit: 9 }), 1)
    assert.deepEqual(await findDueIds(storage, 4_999), [])
    assert.deepEqual(toMessages(await takeDue(storage, 5_000)), ["m200", "m300", "m400"])
  },

  "deliveries are listed newest first, by page and state": async ({ storage }) => {
    await fillFeed(
      storage,
      ["m1", "m2", "m3"].map((message, sequence) => toDelivery(message, { sequence })),
    )
    const [first] = await takeDue(storage, 1_000, 1)
    await storage.recordTries([toRecord(first)])
    const request = { endpoint: "we_1", limit: 2 }
    assert.deepEqual(toMessages(await storage.listDeliveries(request)), ["m3", "m2"])
    const before = { createdAt: 1_000, message: "m2" }
    assert.deepEqual(toMessages(await storage.listDeliveries({ ...request, before })), ["m1"])
    const delivered = await storage.listDeliveries({ ...request, state: "delivered" })
    assert.deepEqual(toMessages(delivered), ["m1"])
    assert.deepEqual(await storage.listDeliveries({ ...request, endpoint: "we_2" }), [])
  },

  "old deliveries are removed once they are over": async ({ storage }) => {
    const made = [1, 2, 3, 4].map((at) => toDelivery(`m${at}`, { createdAt: at, sequence: at }))
    await fillFeed(storage, made)
    const taken = await takeDue(storage, 1_000, 3)
    await storage.recordTries(taken.map((each) => toRecord(each)))
    assert.equal(await storage.removeDeliveries({ before: 3, limit: 1 }), 1)
    assert.deepEqual(toMessages(await listAll(storage)), ["m4", "m3", "m2"])
    assert.equal(await storage.removeDeliveries({ before: 9, limit: 9 }), 2)
    assert.deepEqual(toMessages(await listAll(storage)), ["m4"], "it waits still")
  },

  "what waits for a disabled endpoint is given up by page": async ({ storage }) => {
    const names = ["m1", "m2", "m3", "m4"]
    await fillFeed(
      storage,
      names.map((message, sequence) => toDelivery(message, { sequence })),
    )
    const [first] = await takeDue(storage, 1_000, 1)
    await storage.recordTries([toRecord(first)])
    const page = { endpoint: "we_1", limit: 2 }
    assert.equal(await storage.clearDeliveries(page), 0, "it is enabled")
    assert.deepEqual(await storage.findUncleared(), [])
    const disabled = toEndpoint("we_1", { revision: 2, disabledAt: 1_500, disabledReason: "gone" })
    await storage.updateWebhook(disabled)
    assert.deepEqual(await storage.findUncleared(), ["we_1"])
    assert.equal(await storage.clearDeliveries(page), 2)
    assert.equal(await storage.clearDeliveries(page), 1)
    assert.equal(await storage.clearDeliveries(page), 0)
    assert.deepEqual(await storage.findUncleared(), [])
    const states = (await listAll(storage)).map(({ state }) => state)
    assert.deepEqual(states.toSorted(), ["delivered", "failed", "failed", "failed"])
    const replay = { endpoint: "we_1", now: 5_000 }
    assert.equal(await storage.replayDeliveries({ ...replay, since: 0, limit: 9 }), 0)
    assert.equal(await storage.replayDeliveries({ ...replay, message: "m2" }), 0)
  },

  "what a deleted endpoint leaves is removed by page": async ({ storage }) => {
    const names = ["m1", "m2", "m3"]
    await fillFeed(
      storage,
      names.map((message, sequence) => toDelivery(message, { sequence })),
    )
    const [first] = await takeDue(storage, 1_000, 1)
    await storage.recordTries([toRecord(first)])
    await createEndpoint(storage, toEndpoint("we_0"))
    await storage.addDelivery(toDelivery("m1", { endpoint: "we_0" }))
    await storage.addDelivery(toDelivery("m1", { endpoint: "we_2" }))
    assert.deepEqual(await storage.findUncleared(), ["we_2"], "it was never there")
    await storage.deleteWebhook({ account: "account", id: "we_1", keepFeedUntil: 0 })
    assert.deepEqual((await storage.findUncleared()).toSorted(), ["we_1", "we_2"])
    const page = { endpoint: "we_1", limit: 2 }
    assert.equal(await storage.clearDeliveries(page), 2)
    assert.equal(await storage.clearDeliveries(page), 1)
    assert.equal(await storage.clearDeliveries({ ...page, endpoint: "we_2" }), 1)
    assert.deepEqual(await storage.findUncleared(), [])
    assert.deepEqual(await listAll(storage), [])
    assert.ok(await storage.findDelivery({ endpoint: "we_0", message: "m1" }), "another's")
  },
}
