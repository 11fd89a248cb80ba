/** Receivers that fail, in every way: when they are tried again, when no more, and whom they hold up. */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import type { SendOutcome } from "@safelight/core"
import { createWorld, FINISH, startEndpoint, startWorld, URL_A } from "./webhook-world.ts"
import { unavailable } from "../support/unavailable.ts"

const HOUR_MS = 3_600_000
/** Seldom, for tests that take days. */
const POLL_MS = 30_000
const NEVER = new Promise<never>(() => {})

describe("a receiver that fails", () => {
  test("is tried for 75 hours, ever less often, and then given up with a line", async (t) => {
    const { world, id } = await startEndpoint(t, { pollMs: POLL_MS })
    world.receivers.set(URL_A, () => 500)
    const start = world.clock.now()
    await world.change("t", FINISH)
    await world.clock.advance(100 * HOUR_MS)
    const pauses = world.sent.map(({ at }, index) => at - (world.sent[index - 1]?.at ?? start))
    const seconds = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    assert.equal(pauses.length, seconds.length)
    for (const [index, pauseMs] of pauses.entries()) {
      const lateMs = pauseMs - (seconds[index] ?? 0) * 1_000
      assert.ok(lateMs >= 0 && lateMs <= POLL_MS, `try ${index}: ${pauseMs} ms`)
    }
    assert.equal(Math.floor(((world.sent.at(-1)?.at ?? 0) - start) / HOUR_MS), 75)
    assert.equal(new Set(world.sent.map((sent) => sent.id)).size, 1)
    const [delivery] = await world.deliveries(id)
    assert.equal(delivery?.state, "failed")
    assert.equal(delivery?.history.length, 10)
    assert.ok(world.lines.some(({ message }) => message === "webhook delivery given up"))
    const webhook = await world.webhooks.findWebhook({ account: "account", id })
    assert.ok((webhook?.failingSince ?? 0) > 0)
    assert.equal(webhook?.disabledAt, 0)
  })

  test("is logged with what it answered", async (t) => {
    const { world, id } = await startEndpoint(t)
    const outcomes: SendOutcome[] = [
      { kind: "failed", failure: "address-not-allowed" },
      { kind: "answered", status: 302, body: "elsewhere" },
      { kind: "answered", status: 200, body: "x".repeat(3_000) },
    ]
    world.receivers.set(URL_A, () => outcomes.shift() ?? 500)
    await world.change("t", FINISH)
    await world.clock.advance(HOUR_MS / 2)
    const [delivery] = await world.deliveries(id)
    assert.equal(delivery?.state, "delivered")
    assert.deepEqual(
      delivery?.history.map(({ status, failure, answer }) => [status, failure, answer.length]),
      [
        [null, "address-not-allowed", 0],
        [302, null, 9],
        [200, null, 2_048],
      ],
    )
  })

  test("may ask for a longer pause", async (t) => {
    const { world } = await startEndpoint(t)
    const busy: SendOutcome = { kind: "answered", status: 429, body: "", retryAfterMs: 60_000 }
    world.receivers.set(URL_A, () => busy)
    await world.change("t", FINISH)
    await world.clock.advance(59_000)
    assert.equal(world.sent.length, 1)
    await world.clock.advance(3_000)
    assert.equal(world.sent.length, 2)
  })

  test("with 410 is disabled at once, with all that waits", async (t) => {
    const { world, id } = await startEndpoint(t, { pollMs: POLL_MS })
    world.receivers.set(URL_A, () => 410)
    await Promise.all(["t", "u", "v"].map((task) => world.change(task, FINISH)))
    await world.clock.advance(100 * HOUR_MS)
    assert.equal(world.sent.length, 1)
    const webhook = await world.webhooks.findWebhook({ account: "account", id })
    assert.equal(webhook?.disabledReason, "gone")
    assert.deepEqual(
      new Set((await world.deliveries(id)).map(({ state }) => state)),
      new Set(["failed"]),
    )
    assert.ok(world.lines.some(({ message }) => message === "webhook disabled"))
    await world.change("w", FINISH)
    await world.clock.advance(5_000)
    assert.equal((await world.deliveries(id)).length, 3, "nothing is queued for it any more")
  })

  test("for days is disabled, and works again once its account enables it", async (t) => {
    const { world, id, name } = await startEndpoint(t, { pollMs: POLL_MS })
    world.receivers.set(URL_A, () => 503)
    for (let day = 0; day < 6; day += 1) {
      await world.change(`t${day}`, FINISH)
      await world.clock.advance(24 * HOUR_MS)
    }
    assert.equal((await world.webhooks.findWebhook(name))?.disabledReason, "failing")
    world.receivers.delete(URL_A)
    const enabled = await world.webhooks.updateWebhook({ ...name, isEnabled: true })
    assert.equal(enabled.kind, "done")
    assert.deepEqual([enabled.webhook.disabledAt, enabled.webhook.failingSince], [0, 0])
    const before = world.sent.length
    const replayed = await world.webhooks.replayFailed({ ...name, since: 0 })
    assert.deepEqual(replayed, { kind: "done", replayed: 6 })
    await world.clock.advance(2_000)
    assert.equal(world.sent.length, before + 6)
    assert.deepEqual(
      new Set((await world.deliveries(id)).map(({ state }) => state)),
      new Set(["delivered"]),
    )
  })
})

