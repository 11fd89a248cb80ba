/** Server-sent events of an account and of one task, in process and over a socket. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { connect } from "node:net"
import { afterEach, describe, it } from "node:test"
import type { HttpSettings } from "@safelight/http"
import { until } from "../../support/until.ts"
import { FEED, toFakePosition } from "./fake-changes.ts"
import { outside } from "./fake-service.ts"
import { createWorld, WORLDS, type World } from "./worlds.ts"

const A = "019a0000-0000-7000-8000-00000000000a"
const B = "019a0000-0000-7000-8000-00000000000b"

/** The id of the change that was added as the first, the second…, in the stream of the account. */
function toPositionId(position: number): string {
  return `${FEED}:${position}:${toFakePosition(position).digits}`
}

/** In the stream of its task, whose changes were added alone. */
function toPlaceId(version: number): string {
  return `${version}:${toFakePosition(version).digits}`
}

interface Event {
  readonly id: string
  readonly event: string
  readonly data: { type?: string; timestamp?: string; data?: { task_id: string; status: string } }
}

interface Reader {
  readonly status: number
  readonly headers: Headers
  readonly events: Event[]
  /** How many comments came. */
  readonly beats: () => number
  readonly isEnded: () => boolean
  readonly leave: () => Promise<void>
}

