/** The connection of a stream carries no other request, and ends with its client or with the server. */
import assert from "node:assert/strict"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterEach, describe, it } from "node:test"
import { until } from "../../support/until.ts"
import { createWorld, type World } from "./worlds.ts"

const A = "019a0000-0000-7000-8000-00000000000a"
const START = "http.server.request.start"

describe("the connection of a stream", () => {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  })

  async function open() {
    const world = await createWorld("over a socket")
    closers.push(() => world.close())
    const client = connect(Number(new URL(world.server?.url ?? "").port), "127.0.0.1")
    closers.push(() => client.destroy())
    const texts: string[] = []
    client.on("data", (chunk) => texts.push(chunk.toString("latin1")))
    client.write(toRequest(world, "/v1/stream"))
    await until(() => texts.length > 0)
    return { changes: world.changes, client, received: () => texts.join(""), world }
  }

  it("tells the client that it will close, and sends what happens", async () => {
    const { changes, received } = await open()
    assert.match(received(), /\r\nConnection: close\r\n/)
    changes.add(A, "submitted")
    await until(() => received().includes("event: task.submitted"))
  })

  it("drops what the client sends behind its request", async () => {
    const { changes, client, received, world } = await open()
    client.write(toRequest(world, "/v1/tasks"))
    client.write("\0".repeat(10_000))
    changes.add(A, "submitted")
    await until(() => received().includes("event: task.submitted"))
    changes.endAll()
    await once(client, "close")
    assert.equal(received().split("HTTP/1.1 ").length - 1, 1)
  })

  it("is ended if the client goes on sending", async () => {
    const { changes, client } = await open()
    client.on("error", () => {})
    client.write("\0".repeat(100_000))
    await until(() => client.closed && changes.watches.size === 0)
  })

  for (const [name, leave] of [
    ["closes", (client: Socket) => client.destroy()],
    ["has said all", (client: Socket) => client.end()],
    ["resets", (client: Socket) => client.resetAndDestroy()],
  ] as const) {
    it(`is over when the client ${name}`, async () => {
      const { changes, client } = await open()
      leave(client)
      await until(() => changes.watches.size === 0)
    })
  }

  it("is over if the client had said all before the stream was opened", async () => {
    const world = await createWorld("over a socket", { settings: { streamsOfAccount: 1 } })
    closers.push(() => world.close())
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const { watchChanges } = world.changes.service
    world.changes.service.watchChanges = async (request) => {
      asked.resolve()
      await answered.promise
      return watchChanges(request)
    }
    const served: Socket[] = []
    const note = (message: unknown): void => {
      served.push((message as { readonly socket: Socket }).socket)
    }
    subscribe(START, note)
    closers.push(() => unsubscribe(START, note))
    const client = connect(Number(new URL(world.server?.url ?? "").port), "127.0.0.1")
    closers.push(() => client.destroy())
    client.end(toRequest(world, "/v1/stream"))
    await asked.promise
    await until(() => served[0]?.readableEnded === true)
    answered.resolve()
    client.resume()
    await once(client, "close")
    await until(() => world.changes.watches.size === 0)
    assert.equal((await world.call("/v1/stream", { method: "HEAD" })).status, 200)
  })

  it("is closed with the server, though nobody ends the stream", async () => {
    const { client, world } = await open()
    await world.server?.close({ graceMs: 20 })
    await until(() => client.closed)
  })
})

function toRequest({ key }: World, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`
}
