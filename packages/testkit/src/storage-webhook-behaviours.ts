/** The contract of `WebhookStorage`: endpoints, and deliveries from the feed to their end. */
import assert from "node:assert/strict"
import {
  KEPT_FOREVER,
  type Delivery,
  type NewDelivery,
  type RecordedTry,
  type Storage,
  type WebhookEndpoint,
} from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { submitSample } from "./sample-task.ts"
import type { StorageFixture } from "./storage-fixture.ts"

export const WEBHOOK_BEHAVIOURS: Behaviours<StorageFixture> = {
  "an endpoint is found as it was made by its account alone, also after a reopening": async (
    fixture,
  ) => {
    const { storage } = fixture
    const secrets = [
      { secret: "whsec_b25l", expiresAt: 0 },
      { secret: "whsec_dHdv", expiresAt: 9_000 },
    ]
    const endpoint = toEndpoint("we_1", { secrets, description: "ours 🎞" })
    assert.equal(await create(storage, endpoint), true)
    assert.deepEqual(await storage.findWebhook(endpoint), endpoint)
    assert.equal(await storage.findWebhook({ account: "other", id: "we_1" }), undefined)
    assert.deepEqual(await storage.listWebhooks("other"), [])
    const reopened = await fixture.reopen()
    assert.deepEqual(await reopened.listWebhooks("account"), [endpoint])
  },

  "of endpoints that are made at once as many are kept as an account may have": async ({
    storage,
  }) => {
    const made = Array.from({ length: 6 }, (_, index) => toEndpoint(`we_${index}`))
    const kept = await Promise.all(made.map((endpoint) => create(storage, endpoint, 3)))
    assert.equal(kept.filter(Boolean).length, 3)
    assert.equal((await storage.listWebhooks("account")).length, 3)
    assert.equal(await create(storage, toEndpoint("we_other", { account: "other" }), 3), true)
  },

  "an endpoint changes only from the revision that was seen": async ({ storage }) => {
    const endpoint = toEndpoint("we_1")
    await create(storage, endpoint)
    const changed: WebhookEndpoint = { ...endpoint, url: "https://b.example", revision: 2 }
    assert.equal(await storage.updateWebhook(changed), true)
    assert.equal(await storage.updateWebhook({ ...changed, url: "https://c.example" }), false)
    assert.equal(await storage.updateWebhook({ ...changed, account: "other", revision: 3 }), false)
    assert.deepEqual(await storage.findWebhook(endpoint), changed)
  },

  "a feed is kept while there are endpoints, and spread from the first of them on": async ({
    storage,
  }) => {
    await storage.openFeed({ account: "account", until: 1_000 })
    await storage.append(submitSample({ id: "t" }).append)
    await create(storage, toEndpoint("we_1"))
    const kept = await storage.findFeed("account")
    assert.deepEqual([kept?.keptUntil, kept?.position, kept?.spreadTo], [KEPT_FOREVER, 1, 1])
    await storage.append(submitSample({ id: "u" }).append)
    await create(storage, toEndpoint("we_2"))
    assert.equal((await storage.findFeed("account"))?.spreadTo, 1)
    const end = { account: "account", keepFeedUntil: 7_000 }
    assert.equal(await storage.deleteWebhook({ ...end, account: "other", id: "we_1" }), false)
    assert.equal(await storage.deleteWebhook({ ...end, id: "we_1" }), true)
    assert.equal((await storage.findFeed("account"))?.keptUntil, KEPT_FOREVER)
    assert.equal(await storage.deleteWebhook({ ...end, id: "we_2" }), true)
    assert.equal(await storage.deleteWebhook({ ...end, id: "we_2" }), false)
    assert.equal((await storage.findFeed("account"))?.keptUntil, 7_000)
  },

  "of many that spread the same entries one does": async ({ storage }) => {
    await create(storage, toEndpoint("we_1"))
    const feed = await storage.findFeed("account")
    assert.ok(feed)
    const request = { account: "account", feed: feed.id, from: 0, to: 2 }
    const done = await Promise.all(
      ["m1", "m2", "m3"].map((message) =>
        storage.fanOut({ ...request, deliveries: [toDelivery(message)] }),
      ),
    )
    assert.equal(done.filter(Boolean).length, 1)
    assert.equal((await list(storage)).length, 1)
    assert.equal((await storage.findFeed("account"))?.spreadTo, 2)
    const again = { ...request, from: 2, to: 3, deliveries: await list(storage) }
    assert.equal(await storage.fanOut({ ...again, feed: "another" }), false)
    assert.equal(await storage.fanOut(again), true, "a delivery that is known is no conflict")
    assert.equal((await list(storage)).length, 1)
  },

  "a delivery is taken once until its time is over": async ({ storage }) => {
    await fill(storage, [toDelivery("m1"), toDelivery("m2", { dueAt: 2_000 })])
    assert.deepEqual(await dueIds(storage, 999), [])
    assert.deepEqual(await dueIds(storage, 1_000), ["we_1"])
    const taken = await Promise.all([take(storage, 1_000), take(storage, 1_000)])
    assert.deepEqual(taken.flat(), [toPending("m1", { dueAt: 61_000, tries: 1 })])
    assert.deepEqual(messages(await take(storage, 60_999)), ["m2"])
    assert.deepEqual(messages(await take(storage, 61_000)), ["m1"])
  },

  "many that take deliveries at once share them": async ({ storage }) => {
    const names = Array.from({ length: 40 }, (_, index) => `m${index}`)
    await fill(
      storage,
      names.map((name, sequence) => toDelivery(name, { sequence })),
    )
    const taken = await Promise.all(Array.from({ length: 8 }, () => take(storage, 1_000, 5)))
    const more = await take(storage, 1_000, 40)
    const all = messages([...taken.flat(), ...more])
    assert.equal(all.length, 40)
    assert.equal(new Set(all).size, 40)
  },

  "deliveries of one task are taken in order, those of others beside them": async ({ storage }) => {
    await fill(storage, [
      toDelivery("a1", { subject: "a", sequence: 1 }),
      toDelivery("a2", { subject: "a", sequence: 2 }),
      toDelivery("b3", { subject: "b", sequence: 3 }),
    ])
    const [first, other] = await take(storage, 1_000)
    assert.deepEqual(messages([first, other]), ["a1", "b3"])
    assert.deepEqual(await take(storage, 1_000), [], "the one before is under way")
    await storage.recordTries([toRecord(first, { dueAt: 9_000 }), toRecord(other)])
    assert.deepEqual(await dueIds(storage, 8_999), [], "it waits as long as the one before it")
    assert.deepEqual(messages(await take(storage, 9_000)), ["a1"])
    await storage.recordTries([
      toRecord(toPending("a1", { ...first, tries: 2 }), { state: "failed" }),
    ])
    assert.deepEqual(messages(await take(storage, 9_000)), ["a2"])
  },

  "only the newest try of a delivery is recorded": async ({ storage }) => {
    await fill(storage, [toDelivery("m1")])
    const [first] = await take(storage, 1_000)
    const [second] = await take(storage, 61_000)
    const history = [{ at: 1_000, durationMs: 7, status: 200, failure: null, answer: "é\u0001" }]
    await storage.recordTries([toRecord(first, { state: "failed" })])
    assert.equal((await find(storage, "m1"))?.state, "pending")
    await storage.recordTries([toRecord(second, { state: "delivered", history })])
    assert.deepEqual(
      await find(storage, "m1"),
      toPending("m1", { state: "delivered", tries: 2, dueAt: 0, history }),
    )
    await storage.recordTries([toRecord(second, { state: "failed" })])
    assert.equal((await find(storage, "m1"))?.state, "delivered")
  },

  "an endpoint is failing from its first failure to its next success": async ({ storage }) => {
    await fill(storage, [toDelivery("m1")])
    const [taken] = await take(storage, 1_000)
    const noteAt = async (at: number, hasSucceeded: boolean): Promise<readonly number[]> => {
      await storage.recordTries([
        toRecord(taken, { dueAt: 1_000, state: "pending", standing: { at, hasSucceeded } }),
      ])
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

  "an endpoint that is disabled gives up what waits, and gets nothing": async ({ storage }) => {
    await fill(storage, [toDelivery("m1"), toDelivery("m2", { sequence: 2 })])
    const [taken] = await take(storage, 1_000, 1)
    const disabled = toEndpoint("we_1", { revision: 2, disabledAt: 1_500, disabledReason: "gone" })
    assert.equal(await storage.updateWebhook(disabled), true)
    assert.deepEqual(
      (await list(storage)).map(({ state }) => state),
      ["failed", "failed"],
    )
    await storage.recordTries([toRecord(taken, { dueAt: 1_000, state: "pending" })])
    await storage.addDelivery(toDelivery("m3", { sequence: 3 }))
    assert.deepEqual(await dueIds(storage, 99_000), [])
    assert.deepEqual(await take(storage, 99_000), [])
    const enabled = toEndpoint("we_1", { revision: 3 })
    assert.equal(await storage.updateWebhook(enabled), true)
    assert.deepEqual(messages(await take(storage, 99_000)), ["m3"])
  },

  "a delivery is replayed alone, or with all that failed since a moment": async ({ storage }) => {
    const moments = [100, 200, 300, 400]
    const made = moments.map((createdAt) =>
      toDelivery(`m${createdAt}`, { createdAt, sequence: createdAt }),
    )
    await fill(storage, made)
    const states = ["failed", "failed", "delivered", "failed"] as const
    const taken = await take(storage, 1_000)
    await storage.recordTries(
      taken.map((each, index) => toRecord(each, { state: states[index] ?? "failed" })),
    )
    const replay = { endpoint: "we_1", now: 5_000 }
    assert.equal(await storage.replayDeliveries({ ...replay, message: "m300" }), 1)
    assert.equal(await storage.replayDeliveries({ ...replay, message: "m300" }), 0, "it waits")
    assert.equal(await storage.replayDeliveries({ ...replay, message: "none" }), 0)
    assert.equal(await storage.replayDeliveries({ ...replay, since: 200 }), 2)
    assert.deepEqual(await dueIds(storage, 4_999), [])
    assert.deepEqual(messages(await take(storage, 5_000)), ["m200", "m300", "m400"])
  },

  "deliveries are listed newest first, by page and state": async ({ storage }) => {
    await fill(
      storage,
      ["m1", "m2", "m3"].map((message, sequence) => toDelivery(message, { sequence })),
    )
    const [first] = await take(storage, 1_000, 1)
    await storage.recordTries([toRecord(first)])
    const request = { endpoint: "we_1", limit: 2 }
    assert.deepEqual(messages(await storage.listDeliveries(request)), ["m3", "m2"])
    const before = { createdAt: 1_000, message: "m2" }
    assert.deepEqual(messages(await storage.listDeliveries({ ...request, before })), ["m1"])
    const delivered = await storage.listDeliveries({ ...request, state: "delivered" })
    assert.deepEqual(messages(delivered), ["m1"])
    assert.deepEqual(await storage.listDeliveries({ ...request, endpoint: "we_2" }), [])
  },

  "old deliveries are removed once they are over, and those of no endpoint at all": async ({
    storage,
  }) => {
    const made = [1, 2, 3, 4].map((at) => toDelivery(`m${at}`, { createdAt: at, sequence: at }))
    await fill(storage, made)
    const taken = await take(storage, 1_000, 3)
    await storage.recordTries(taken.map((each) => toRecord(each)))
    await storage.addDelivery(toDelivery("m9", { endpoint: "deleted" }))
    assert.equal(await storage.removeDeliveries({ before: 3, limit: 1 }), 1)
    assert.deepEqual(messages(await list(storage)), ["m4", "m3", "m2"])
    assert.equal(await storage.removeDeliveries({ before: 9, limit: 9 }), 2)
    assert.deepEqual(messages(await list(storage)), ["m4"], "it waits still")
    assert.equal(await storage.findDelivery({ endpoint: "deleted", message: "m9" }), undefined)
    await storage.deleteWebhook({ account: "account", id: "we_1", keepFeedUntil: 0 })
    assert.deepEqual(await list(storage), [])
  },
}

function toEndpoint(id: string, endpoint: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    id,
    account: "account",
    createdAt: 1_000,
    url: "https://a.example/hook",
    description: "",
    types: ["task.succeeded", "task.failed"],
    secrets: [{ secret: "whsec_b25l", expiresAt: 0 }],
    disabledAt: 0,
    disabledReason: null,
    failingSince: 0,
    provenAt: 0,
    revision: 1,
    ...endpoint,
  }
}

async function create(storage: Storage, endpoint: WebhookEndpoint, most = 10): Promise<boolean> {
  await storage.openFeed({ account: endpoint.account, until: 1_000 })
  return storage.createWebhook({ endpoint, most })
}

/** Of a subject of its own, unless one is given. */
function toDelivery(message: string, delivery: Partial<NewDelivery> = {}): NewDelivery {
  return {
    endpoint: "we_1",
    message,
    subject: `of ${message}`,
    sequence: 1,
    type: "task.succeeded",
    payload: '{"data":"é 💩"}',
    createdAt: 1_000,
    dueAt: 1_000,
    ...delivery,
  }
}

function toPending(message: string, delivery: Partial<Delivery> = {}): Delivery {
  return { ...toDelivery(message), state: "pending", tries: 0, history: [], ...delivery }
}

function toRecord(delivery: Delivery | undefined, record: Partial<RecordedTry> = {}): RecordedTry {
  assert.ok(delivery)
  const state = record.dueAt === undefined ? "delivered" : "pending"
  return { delivery, state, dueAt: 0, history: [], standing: null, ...record }
}

async function fill(storage: Storage, deliveries: readonly NewDelivery[]): Promise<void> {
  await create(storage, toEndpoint("we_1"))
  const feed = await storage.findFeed("account")
  assert.ok(feed)
  const spread = { account: "account", feed: feed.id, from: 0, to: deliveries.length }
  assert.ok(await storage.fanOut({ ...spread, deliveries }))
}

function take(storage: Storage, now: number, limit = 10): Promise<readonly Delivery[]> {
  return storage.takeDeliveries({ endpoint: "we_1", now, until: now + 60_000, limit })
}

function find(storage: Storage, message: string): Promise<Delivery | undefined> {
  return storage.findDelivery({ endpoint: "we_1", message })
}

function list(storage: Storage): Promise<readonly Delivery[]> {
  return storage.listDeliveries({ endpoint: "we_1", limit: 100 })
}

async function dueIds(storage: Storage, now: number): Promise<readonly string[]> {
  return (await storage.findDueWebhooks({ now })).map(({ id }) => id)
}

function messages(deliveries: readonly (Delivery | undefined)[]): readonly (string | undefined)[] {
  return deliveries.map((delivery) => delivery?.message)
}