for (const kind of WORLDS) {
  describe(`a stream, ${kind}`, () => {
    const closers: (() => Promise<unknown>)[] = []
    afterEach(async () => {
      for (const close of closers.splice(0).toReversed()) await close()
    })

    async function create(settings: Partial<HttpSettings> = {}) {
      const world = await createWorld(kind, { settings })
      const { changes } = world
      closers.push(() => world.close())
      const open = async (path: string, headers: Record<string, string> = {}): Promise<Reader> => {
        const reader = await openStream(world, path, headers)
        closers.push(reader.leave)
        return reader
      }
      return { changes, open, world }
    }

    it("of an account begins with ready and sends every change as it comes", async () => {
      const { changes, open } = await create()
      changes.add(A, "submitted")
      const reader = await open("/v1/stream")
      assert.equal(reader.status, 200)
      assert.equal(reader.headers.get("content-type"), "text/event-stream")
      assert.equal(reader.headers.get("cache-control"), "no-store")
      await until(() => reader.events.length === 1)
      assert.deepEqual(reader.events[0], { id: toPositionId(1), event: "ready", data: {} })
      changes.add(A, "dispatched", { state: "dispatching" })
      changes.add(B, "submitted")
      await until(() => reader.events.length === 3)
      const [, first, second] = reader.events
      assert.equal(first?.id, toPositionId(2))
      assert.equal(first?.event, "task.dispatched")
      assert.equal(first?.data.type, "task.dispatched")
      assert.equal(first?.data.timestamp, "1970-01-01T00:00:02.000Z")
      assert.equal(first?.data.data?.task_id, A)
      assert.equal(second?.data.data?.task_id, B)
    })

    it("of a finished task that was held often sends all of it, over pages, and ends", async () => {
      for (const count of [99, 100, 101, 250]) {
        const { changes, open } = await create()
        const finished = { state: "succeeded.available" } as const
        for (let each = 0; each < count; each += 1) changes.add(A, "held", finished)
        const reader = await open(`/v1/tasks/${A}/stream`)
        await until(() => reader.isEnded())
        assert.deepEqual(
          reader.events.map(({ id }) => id),
          Array.from({ length: count }, (_, index) => toPlaceId(index + 1)),
        )
      }
    })

    it("of an account goes on behind Last-Event-ID, over pages", async () => {
      const { changes, open } = await create()
      for (let count = 0; count < 25; count += 1) changes.add(A, "progressed")
      const reader = await open("/v1/stream", { "last-event-id": toPositionId(3) })
      await until(() => reader.events.length === 22)
      changes.add(A, "succeeded")
      await until(() => reader.events.length === 23)
      assert.deepEqual(
        reader.events.map(({ id }) => id),
        Array.from({ length: 23 }, (_, index) => toPositionId(index + 4)),
      )
    })

    const nowhere = {
      junk: "junk",
      "a position that is not there yet": toPositionId(99),
      "a position of another feed": toPositionId(1).replaceAll("0c1e", "1c1e"),
      "another event of its position": `${FEED}:1:${toFakePosition(2).digits}`,
      "an id of a release that named no event by its hash": `${FEED}:1`,
    }
    for (const [what, last] of Object.entries(nowhere)) {
      it(`of an account starts over behind ${what}`, async () => {
        const { changes, open } = await create()
        changes.add(A, "submitted")
        const reader = await open("/v1/stream", { "last-event-id": last })
        await until(() => reader.events.length === 1)
        assert.deepEqual(reader.events[0], { id: toPositionId(1), event: "reset", data: {} })
        changes.add(A, "dispatched")
        await until(() => reader.events.length === 2)
        assert.equal(reader.events[1]?.id, toPositionId(2))
      })
    }

    it("of a task begins at its beginning, and ends with it", async () => {
      const { changes, open } = await create()
      changes.add(A, "submitted")
      const reader = await open(`/v1/tasks/${A}/stream`)
      await until(() => reader.events.length === 1)
      changes.add(B, "submitted")
      changes.add(A, "dispatched", { state: "dispatching" })
      await until(() => reader.events.length === 2)
      assert.ok(!reader.isEnded())
      changes.add(A, "failed", { state: "failed" })
      await until(reader.isEnded)
      assert.deepEqual(
        reader.events.map(({ id, event }) => `${id} ${event}`),
        [
          `1:${toFakePosition(1).digits} task.submitted`,
          `2:${toFakePosition(3).digits} task.dispatched`,
          `3:${toFakePosition(4).digits} task.failed`,
        ],
      )
      await until(() => changes.watches.size === 0)
    })

    it("of a task goes on behind Last-Event-ID; of a finished one nobody need come back", async () => {
      const { changes, open, world } = await create()
      changes.add(A, "submitted")
      changes.add(A, "failed", { state: "failed" })
      const reader = await open(`/v1/tasks/${A}/stream`, { "last-event-id": toPlaceId(1) })
      await until(reader.isEnded)
      assert.deepEqual(
        reader.events.map(({ id }) => id),
        [toPlaceId(2)],
      )
      const call = { headers: { "last-event-id": toPlaceId(2) } }
      const answer = await world.call(`/v1/tasks/${A}/stream`, call)
      assert.equal(answer.status, 204)
    })

    const lost = {
      junk: "junk",
      "a version that it does not have": toPlaceId(9),
      "another event of its version": `1:${toFakePosition(7).digits}`,
      "another end than its own": `2:${toFakePosition(7).digits}`,
      "an id of a release that named no event by its hash": "1",
    }
    for (const [what, last] of Object.entries(lost)) {
      it(`of a task starts over behind ${what}`, async () => {
        const { changes, open } = await create()
        changes.add(A, "submitted")
        changes.add(A, "failed", { state: "failed" })
        const reader = await open(`/v1/tasks/${A}/stream`, { "last-event-id": last })
        await until(reader.isEnded)
        assert.deepEqual(
          reader.events.map(({ id, event }) => `${id} ${event}`),
          [
            `${toPlaceId(0)} reset`,
            `${toPlaceId(1)} task.submitted`,
            `${toPlaceId(2)} task.failed`,
          ],
        )
      })
    }

    it("is opened by who may read tasks, and of their own", async () => {
      const { changes, world } = await create()
      changes.add(A, "submitted", { account: "account-b" })
      assert.equal((await world.call(`/v1/tasks/${A}/stream`)).status, 404)
      assert.equal((await world.call("/v1/tasks/none/stream")).status, 404)
      assert.equal((await world.bare("/v1/stream")).status, 401)
      const authorization = `Bearer ${world.keys.add({ scopes: ["tasks:write"] })}`
      assert.equal((await world.bare("/v1/stream", { headers: { authorization } })).status, 403)
      assert.equal(changes.watches.size, 0)
    })

    it("answers HEAD with its headers alone", async () => {
      const { changes, world } = await create()
      const answer = await world.call("/v1/stream", { method: "HEAD" })
      assert.equal(answer.headers.get("content-type"), "text/event-stream")
      assert.equal(await answer.text(), "")
      assert.equal(changes.watches.size, 0)
    })

    it("is one of as many as the account, and the process, may have open", async () => {
      const { changes, open, world } = await create({ streams: 3, streamsOfAccount: 2 })
      const first = await open("/v1/stream")
      await open("/v1/stream")
      const third = await world.call("/v1/stream")
      assert.equal(third.status, 429)
      assert.match(await third.text(), /has 2 streams open/)
      const authorization = `Bearer ${world.keys.add({ account: "account-b" })}`
      const other = await open("/v1/stream", { authorization })
      assert.equal(other.status, 200)
      const more = `Bearer ${world.keys.add({ account: "account-c" })}`
      const refused = await world.bare("/v1/stream", { headers: { authorization: more } })
      assert.equal(refused.status, 503)
      await first.leave()
      await until(() => changes.watches.size === 2)
      const again = await open("/v1/stream")
      assert.equal(again.status, 200)
    })

    it("learns nothing more once its key is revoked", async () => {
      const { changes, open, world } = await create()
      const text = world.keys.add()
      const reader = await open("/v1/stream", { authorization: `Bearer ${text}` })
      await until(() => reader.events.length === 1)
      world.keys.change(text, { revokedAt: 1 })
      await world.clock.advance(1_000)
      changes.add(A, "submitted")
      await until(reader.isEnded)
      assert.equal(reader.events.length, 1)
    })

    it("is ended at its next beat where its key was revoked", async () => {
      const { open, world } = await create({ streamBeatMs: 5_000 })
      const text = world.keys.add()
      const reader = await open("/v1/stream", { authorization: `Bearer ${text}` })
      await until(() => reader.events.length === 1)
      world.keys.change(text, { revokedAt: 1 })
      await world.clock.advance(5_000)
      await until(reader.isEnded)
      assert.equal(reader.beats(), 0)
    })

    it("goes on where the storage was away", async () => {
      const { changes, open } = await create()
      const reader = await open("/v1/stream")
      await until(() => reader.events.length === 1)
      changes.setAway(true)
      changes.add(A, "submitted")
      await until(() => changes.reads() > 1)
      changes.setAway(false)
      await until(() => reader.events.length === 2)
      assert.equal(reader.events[1]?.event, "task.submitted")
    })

    for (const path of ["/v1/stream", `/v1/tasks/${A}/stream`]) {
      it(`loses no event, and not its last, where its key can't be looked at for now: ${path}`, async () => {
        const { changes, open, world } = await create()
        changes.add(A, "submitted")
        const reader = await open(path)
        await until(() => reader.events.length === 1)
        for (const [type, state] of [
          ["dispatched", "dispatching"],
          ["failed", "failed"],
        ] as const) {
          const [lookups, { length }] = [world.keys.lookups(), reader.events]
          world.keys.fail(outside("storage-unavailable"))
          // What is known of the key is too old by then.
          await world.clock.advance(1_000)
          changes.add(A, type, { state })
          await until(() => world.keys.lookups() > lookups)
          world.keys.fail(undefined)
          await until(() => reader.events.length > length)
          assert.equal(reader.events[length]?.event, `task.${type}`)
        }
        if (path !== "/v1/stream") await until(reader.isEnded)
      })
    }

    it("shows now and then that it stands, and ends when it is old", async () => {
      const { open, world } = await create({ streamBeatMs: 5_000, streamMs: 60_000 })
      const reader = await open("/v1/stream")
      await until(() => reader.events.length === 1)
      await world.clock.advance(5_000)
      await until(() => reader.beats() === 1)
      await world.clock.advance(55_000)
      await until(reader.isEnded)
    })

    it("ends with the service", async () => {
      const { changes, open } = await create()
      const reader = await open("/v1/stream")
      await until(() => reader.events.length === 1)
      changes.endAll()
      await until(reader.isEnded)
      await until(() => changes.watches.size === 0)
    })

    it("is not there where nobody tells what happens", async () => {
      const world = await createWorld(kind, { hasStreams: false })
      closers.push(() => world.close())
      const { status } = await openStream(world, "/v1/stream", {})
      assert.equal(status, 404)
    })
  })
}

