/** What webhooks tell: which events, in which words, in which order, signed by which secrets. */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { verifyWebhook } from "@safelight/client"
import { WEBHOOK_TYPES, type MessageSender } from "@safelight/core"
import { dispatchSample } from "@safelight/testkit"
import { createWebhooks } from "@safelight/webhooks"
import { ACCEPT, createWorld, FINISH, type WebhookWorld, startWorld } from "./webhook-world.ts"
import { unavailable } from "../support/unavailable.ts"

const DAY_MS = 86_400_000
/** Seldom, for tests that take days. */
const SELDOM = { pollMs: 60_000 }

const SENDER: MessageSender = {
  check: () => undefined,
  send: async () => ({ kind: "answered", status: 200, body: "" }),
  close: async () => {},
}

describe("an event of a task", () => {
  test("is told to the endpoints of its account that chose its type, as it left the task", async (t) => {
    const world = startWorld(t, SELDOM)
    await world.add("https://a.example")
    await world.add("https://b.example", ["task.submitted", "task.dispatched"])
    await world.add("https://c.example", ["task.succeeded"], "other")
    await world.change("t", FINISH)
    await world.clock.advance(0)
    const told = world.sent.map(({ url, id, payload }) => [url, id, payload.type, payload.data])
    const of = (url: string) => told.filter(([each]) => each === url)
    assert.equal(told.length, 3)
    assert.deepEqual(of("https://a.example"), [
      [
        "https://a.example",
        world.messageOf("t", 4),
        "task.succeeded",
        { task_id: "t", version: 4 },
      ],
    ])
    assert.deepEqual(of("https://b.example"), [
      [
        "https://b.example",
        world.messageOf("t", 1),
        "task.submitted",
        { task_id: "t", version: 1 },
      ],
      [
        "https://b.example",
        world.messageOf("t", 2),
        "task.dispatched",
        { task_id: "t", version: 2 },
      ],
    ])
    const [first] = world.sent
    assert.equal(first?.payload.timestamp, new Date(first?.at ?? 0).toISOString())
    await world.clock.advance(4 * DAY_MS)
    assert.equal(world.sent.length, 3, "each was taken, and is told once")
  })

  test("is told if it happened while nobody worked, and not if the endpoint came later", async (t) => {
    const world = createWorld(t)
    await world.change("early", FINISH)
    await world.add("https://a.example")
    await world.change("t", FINISH)
    world.webhooks.start()
    await world.clock.advance(0)
    assert.deepEqual(
      world.sent.map(({ id }) => id),
      [world.messageOf("t", 4)],
    )
  })

  test("is told to more endpoints than are looked for at a time", async (t) => {
    const world = createWorld(t, { endpointsPerAccount: 1_000 })
    for (let index = 0; index < 501; index += 1) {
      const endpoint = await world.add(`https://${index}.example`)
      const message = { message: "m1", subject: "m1", sequence: 1, type: "t", payload: "{}" }
      await world.storage.addDelivery({ ...message, endpoint, createdAt: 0, dueAt: 0 })
    }
    world.webhooks.start()
    await world.clock.advance(0)
    assert.equal(new Set(world.sent.map(({ url }) => url)).size, 501)
  })

  test("is told once by two processes that work side by side", async (t) => {
    const world = createWorld(t)
    const other = world.createNode()
    world.webhooks.start()
    other.start()
    await world.add("https://a.example", WEBHOOK_TYPES.slice(0, -1))
    for (let index = 0; index < 120; index += 1) {
      await world.change(`t${index}`, FINISH)
    }
    await world.clock.advance(5_000)
    assert.equal(world.sent.length, 120 * 4)
    assert.equal(new Set(world.sent.map(({ id }) => id)).size, 120 * 4)
  })

  test("is told at once if it comes while the endpoint is found to have nothing more", async (t) => {
    const world = startWorld(t, SELDOM)
    const id = await world.add("https://a.example")
    const { takeDeliveries } = world.storage
    const takeLate: typeof takeDeliveries = async (request) => {
      const taken = await takeDeliveries(request)
      if (taken.length > 0 || world.storage.events.has("u")) return taken
      await world.change("u", FINISH)
      // The worker hears of it once it is stored, before it hears that there was nothing.
      while ((await world.deliveries(id)).length < 2);
      await world.clock.wait(1)
      return taken
    }
    Object.assign(world.storage, { takeDeliveries: takeLate })
    await world.change("t", FINISH)
    await world.clock.advance(10)
    assert.deepEqual(
      world.sent.map(({ payload }) => payload.data["task_id"]),
      ["t", "u"],
    )
  })

  test("is spread by the process that adds it, and by the next look of any other one alone", async (t) => {
    const world = createWorld(t)
    await world.add("https://a.example")
    const { findFeed, onFed } = world.storage
    const lookers = new Set<number>()
    /** What one process adds, the others hear of. */
    const nodes = Array.from({ length: 5 }, (_, index) => {
      const storage: typeof world.storage = {
        ...world.storage,
        findFeed(account) {
          lookers.add(index)
          return findFeed(account)
        },
        onFed: (listener) => onFed((account) => listener(account, index === 0)),
      }
      return createWebhooks({ ...world.parts, sender: SENDER, storage })
    })
    for (const node of nodes) node.start()
    await world.clock.advance(0)
    await world.change("t", FINISH)
    await world.clock.advance(0)
    assert.deepEqual(lookers, new Set([0]))
    await nodes[0]?.stop({ graceMs: 0 })
    await world.clock.advance(0)
    await world.change("u", FINISH)
    await world.clock.advance(0)
    assert.equal((await findFeed("account"))?.spreadTo, 4)
    await world.clock.advance(1_000)
    assert.equal((await findFeed("account"))?.spreadTo, 8)
    await Promise.all(nodes.map((node) => node.stop({ graceMs: 0 })))
  })

  test("keeps the id of a message that an earlier release queued, over all its tries", async (t) => {
    const world = createWorld(t)
    await world.change("t", FINISH)
    const endpoint = await world.add("https://a.example")
    const queued = { message: "msg_t_4", subject: "t", sequence: 4, type: "task.succeeded" }
    const now = world.clock.now()
    const times = { createdAt: now, dueAt: now }
    await world.storage.addDelivery({ ...queued, ...times, endpoint, payload: "{}" })
    world.receivers.set("https://a.example", () => (world.sent.length < 3 ? 500 : 200))
    world.webhooks.start()
    await world.clock.advance(DAY_MS)
    assert.deepEqual(
      world.sent.map(({ id }) => id),
      ["msg_t_4", "msg_t_4", "msg_t_4"],
    )
  })

  test("waits for those of its task before it, and for no other task's", async (t) => {
    const world = startWorld(t)
    await world.add("https://a.example", ["task.submitted", "task.dispatched", "task.accepted"])
    world.receivers.set("https://a.example", ({ headers }) =>
      headers["webhook-id"]?.startsWith("msg_t_1_") === true && world.clock.now() < start + 4_000
        ? 500
        : 200,
    )
    const start = world.clock.now()
    await world.change("t", [dispatchSample(), ACCEPT])
    await world.change("u", [dispatchSample()])
    await world.clock.advance(3_000)
    const told = world.sent.map(({ id }) => id)
    assert.deepEqual(told, [
      world.messageOf("t", 1),
      world.messageOf("u", 1),
      world.messageOf("u", 2),
    ])
    await world.clock.advance(3_000)
    assert.deepEqual(
      world.sent.slice(3).map(({ id }) => id),
      [world.messageOf("t", 1), world.messageOf("t", 2), world.messageOf("t", 3)],
    )
  })
})

