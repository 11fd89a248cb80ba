/** Clients that take nothing of their answer or ask nothing more, and more clients than a listener takes. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { putArtifact, taskId } from "./fake-service.ts"
import { createWorld, type WorldOptions } from "./worlds.ts"

const SIZE = 32 * 1024 * 1024
const STALLED_MS = 100
const HEALTH = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

describe("a client that stops reading", () => {
  it("loses its connection, and what was open for it is closed", async () => {
    await using world = await open({ settings: { stalledAnswerMs: STALLED_MS } })
    const client = world.download()
    client.socket.pause()
    await until(() => world.fake.openReaders() === 1)
    await until(() => world.fake.openReaders() === 0)
    client.socket.resume()
    const text = await client.ended()
    assert.ok(text.length < SIZE)
    assert.deepEqual(world.logged, [])
  })

  it("is waited for as long as it takes anything", async () => {
    await using world = await open({ settings: { stalledAnswerMs: 4 * STALLED_MS } })
    const { socket } = world.download()
    const startedAt = performance.now()
    let receivedBytes = 0
    let sinceBytes = 0
    socket.on("data", (text) => {
      receivedBytes += text.length
      sinceBytes += text.length
      if (sinceBytes < SIZE / 48) return
      sinceBytes = 0
      socket.pause()
      setTimeout(() => socket.resume(), STALLED_MS / 2)
    })
    await once(socket, "close")
    assert.ok(receivedBytes > SIZE, `${receivedBytes} of ${SIZE} bytes`)
    assert.ok(performance.now() - startedAt > 16 * STALLED_MS)
  })

  it("is not confused with one that asks nothing more, which keep-alive ends", async () => {
    const settings = { stalledAnswerMs: 60_000, keepAliveTimeoutMs: STALLED_MS }
    await using world = await open({ settings })
    const client = createRawClient(world.url)
    client.send(HEALTH)
    assert.match(await client.ended(), /^HTTP\/1\.1 200 /)
  })

  it("is not confused with one whose answer takes long to make", async () => {
    const made = Promise.withResolvers<void>()
    const settings = { stalledAnswerMs: STALLED_MS }
    await using world = await open({ settings, checkReady: () => made.promise })
    const client = createRawClient(world.url)
    client.send("GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    await sleep(3 * STALLED_MS)
    made.resolve()
    assert.match(await client.ended(), /^HTTP\/1\.1 200 /)
  })
})

describe("a connection that does not rest", () => {
  it("is kept while requests follow each other, and while an answer is made", async () => {
    const made = Promise.withResolvers<void>()
    const settings = { keepAliveTimeoutMs: STALLED_MS, headersTimeoutMs: STALLED_MS }
    await using world = await open({ settings, checkReady: () => made.promise })
    const waiting = createRawClient(world.url)
    waiting.send("GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    const asking = createRawClient(world.url)
    let answers = 0
    asking.socket.on("data", (text) => {
      answers += String(text).split("HTTP/1.1 200 ").length - 1
    })
    const startedAt = performance.now()
    while (performance.now() - startedAt < 10 * STALLED_MS) {
      const before = answers
      asking.send(HEALTH)
      await until(() => answers > before || asking.socket.destroyed)
      assert.equal(asking.socket.destroyed, false)
    }
    made.resolve()
    assert.match(await waiting.ended(), /^HTTP\/1\.1 200 /)
  })
})

describe("a connection past the limit", () => {
  it("is closed, the others are served, and the log hears of it once", async () => {
    await using world = await open({ settings: { connections: 2 } })
    const clients = [createRawClient(world.url), createRawClient(world.url)]
    for (const client of clients) {
      client.send(HEALTH)
      await client.receive(/\}$/)
    }
    for (let count = 0; count < 3; count += 1) {
      assert.equal(await createRawClient(world.url).ended(), "")
    }
    for (const client of clients) {
      client.send(HEALTH)
      await client.receive(/\}HTTP[^]*\}$/)
      client.socket.destroy()
    }
    const messages = world.logged.map(({ level, fields, message }) => ({ level, fields, message }))
    assert.deepEqual(messages, [
      {
        level: "warn",
        fields: { refused: 1, because: "connections" },
        message: "connections refused",
      },
    ])
  })
})

async function open(options: WorldOptions) {
  const world = await createWorld("over a socket", options)
  const { key } = world
  const url = world.server?.url ?? ""
  putArtifact(world.fake, Buffer.alloc(SIZE, "p"))
  return {
    ...world,
    url,
    download() {
      const client = createRawClient(url)
      const path = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`
      const lines = ["Host: a", `Authorization: Bearer ${key}`, "Connection: close"]
      client.send(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
      return client
    },
    [Symbol.asyncDispose]: () => world.close(),
  }
}