describe("a receiver with little traffic", () => {
  const DAY_MS = 24 * HOUR_MS

  test("is not disabled by the first failed try after an outage days before, and gets its message", async (t) => {
    const { world, id, name } = await startEndpoint(t, { pollMs: POLL_MS })
    world.receivers.set(URL_A, () => 503)
    await world.change("t", FINISH)
    await world.clock.advance(6 * DAY_MS)
    assert.equal((await world.deliveries(id))[0]?.state, "failed", "it was given up in the outage")
    await world.change("u", FINISH)
    await world.clock.advance(HOUR_MS)
    assert.equal((await world.webhooks.findWebhook(name))?.disabledAt, 0)
    world.receivers.delete(URL_A)
    await world.clock.advance(DAY_MS)
    assert.equal(world.sent.at(-1)?.id.startsWith("msg_u_"), true)
    assert.equal((await world.webhooks.findWebhook(name))?.failingSince, 0)
  })

  test("is not disabled by the first failed try of a replay, and is once that fails for a day", async (t) => {
    const { world, name } = await startEndpoint(t, { pollMs: POLL_MS })
    world.receivers.set(URL_A, () => 503)
    await world.change("t", FINISH)
    await world.clock.advance(6 * DAY_MS)
    const replayed = await world.webhooks.replayFailed({ ...name, since: 0 })
    assert.deepEqual(replayed, { kind: "done", replayed: 1 })
    await world.clock.advance(HOUR_MS)
    assert.equal((await world.webhooks.findWebhook(name))?.disabledAt, 0)
    await world.clock.advance(2 * DAY_MS)
    assert.equal((await world.webhooks.findWebhook(name))?.disabledReason, "failing")
  })
})