describe("a client that reads nothing of its stream", () => {
  it("has nothing read for it; what it missed comes when it reads on", async () => {
    const world = await createWorld("over a socket")
    const { changes } = world
    const { port } = new URL(world.server?.url ?? "")
    const socket = connect(Number(port), "127.0.0.1")
    let received = ""
    try {
      const head = `GET /v1/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.key}\r\n\r\n`
      socket.write(head)
      await once(socket, "readable")
      // A task whose answer is large, so that a few fill the sockets' own buffers.
      const model = "m".repeat(200_000)
      for (let count = 0; count < 300; count += 1) changes.add(A, "progressed", { model })
      const reads = await steady(changes.reads)
      assert.ok(reads < 30, `${reads} pages of 30 were read`)
      socket.on("data", (chunk) => {
        received = (received + chunk.toString("latin1")).slice(-1_000_000)
      })
      await until(() => received.includes(`id: ${toPositionId(300)}\n`))
    } finally {
      socket.destroy()
      await world.close()
    }
  })
})

/** The value that a count has come to rest at. */
async function steady(count: () => number): Promise<number> {
  for (let before = -1; ;) {
    const now = count()
    if (now === before && now > 0) return now
    before = now
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function openStream(
  world: World,
  path: string,
  headers: Record<string, string>,
): Promise<Reader> {
  const leaving = new AbortController()
  const sent = { authorization: `Bearer ${world.key}`, ...headers }
  const init = { headers: sent, signal: leaving.signal }
  const response = await (world.server === undefined
    ? world.handler.fetch(new Request(`http://inner.example${path}`, { headers: sent }))
    : fetch(`${world.server.url}${path}`, init))
  const body = response.body?.getReader()
  const events: Event[] = []
  let beats = 0
  let isEnded = false
  const decoder = new TextDecoder()
  async function read(): Promise<void> {
    let text = ""
    for (;;) {
      const { done = true, value } = (await body?.read()) ?? {}
      if (done) break
      const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) {
        if (block === ":") beats += 1
        else if (block.startsWith("id: ")) events.push(toEvent(block))
      }
    }
    assert.equal(text, "", "it ends between two events")
    isEnded = true
  }
  const reading = read().catch(() => {
    isEnded = true
  })
  return {
    status: response.status,
    headers: response.headers,
    events,
    beats: () => beats,
    isEnded: () => isEnded,
    async leave() {
      leaving.abort()
      await body?.cancel().catch(() => {})
      await reading
    },
  }
}

function toEvent(block: string): Event {
  const members = new Map(
    block.split("\n").map((line) => {
      const at = line.indexOf(": ")
      return [line.slice(0, at), line.slice(at + 2)]
    }),
  )
  return {
    id: members.get("id") ?? "",
    event: members.get("event") ?? "",
    data: JSON.parse(members.get("data") ?? "null") as Event["data"],
  }
}
