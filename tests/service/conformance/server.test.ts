/**
 * The Node server's own numbers, as they reach a client, and what becomes of a request whose
 * client is gone (http-decisions §4, §7). Framing and time limits are tested in node-server.test.
 */
import { createAccess, DEFAULTS as ACCESS_DEFAULTS } from "@safelight/access"
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { MEDIA_URL_LIMITS } from "@safelight/core"
import { createHttpHandler, DEFAULTS, type HttpHandlerOptions } from "@safelight/http"
import { createManualClock } from "@safelight/testkit"
import { createFakeService } from "../../adapters/http/fake-service.ts"
import { createFakeStorage } from "../../adapters/http/fake-storage.ts"
import { createWorld, VALID, type World } from "../../adapters/http/worlds.ts"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"

const MEBIBYTE = 1024 * 1024

describe("the limits", () => {
  it("of requests are 15 s for the headers, 120 s in all, 75 s between two, and 16 KiB", () => {
    const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, headerBytes } = DEFAULTS
    assert.deepEqual(
      [headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, headerBytes],
      [15_000, 120_000, 75_000, 16 * 1024],
    )
  })

  it("of bodies are 64 MiB for one and 512 MiB for all, of a data URL 20 MiB, of a URL 8,192", () => {
    assert.equal(DEFAULTS.bodyBytes, 64 * MEBIBYTE)
    assert.equal(DEFAULTS.bodiesInFlightBytes, 512 * MEBIBYTE)
    assert.deepEqual(MEDIA_URL_LIMITS, { dataUrlBytes: 20 * MEBIBYTE, urlCharacters: 8_192 })
  })

  it("of a key are to be believed for one second", () => {
    assert.equal(ACCESS_DEFAULTS.keyCacheMs, 1_000)
  })
})

describe("a connection", () => {
  it("is kept for 75 seconds, as its client is told", async () => {
    await using world = await open()
    const client = createRawClient(world.url)
    client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    assert.match(await client.receive(/\}$/), /\r\nKeep-Alive: timeout=75\r\n/i)
    client.socket.destroy()
  })

  it("may bring headers of almost 16 KiB", async () => {
    await using world = await open()
    const client = createRawClient(world.url)
    client.send(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ${"x".repeat(16_000)}\r\n\r\n`)
    assert.match(await client.receive(/\}$/), /^HTTP\/1\.1 200 /)
    client.socket.destroy()
  })
})

describe("a client that leaves behind its request", () => {
  it("cancels nothing: the task is made", async () => {
    await using world = await open()
    const { service } = world.fake
    const submit = service.submit.bind(service)
    const asked = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const stored = Promise.withResolvers<void>()
    service.submit = async (request) => {
      asked.resolve()
      await left.promise
      return submit(request).finally(() => stored.resolve())
    }
    const client = createRawClient(world.url)
    const body = JSON.stringify(VALID)
    const lines = [
      "Host: a",
      `Authorization: Bearer ${world.key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ]
    client.send(`POST /v1/tasks HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`)
    await asked.promise
    let isClosed = false
    client.socket.once("close", () => (isClosed = true))
    client.socket.destroy()
    await until(() => isClosed)
    left.resolve()
    await stored.promise
    assert.deepEqual(world.fake.submitted, [VALID])
    assert.deepEqual(world.logged, [])
  })
})

describe("an embedded handler", () => {
  it("must be told its public address", () => {
    const { service } = createFakeService()
    const { storage } = createFakeStorage()
    const clock = createManualClock()
    const options = { service, access: createAccess({ storage, service, clock }), clock }
    // @ts-expect-error: there is no address that it could guess.
    const incomplete: HttpHandlerOptions = options
    assert.equal(incomplete.publicUrl, undefined)
    assert.ok(createHttpHandler({ ...options, publicUrl: () => "https://media.example" }))
  })
})

async function open(): Promise<World & AsyncDisposable & { readonly url: string }> {
  const world = await createWorld("over a socket")
  const url = world.server?.url ?? ""
  return { ...world, url, [Symbol.asyncDispose]: () => world.close() }
}