describe("receivers that hang", () => {
  test("hold their own permits, and none of those that answer", async (t) => {
    const { world } = await startEndpoint(t, { sendsToOthers: 4, endpointsPerAccount: 100 })
    await world.change("warm", FINISH)
    await world.clock.advance(0)
    for (let index = 0; index < 50; index += 1) {
      const url = `https://dead${index}.example`
      world.receivers.set(url, () => NEVER)
      await world.add(url)
    }
    for (let index = 0; index < 40; index += 1) {
      await world.change(`t${index}`, FINISH)
    }
    await world.clock.advance(1_500)
    assert.equal(world.sent.filter(({ url }) => url === URL_A).length, 41)
    assert.equal(world.sent.filter(({ url }) => url !== URL_A).length, 4)
  })

  test("leave room for other accounts, also if they answer well in the end", async (t) => {
    const world = startWorld(t, { sendsToProven: 8, sendsPerAccount: 4, endpointsPerAccount: 100 })
    const slow = Array.from({ length: 6 }, (_, index) => `https://slow${index}.example`)
    for (const url of slow) {
      world.receivers.set(url, () => 200)
      await world.add(url)
    }
    await world.add(URL_A, undefined, "other")
    await world.change("warm", FINISH)
    await world.change("other-warm", FINISH, { account: "other" })
    await world.clock.advance(1_000)
    const before = world.sent.length
    for (const url of slow) world.receivers.set(url, () => world.clock.wait(14_900).then(() => 200))
    for (let index = 0; index < 20; index += 1) {
      await world.change(`t${index}`, FINISH)
    }
    await world.clock.advance(1_000)
    assert.equal(world.sent.length - before, 4)
    await world.change("u", FINISH, { account: "other" })
    await world.clock.advance(0)
    assert.equal(world.sent.at(-1)?.url, URL_A)
    await world.clock.advance(600_000)
    assert.equal(world.sent.length - before, 121, "in the end all are sent")
  })

  test("take turns", async (t) => {
    const world = startWorld(t, { sendsToOthers: 2, endpointsPerAccount: 100 })
    for (let index = 0; index < 6; index += 1) {
      const url = `https://dead${index}.example`
      world.receivers.set(url, async () => {
        await world.clock.wait(15_000)
        return { kind: "failed", failure: "timed-out" }
      })
      await world.add(url)
    }
    await Promise.all(["t", "u", "v", "w"].map((task) => world.change(task, FINISH)))
    await world.clock.advance(44_000)
    assert.equal(world.sent.length, 6)
    assert.equal(new Set(world.sent.map(({ url }) => url)).size, 6)
  })

  test("are sent one message at a time until they take one", async (t) => {
    const { world } = await startEndpoint(t, { sendsPerEndpoint: 8 })
    const answers: (() => void)[] = []
    world.receivers.set(
      URL_A,
      () => new Promise((resolve) => void answers.push(() => resolve(200))),
    )
    for (let index = 0; index < 40; index += 1) {
      await world.change(`t${index}`, FINISH)
    }
    await world.clock.advance(0)
    assert.equal(world.sent.length, 1)
    let answered = 0
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) {
        answered += 1
        answer()
      }
      await world.clock.advance(0)
      assert.ok(world.sent.length - answered <= 8)
    }
    assert.equal(answered, 40)
  })
})

describe("a host that an account has named", () => {
  const WARM = 20

  test("is sent one message at a time after another URL, whatever the one before has taken", async (t) => {
    const { world, id } = await startEndpoint(t)
    for (let index = 0; index < WARM; index += 1) {
      await world.change(`warm${index}`, FINISH)
      await world.clock.advance(0)
    }
    assert.equal(world.sent.length, WARM)
    const stranger = "https://stranger.example"
    world.receivers.set(stranger, () => NEVER)
    const moved = await world.webhooks.updateWebhook({ account: "account", id, url: stranger })
    assert.deepEqual(moved.kind === "done" && [moved.webhook.provenAt], [0])
    for (let index = 0; index < 40; index += 1) {
      await world.change(`t${index}`, FINISH)
    }
    await world.clock.advance(1_500)
    assert.equal(world.sent.filter(({ url }) => url === stranger).length, 1)
  })

  test("keeps what it has proven where its description changes, or its URL stays", async (t) => {
    const { world, id } = await startEndpoint(t)
    await world.change("t", FINISH)
    await world.clock.advance(0)
    const name = { account: "account", id }
    await world.webhooks.updateWebhook({ ...name, url: URL_A, description: "the same" })
    assert.ok(((await world.webhooks.findWebhook(name))?.provenAt ?? 0) > 0)
  })

  test("is proven by nothing that was under way to the URL before, nor disabled by it", async (t) => {
    const { world, name } = await startEndpoint(t)
    for (const status of [200, 410]) {
      const answer = Promise.withResolvers<number>()
      world.receivers.set(URL_A, () => answer.promise)
      await world.change(`t${status}`, FINISH)
      await world.clock.advance(1_000)
      await world.webhooks.updateWebhook({ ...name, url: `https://b.example/${status}` })
      answer.resolve(status)
      await world.clock.advance(0)
      const webhook = await world.webhooks.findWebhook(name)
      assert.deepEqual([webhook?.provenAt, webhook?.disabledAt], [0, 0], `${status}`)
      await world.webhooks.updateWebhook({ ...name, url: URL_A })
    }
  })

  test("is sent eight messages at a time, by all accounts together", async (t) => {
    const world = startWorld(t, { endpointsPerAccount: 100 })
    const accounts = Array.from({ length: 4 }, (_, index) => `account${index}`)
    const host = "https://stranger.example"
    let open = 0
    let most = 0
    for (const account of accounts) {
      for (const path of ["one", "two", "three"]) {
        const url = `${host}/${account}/${path}`
        world.receivers.set(url, async () => {
          open += 1
          most = Math.max(most, open)
          await world.clock.wait(1_000)
          open -= 1
          return 200
        })
        await world.add(url, undefined, account)
      }
    }
    for (let index = 0; index < 80; index += 1) {
      const account = accounts[index % accounts.length] ?? ""
      await world.change(`t${index}`, FINISH, { account })
    }
    await world.clock.advance(60_000)
    assert.equal(world.sent.length, 240)
    assert.equal(most, 8)
  })

  test("has so many messages waiting at most; the others are listed as failed, told and replayed", async (t) => {
    const { world, id, name } = await startEndpoint(t, { waitingPerEndpoint: 10 })
    world.receivers.set(URL_A, () => 503)
    for (let index = 0; index < 14; index += 1) {
      await world.change(`t${index}`, FINISH)
    }
    await world.clock.advance(1_500)
    const count = async (state: string): Promise<number> =>
      (await world.deliveries(id)).filter((delivery) => delivery.state === state).length
    assert.deepEqual([await count("pending"), await count("failed")], [10, 4])
    const told = world.lines.filter(({ message }) => message === "webhook backlog full")
    assert.equal(
      told.reduce((sum, { fields }) => sum + Number(fields["deliveries"]), 0),
      4,
    )
    const full = { kind: "too-many-waiting", most: 10 }
    assert.deepEqual(await world.webhooks.testWebhook(name), full)
    assert.deepEqual(await world.webhooks.replayFailed({ ...name, since: 0 }), full)
    const [failed] = await world.storage.listDeliveries({ endpoint: id, state: "failed", limit: 1 })
    const { message = "" } = failed ?? {}
    assert.deepEqual(await world.webhooks.replayDelivery({ ...name, message }), full)
    world.receivers.delete(URL_A)
    await world.clock.advance(HOUR_MS / 2)
    assert.deepEqual([await count("delivered"), await count("failed")], [10, 4])
    const replayed = await world.webhooks.replayFailed({ ...name, since: 0 })
    assert.deepEqual(replayed, { kind: "done", replayed: 4 })
    await world.clock.advance(1_500)
    assert.equal(await count("delivered"), 14)
  })
})

