/** The contract of `WebhookStorage`: endpoints, and the feeds that are kept for them. */
import assert from "node:assert/strict"
import { KEPT_FOREVER, type WebhookEndpoint } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { submitSample } from "./sample-task.ts"
import type { StorageFixture } from "./storage-fixture.ts"
import { toEndpoint, createEndpoint, toDelivery, listAll } from "./webhook-samples.ts"

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
    assert.equal(await createEndpoint(storage, endpoint), true)
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
    const kept = await Promise.all(made.map((endpoint) => createEndpoint(storage, endpoint, 3)))
    assert.equal(kept.filter(Boolean).length, 3)
    assert.equal((await storage.listWebhooks("account")).length, 3)
    assert.equal(
      await createEndpoint(storage, toEndpoint("we_other", { account: "other" }), 3),
      true,
    )
  },

  "an endpoint changes only from the revision that was seen": async ({ storage }) => {
    const endpoint = toEndpoint("we_1")
    await createEndpoint(storage, endpoint)
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
    await createEndpoint(storage, toEndpoint("we_1"))
    const kept = await storage.findFeed("account")
    assert.deepEqual([kept?.keptUntil, kept?.position, kept?.spreadTo], [KEPT_FOREVER, 1, 1])
    await storage.append(submitSample({ id: "u" }).append)
    await createEndpoint(storage, toEndpoint("we_2"))
    assert.equal((await storage.findFeed("account"))?.spreadTo, 1)
    const end = { account: "account", keepFeedUntil: 7_000 }
    assert.equal(await storage.deleteWebhook({ ...end, account: "other", id: "we_1" }), false)
    assert.equal(await storage.deleteWebhook({ ...end, id: "we_1" }), true)
    assert.equal((await storage.findFeed("account"))?.keptUntil, KEPT_FOREVER)
    assert.equal(await storage.deleteWebhook({ ...end, id: "we_2" }), true)
    assert.equal(await storage.deleteWebhook({ ...end, id: "we_2" }), false)
    assert.equal((await storage.findFeed("account"))?.keptUntil, 7_000)
  },

  "feeds that are kept for endpoints are listed until they are spread to their ends": async ({
    storage,
  }) => {
    await storage.openFeed({ account: "watched", until: 1_000 })
    for (const account of ["b", "a"]) {
      await createEndpoint(storage, toEndpoint(`we_${account}`, { account }))
    }
    assert.deepEqual(await storage.listUnspread(), [])
    for (const account of ["b", "watched", "a"]) {
      await storage.append(submitSample({ id: account, submitted: { account } }).append)
    }
    assert.deepEqual(await storage.listUnspread(), ["a", "b"])
    const { id = "" } = (await storage.findFeed("a")) ?? {}
    await storage.fanOut({ account: "a", feed: id, from: 0, to: 1, deliveries: [] })
    assert.deepEqual(await storage.listUnspread(), ["b"])
  },

  "of many that spread the same entries one does": async ({ storage }) => {
    await createEndpoint(storage, toEndpoint("we_1"))
    const feed = await storage.findFeed("account")
    assert.ok(feed)
    const request = { account: "account", feed: feed.id, from: 0, to: 2 }
    const done = await Promise.all(
      ["m1", "m2", "m3"].map((message) =>
        storage.fanOut({ ...request, deliveries: [toDelivery(message)] }),
      ),
    )
    assert.equal(done.filter(Boolean).length, 1)
    assert.equal((await listAll(storage)).length, 1)
    assert.equal((await storage.findFeed("account"))?.spreadTo, 2)
    const again = { ...request, from: 2, to: 3, deliveries: await listAll(storage) }
    assert.equal(await storage.fanOut({ ...again, feed: "another" }), false)
    assert.equal(await storage.fanOut(again), true, "a delivery that is known is no conflict")
    assert.equal((await listAll(storage)).length, 1)
  },
}
