/** The path that providers call, as an attacker would use it: without an address, and with one. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createRawClient, type RawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { creation, createWorld, WORLDS, type WorldOptions } from "./worlds.ts"

const TAKEN = "/v1/channels/fal/callback/taken"
const UNKNOWN = "/v1/channels/fal/callback/unknown"
const CALLBACK_BYTES = 1_000

for (const kind of WORLDS) {
  describe(`a callback, ${kind}`, () => {
    it("comes byte for byte, with its headers and its query, and no API key", async () => {
      await using world = await open(kind)
      const sent: unknown[] = []
      const { callbackService: service } = world.fake
      const receive = service.receiveCallback.bind(service)
      service.receiveCallback = async (request) => {
        const { channel, headers, key, query } = request
        sent.push([channel, key, headers["x-signature"], query])
        return receive(request)
      }
      const body = new Uint8Array(256).map((_, index) => index)
      const headers = { "X-Signature": "abc", "content-encoding": "gzip" }
      const path = `${TAKEN}?app=owner%2Fapp`
      const response = await world.bare(path, { method: "POST", headers, body })
      assert.deepEqual([response.status, await response.text()], [204, ""])
      assert.deepEqual(sent, [["fal", "taken", "abc", { app: "owner/app" }]])
      assert.deepEqual(world.fake.callbacks, [Buffer.from(body).toString("latin1")])
    })

    it("is all the same to every address that is none", async () => {
      await using world = await open(kind)
      const texts = new Set<string>()
      for (const path of [
        UNKNOWN,
        "/v1/channels/none/callback/unknown",
        `${TAKEN}x`,
        `${TAKEN}%00`,
      ]) {
        const response = await world.bare(path, { method: "POST", body: "{}" })
        assert.equal(response.status, 404)
        texts.add(((await response.json()) as { error: { message: string } }).error.message)
      }
      assert.equal(texts.size, 1)
      assert.deepEqual(world.fake.callbacks, [])
    })

    it("is refused where it is larger than any, declared or not", async () => {
      await using world = await open(kind)
      const body = "x".repeat(CALLBACK_BYTES + 1)
      assert.equal((await world.bare(TAKEN, { method: "POST", body })).status, 413)
      const exact = "x".repeat(CALLBACK_BYTES)
      assert.equal((await world.bare(TAKEN, { method: "POST", body: exact })).status, 204)
      assert.deepEqual(world.fake.callbacks, [exact])
    })

    it("can be sent and nothing else", async () => {
      await using world = await open(kind)
      for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
        assert.equal((await world.bare(TAKEN, { method })).status, 405)
      }
    })

    it("stands in no line of the log by its address", async () => {
      await using world = await open(kind)
      world.fake.fail(new Error("a bug"))
      assert.equal((await world.bare(TAKEN, { method: "POST", body: "secret" })).status, 500)
      const told = JSON.stringify(world.logged)
      assert.notEqual(world.logged.length, 0)
      assert.ok(!told.includes("callback/taken") && !told.includes("secret"))
    })
  })
}

describe("callbacks over a socket", () => {
  it("of no address are answered before their body comes, however large it is to be", async () => {
    await using world = await open("over a socket")
    const client = createRawClient(world.server?.url ?? "")
    client.send(toHead(UNKNOWN, 1e12))
    assert.match(await client.receive(/^HTTP\/1\.1 \d+/), /^HTTP\/1\.1 404/)
    client.socket.destroy()
  })

  it("that are declared too large are refused before a byte of them comes", async () => {
    await using world = await open("over a socket")
    const client = createRawClient(world.server?.url ?? "")
    client.send(toHead(TAKEN, CALLBACK_BYTES + 1))
    assert.match(await client.receive(/^HTTP\/1\.1 \d+/), /^HTTP\/1\.1 413/)
    client.socket.destroy()
  })

  it("that come too slowly are given up", async () => {
    const settings = { bodyPaceMs: 100 }
    await using world = await open("over a socket", settings)
    const client = createRawClient(world.server?.url ?? "")
    client.send(`${toHead(TAKEN, 10)}{`)
    assert.match(await client.receive(/^HTTP\/1\.1 \d+/), /^HTTP\/1\.1 408/)
    client.socket.destroy()
  })

  it("count for as long as they are judged", async () => {
    const settings = { callbacksInFlightBytes: 2 * CALLBACK_BYTES }
    await using world = await open("over a socket", settings)
    const judged = Promise.withResolvers<void>()
    let reads = 0
    world.fake.callbackService.receiveCallback = async ({ readBody }) => {
      await readBody()
      reads += 1
      await judged.promise
      return "taken"
    }
    const send = async (key: string) => {
      const path = `/v1/channels/fal/callback/${key}`
      return (await world.bare(path, { method: "POST", body: "x".repeat(CALLBACK_BYTES) })).status
    }
    const held = [send("one"), send("two")]
    await until(() => reads === 2)
    const third = send("three")
    await Promise.race([third, until(() => reads === 3)])
    judged.resolve()
    assert.deepEqual(await Promise.all([...held, third]), [204, 204, 503])
    assert.equal(await send("three"), 204)
  })

  it("that stall take nothing from callers, nor from those of another address", async () => {
    const settings = { callbacksInFlightBytes: 4 * CALLBACK_BYTES, largeBodyBytes: CALLBACK_BYTES }
    await using world = await open("over a socket", settings)
    const stalled: RawClient[] = []
    for (let count = 0; count < 20; count += 1) {
      const client = createRawClient(world.server?.url ?? "")
      client.send(`${toHead(TAKEN, CALLBACK_BYTES)}${"x".repeat(CALLBACK_BYTES - 1)}`)
      stalled.push(client)
    }
    const send = async (key: string) => {
      const path = `/v1/channels/fal/callback/${key}`
      return (await world.bare(path, { method: "POST", body: "x".repeat(50) })).status
    }
    // Those of one address fill its own share.
    const refused = stalled.map((client) => client.receive(/503/).catch(() => ""))
    await Promise.any(refused)
    assert.equal(await send("taken"), 503)
    assert.equal(await send("forged"), 401)
    assert.equal((await world.call("/v1/tasks", creation())).status, 202)
    for (const { socket } of stalled) socket.destroy()
    let status = 503
    void (async () => {
      while (status !== 204) status = await send("taken")
    })()
    await until(() => status === 204)
  })
})

async function open(kind: (typeof WORLDS)[number], settings: WorldOptions["settings"] = {}) {
  return createWorld(kind, {
    settings: { callbackBytes: CALLBACK_BYTES, ...settings },
  })
}

function toHead(path: string, bytes: number): string {
  const lines = ["Host: a", "Connection: close", `Content-Length: ${bytes}`]
  return `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`
}
