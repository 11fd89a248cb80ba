/** What an account asks of its webhooks, and what it may not. */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import type { WebhookName } from "@safelight/core"
import { createWorld, FINISH, startEndpoint, startWorld, URL_A } from "./webhook-world.ts"

const DAY_MS = 86_400_000

describe("endpoints", () => {
  test("are made with what is told by default, and listed without their secrets", async (t) => {
    const { webhooks, clock } = createWorld(t)
    const made = await webhooks.createWebhook({ account: "account", url: URL_A })
    assert.equal(made.kind, "done")
    const { id } = made.webhook
    assert.match(id, /^we_[0-9a-f]{24}$/)
    const webhook = {
      id,
      account: "account",
      createdAt: clock.now(),
      url: URL_A,
      description: "",
      types: ["task.succeeded", "task.failed"],
      disabledAt: 0,
      disabledReason: null,
      failingSince: 0,
      provenAt: 0,
      oldSecretsEndAt: 0,
    }
    assert.deepEqual(await webhooks.listWebhooks("account"), [webhook])
    assert.deepEqual(await webhooks.findWebhook({ account: "account", id }), webhook)
  })

  test("are as many as an account may have", async (t) => {
    const world = createWorld(t, { endpointsPerAccount: 2 })
    await world.add(URL_A)
    await world.add(URL_A)
    const refused = await world.webhooks.createWebhook({ account: "account", url: URL_A })
    assert.deepEqual(refused, { kind: "too-many", most: 2 })
    await world.add(URL_A, undefined, "other")
  })

  test("lead nowhere that may not be sent to", async (t) => {
    const { webhooks, add } = createWorld(t)
    const refused = { kind: "url-not-allowed" }
    const url = "ftp://a.example"
    assert.deepEqual(await webhooks.createWebhook({ account: "account", url }), refused)
    const name = { account: "account", id: await add(URL_A) }
    assert.deepEqual(await webhooks.updateWebhook({ ...name, url }), refused)
  })

  test("of others are as unknown as those that never were", async (t) => {
    const world = createWorld(t)
    const id = await world.add(URL_A)
    const tested = await world.webhooks.testWebhook({ account: "account", id })
    assert.equal(tested.kind, "done")
    const { message } = tested.delivery
    const { webhooks } = world
    const unknown = { kind: "unknown" }
    for (const name of [
      { account: "other", id },
      { account: "account", id: "we_0" },
    ]) {
      assert.equal(await webhooks.findWebhook(name), undefined)
      assert.equal(await webhooks.deleteWebhook(name), false)
      assert.deepEqual(await webhooks.updateWebhook({ ...name, description: "mine" }), unknown)
      assert.deepEqual(await webhooks.rotateWebhook({ ...name, overlapMs: 0 }), unknown)
      assert.deepEqual(await webhooks.testWebhook(name), unknown)
      assert.deepEqual(await webhooks.replayDelivery({ ...name, message }), unknown)
      assert.deepEqual(await webhooks.replayFailed({ ...name, since: 0 }), unknown)
      assert.equal(await webhooks.findDelivery({ ...name, message }), undefined)
      assert.equal(await webhooks.listDeliveries({ ...name, limit: 1 }), undefined)
    }
  })

  test("change in what is given alone, two changes at once both", async (t) => {
    const world = createWorld(t)
    const name = { account: "account", id: await world.add(URL_A) }
    await Promise.all([
      world.webhooks.updateWebhook({ ...name, description: "ours" }),
      world.webhooks.updateWebhook({ ...name, types: ["task.failed", "task.failed"] }),
      world.webhooks.updateWebhook({ ...name, url: "https://b.example" }),
    ])
    const found = await world.webhooks.findWebhook(name)
    assert.deepEqual(
      [found?.description, found?.types, found?.url],
      ["ours", ["task.failed"], "https://b.example"],
    )
  })

  test("that are disabled get nothing until they are enabled", async (t) => {
    const world = startWorld(t)
    const name = { account: "account", id: await world.add(URL_A) }
    await world.webhooks.updateWebhook({ ...name, isEnabled: false })
    await world.change("t", FINISH)
    await world.clock.advance(2_000)
    const disabled = { kind: "disabled" }
    assert.deepEqual(await world.webhooks.testWebhook(name), disabled)
    assert.deepEqual(await world.webhooks.replayFailed({ ...name, since: 0 }), disabled)
    await world.webhooks.updateWebhook({ ...name, isEnabled: true })
    await world.change("u", FINISH)
    await world.clock.advance(2_000)
    assert.deepEqual(
      world.sent.map(({ id }) => id),
      [world.messageOf("u", 4)],
    )
  })

  test("are deleted with what waits for them", async (t) => {
    const world = createWorld(t)
    const name = { account: "account", id: await world.add(URL_A) }
    await world.webhooks.testWebhook(name)
    assert.equal(await world.webhooks.deleteWebhook(name), true)
    world.webhooks.start()
    await world.clock.advance(2_000)
    assert.deepEqual(world.sent, [])
    assert.deepEqual(await world.webhooks.listWebhooks("account"), [])
  })

  test("that end with a thousand messages leave none waiting, also if a process dies amid that", async (t) => {
    const world = createWorld(t)
    const { storage, webhooks } = world
    const ids = [await world.add(URL_A), await world.add(URL_A), await world.add(URL_A)] as const
    for (let index = 0; index < 1_100; index += 1) {
      const message = { message: `m${index}`, subject: `s${index}`, sequence: index, type: "t" }
      const delivery = { ...message, payload: "{}", createdAt: 1, dueAt: 1 }
      for (const endpoint of ids) await storage.addDelivery({ ...delivery, endpoint })
    }
    const [disabled, deleted, left] = ids.map((id) => ({ account: "account", id })) as [
      WebhookName,
      WebhookName,
      WebhookName,
    ]
    await webhooks.updateWebhook({ ...disabled, isEnabled: false })
    assert.equal(await storage.clearDeliveries({ endpoint: disabled.id, limit: 1 }), 0)
    await webhooks.deleteWebhook(deleted)
    assert.deepEqual(await storage.listDeliveries({ endpoint: deleted.id, limit: 1 }), [])
    await webhooks.updateWebhook({ ...disabled, isEnabled: true })
    assert.equal(await storage.clearDeliveries({ endpoint: disabled.id, limit: 1 }), 0)
    assert.deepEqual(await webhooks.replayFailed({ ...disabled, since: 0 }), {
      kind: "done",
      replayed: 1_100,
    })
    // As if the process had died once the endpoint was gone.
    await storage.deleteWebhook({ ...left, keepFeedUntil: 0 })
    assert.equal(await webhooks.sweep(), 0)
    assert.deepEqual(await storage.listDeliveries({ endpoint: left.id, limit: 1 }), [])
  })

  test("keep the last secrets alone, and none longer than a rotation says", async (t) => {
    const world = createWorld(t)
    const name = { account: "account", id: await world.add(URL_A) }
    for (let count = 0; count < 9; count += 1) {
      await world.webhooks.rotateWebhook({ ...name, overlapMs: DAY_MS })
    }
    assert.equal((await world.storage.findWebhook(name))?.secrets.length, 5)
    const rotated = await world.webhooks.rotateWebhook({ ...name, overlapMs: 0 })
    assert.equal(rotated.kind, "done")
    const secrets = (await world.storage.findWebhook(name))?.secrets
    assert.deepEqual(
      secrets?.map(({ expiresAt }) => expiresAt),
      [0],
    )
  })
})