describe("a signature", () => {
  test("is that of Standard Webhooks, by the secret that was shown once", async (t) => {
    const world = startWorld(t)
    const made = await world.webhooks.createWebhook({
      account: "account",
      url: "https://a.example",
    })
    assert.equal(made.kind, "done")
    assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    await world.change("t", FINISH)
    await world.clock.advance(0)
    const [{ headers, body } = assert.fail()] = world.sent
    const now = world.clock.now()
    const { id, payload } = await verifyWebhook({ headers, body, secret: made.secret, now })
    assert.equal(id, world.messageOf("t", 4))
    assert.deepEqual(payload, JSON.parse(body))
    const found = await world.webhooks.findWebhook({ account: "account", id: made.webhook.id })
    assert.ok(!JSON.stringify([found, made.webhook]).includes("whsec_"))
  })

  test("is one for each secret while they overlap", async (t) => {
    const world = startWorld(t, SELDOM)
    const made = await world.webhooks.createWebhook({
      account: "account",
      url: "https://a.example",
    })
    assert.equal(made.kind, "done")
    const name = { account: "account", id: made.webhook.id }
    const rotated = await world.webhooks.rotateWebhook({ ...name, overlapMs: DAY_MS })
    assert.equal(rotated.kind, "done")
    assert.equal(rotated.webhook.oldSecretsEndAt, world.clock.now() + DAY_MS)
    await world.change("t", FINISH)
    await world.clock.advance(DAY_MS)
    await world.change("u", FINISH)
    await world.clock.advance(1_000)
    const [during = assert.fail(), after = assert.fail()] = world.sent
    const verify = (sent: typeof during, secret: string) =>
      verifyWebhook({ headers: sent.headers, body: sent.body, secret, now: sent.at })
    await verify(during, made.secret)
    await verify(during, rotated.secret)
    await verify(after, rotated.secret)
    await assert.rejects(verify(after, made.secret), { code: "invalid_webhook" })
  })
})