describe("a process", () => {
  test("that dies with a message in hand leaves it to others", async (t) => {
    const world = createWorld(t)
    world.receivers.set(URL_A, () => (world.sent.length === 1 ? NEVER : 200))
    world.webhooks.start()
    await world.add(URL_A)
    await world.change("t", FINISH)
    await world.clock.advance(0)
    assert.equal(world.sent.length, 1)
    world.createNode().start()
    await world.clock.advance(59_000)
    assert.equal(world.sent.length, 1, "the time of its taker is not over")
    await world.clock.advance(3_000)
    assert.equal(world.sent.length, 2)
    assert.equal(world.sent[1]?.id, world.sent[0]?.id)
  })

  test("whose storage is away records what it sent once it is back", async (t) => {
    const { world, id } = await startEndpoint(t)
    const { recordTries } = world.storage
    world.storage.recordTries = () => Promise.reject(unavailable())
    await world.change("t", FINISH)
    await world.clock.advance(20_000)
    assert.equal((await world.deliveries(id))[0]?.state, "pending")
    world.storage.recordTries = recordTries
    await world.clock.advance(2_000)
    assert.equal((await world.deliveries(id))[0]?.state, "delivered")
    assert.equal(world.sent.length, 1)
    assert.ok(world.lines.some(({ message }) => message === "webhook tries not recorded"))
  })

  test("that stops begins nothing more, and calls off what takes too long", async (t) => {
    const { world, id } = await startEndpoint(t)
    const answer = Promise.withResolvers<number>()
    world.receivers.set(URL_A, () => answer.promise)
    await world.change("t", FINISH)
    await world.clock.advance(0)
    const stopped = world.webhooks.stop({ graceMs: 1_000 })
    await world.change("u", FINISH)
    await world.clock.advance(1_000)
    answer.resolve(200)
    await stopped
    assert.equal(world.sent.length, 1)
    const [delivery] = await world.deliveries(id)
    assert.equal(delivery?.state, "pending")
    assert.deepEqual(delivery?.history, [])
  })
})