describe("deliveries", () => {
  test("are tried out by a test message, which is logged like any other", async (t) => {
    const world = startWorld(t)
    const name = { account: "account", id: await world.add(URL_A) }
    const tested = await world.webhooks.testWebhook(name)
    assert.equal(tested.kind, "done")
    await world.clock.advance(0)
    const [{ payload, id } = assert.fail()] = world.sent
    assert.equal(payload.type, "webhook.test")
    assert.equal(id, tested.delivery.message)
    const delivery = await world.webhooks.findDelivery({ ...name, message: id })
    assert.equal(delivery?.state, "delivered")
  })

  test("are replayed one by one, with the history of before", async (t) => {
    const world = startWorld(t)
    const name = { account: "account", id: await world.add(URL_A) }
    await world.change("t", FINISH)
    await world.clock.advance(0)
    const message = { ...name, message: world.messageOf("t", 4) }
    const replayed = await world.webhooks.replayDelivery(message)
    assert.equal(replayed.kind, "done")
    await world.clock.advance(1_000)
    assert.equal(world.sent.length, 2)
    assert.equal(world.sent[0]?.body, world.sent[1]?.body)
    assert.equal((await world.webhooks.findDelivery(message))?.history.length, 2)
    const unknown = await world.webhooks.replayDelivery({ ...name, message: "msg_none" })
    assert.deepEqual(unknown, { kind: "unknown" })
  })

  test("are listed by pages to the end", async (t) => {
    const world = createWorld(t)
    const name = { account: "account", id: await world.add(URL_A) }
    for (let count = 0; count < 5; count += 1) {
      await world.webhooks.testWebhook(name)
    }
    const found: string[] = []
    let page = await world.webhooks.listDeliveries({ ...name, limit: 2 })
    while (page !== undefined) {
      found.push(...page.deliveries.map(({ message }) => message))
      if (page.next === null) break
      page = await world.webhooks.listDeliveries({ ...name, limit: 2, before: page.next })
    }
    assert.equal(found.length, 5)
    assert.equal(new Set(found).size, 5)
  })

  test("are forgotten a month after they were made", async (t) => {
    const { world, id } = await startEndpoint(t, { pollMs: 3_600_000 })
    await world.change("t", FINISH)
    await world.clock.advance(30 * DAY_MS)
    assert.equal(await world.webhooks.sweep(), 0)
    await world.clock.advance(1_000)
    assert.equal(await world.webhooks.sweep(), 1)
    assert.deepEqual(await world.deliveries(id), [])
  })
})