describe("a notice of expiry", () => {
  // The samples' artifacts expire at 5,000 ms of the epoch: long ago for any clock but this one.
  const toCommands = (expiresAt: number) => [
    dispatchSample(),
    ACCEPT,
    {
      kind: "succeed" as const,
      chargeMicros: 0,
      usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 },
      artifacts: [
        {
          bytes: 1,
          durationMs: null,
          expiresAt,
          key: "image_1",
          locator: "l",
          mimeType: "image/png",
          sha256: "ab".repeat(32),
          type: "image" as const,
        },
      ],
    },
  ]

  test("is sent a day before the artifacts expire", async (t) => {
    const world = startWorld(t, SELDOM)
    await world.add("https://a.example", ["task.expiring"])
    const expiresAt = world.clock.now() + 3 * DAY_MS
    await world.change("t", toCommands(expiresAt))
    await world.clock.advance(2 * DAY_MS - 1_000)
    assert.equal(world.sent.length, 0)
    await world.clock.advance(62_000)
    const [{ payload, id } = assert.fail()] = world.sent
    assert.equal(payload.type, "task.expiring")
    assert.equal(id, world.noticeOf("t", 4, expiresAt / 1_000))
    assert.equal((payload as { expires_at?: number }).expires_at, expiresAt / 1_000)
    await world.clock.advance(DAY_MS)
    assert.equal(world.sent.length, 1)
  })

  test("is not sent once the artifacts have expired", async (t) => {
    const world = createWorld(t)
    const id = await world.add("https://a.example", ["task.expiring"])
    await world.change("t", toCommands(world.clock.now() + 1_000))
    await world.clock.advance(DAY_MS)
    world.webhooks.start()
    await world.clock.advance(2_000)
    assert.deepEqual(world.sent, [])
    assert.deepEqual(
      (await world.deliveries(id)).map(({ state, history }) => [state, history]),
      [["failed", []]],
    )
  })

  const toNotices = (world: WebhookWorld) =>
    world.sent.map(({ at, id, payload }) => {
      const { expires_at: expiresAt = NaN } = payload as { expires_at?: number }
      return { at: at / DAY_MS, id, expiresAt: (expiresAt * 1_000) / DAY_MS }
    })

  test("comes a day before the moment of a hold, and none comes for the moment before it", async (t) => {
    const world = startWorld(t, SELDOM)
    const id = await world.add("https://a.example", ["task.expiring"])
    const start = world.clock.now()
    await world.change("t", toCommands(start + 3 * DAY_MS))
    await world.clock.advance(DAY_MS)
    await world.change("t", [{ kind: "hold", until: start + 10 * DAY_MS }])
    await world.change("t", [{ kind: "hold", until: start + 20 * DAY_MS }])
    await world.clock.advance(18 * DAY_MS - 1_000)
    assert.deepEqual(world.sent, [])
    await world.clock.advance(62_000)
    const [notice = assert.fail(), ...others] = toNotices(world)
    assert.deepEqual(others, [])
    assert.equal(notice.id, world.noticeOf("t", 6, (start + 20 * DAY_MS) / 1_000))
    assert.equal(notice.expiresAt, start / DAY_MS + 20)
    await world.clock.advance(2 * DAY_MS)
    assert.equal(world.sent.length, 1)
    const states = (await world.deliveries(id)).map(({ state }) => state)
    assert.deepEqual(states.toSorted(), ["delivered", "failed", "failed"])
  })

  test("that an earlier release queued is sent under the id that it has", async (t) => {
    const world = createWorld(t, SELDOM)
    const expiresAt = world.clock.now() + 3 * DAY_MS
    await world.change("t", toCommands(expiresAt))
    const endpoint = await world.add("https://a.example", ["task.expiring"])
    const message = `msg_t_expiring_${expiresAt / 1_000}`
    const queued = { message, subject: "t", sequence: 9, type: "task.expiring", endpoint }
    const times = { createdAt: world.clock.now(), dueAt: expiresAt - DAY_MS }
    await world.storage.addDelivery({ ...queued, ...times, payload: "{}" })
    world.webhooks.start()
    await world.clock.advance(2 * DAY_MS + 60_000)
    assert.deepEqual(
      world.sent.map(({ id }) => id),
      [message],
    )
  })

  test("comes again if a hold follows one that was sent", async (t) => {
    const world = startWorld(t, SELDOM)
    await world.add("https://a.example", ["task.expiring"])
    const start = world.clock.now()
    await world.change("t", toCommands(start + 3 * DAY_MS))
    await world.clock.advance(2.5 * DAY_MS)
    assert.equal(world.sent.length, 1)
    await world.change("t", [{ kind: "hold", until: start + 10 * DAY_MS }])
    await world.clock.advance(6.5 * DAY_MS - 1_000)
    assert.equal(world.sent.length, 1)
    await world.clock.advance(62_000)
    const moments = toNotices(world).map(({ expiresAt }) => expiresAt - start / DAY_MS)
    assert.deepEqual(moments, [3, 10])
  })

  test("of a hold is sent also where none of the success was wanted", async (t) => {
    const world = startWorld(t, SELDOM)
    const start = world.clock.now()
    await world.add("https://b.example")
    await world.change("t", toCommands(start + 3 * DAY_MS))
    await world.clock.advance(0)
    await world.add("https://a.example", ["task.expiring"])
    await world.change("t", [{ kind: "hold", until: start + 5 * DAY_MS }])
    await world.clock.advance(4 * DAY_MS + 60_000)
    assert.deepEqual(
      world.sent.map(({ url, id }) => [url, id]),
      [
        ["https://b.example", world.messageOf("t", 4)],
        ["https://a.example", world.noticeOf("t", 5, (start + 5 * DAY_MS) / 1_000)],
      ],
    )
  })

  test("that waits for its moment lets the events of its task pass", async (t) => {
    const world = startWorld(t, SELDOM)
    const types = ["task.succeeded", "task.held", "task.expiring", "task.expired"] as const
    await world.add("https://a.example", types)
    const start = world.clock.now()
    await world.change("t", toCommands(start + 3 * DAY_MS))
    await world.clock.advance(DAY_MS)
    await world.change("t", [{ kind: "hold", until: start + 5 * DAY_MS }])
    await world.clock.advance(0)
    const told = () => world.sent.map(({ payload }) => payload.type)
    assert.deepEqual(told(), ["task.succeeded", "task.held"])
    await world.clock.advance(4 * DAY_MS)
    await world.change("t", [{ kind: "expire" }])
    await world.clock.advance(0)
    assert.deepEqual(told().slice(2), ["task.expiring", "task.expired"])
  })
})

describe("feeds that can't be read for now", () => {
  test("are spread later, and nothing is missed", async (t) => {
    const world = startWorld(t)
    await world.add("https://a.example")
    const { readFeed } = world.storage
    world.storage.readFeed = () => Promise.reject(unavailable())
    await world.change("t", FINISH)
    await world.clock.advance(5_000)
    assert.equal(world.sent.length, 0)
    assert.ok(world.lines.some(({ message }) => message === "webhooks not looked at"))
    world.storage.readFeed = readFeed
    await world.clock.advance(2_000)
    assert.equal(world.sent.length, 1)
  })
})
