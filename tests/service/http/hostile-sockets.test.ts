/**
 * Clients that stop, drip, half-close, pipeline or smuggle: each connection ends by the server's
 * own time limits, no task comes of what was not asked for, ordinary requests are served as
 * before, and nothing stays open.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { createInProcessService, type InProcessService, REQUEST } from "../in-process-service.ts"

const SETTINGS = {
  headersTimeoutMs: 200,
  requestTimeoutMs: 300,
  keepAliveTimeoutMs: 200,
  lingerMs: 200,
  bodyBytes: 100_000,
}

let service: InProcessService

before(async () => {
  service = await createInProcessService({ settings: SETTINGS })
})

after(async () => {
  await service[Symbol.asyncDispose]()
})

/** A creation's head without its framing. */
function head(key = service.keys.whole): string {
  const type = "Content-Type: application/json\r\n"
  return `POST /v1/tasks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${type}`
}

function creation(more = "", key = service.keys.whole): string {
  return `${head(key)}${more}Content-Length: ${REQUEST.length}\r\n\r\n${REQUEST}`
}

function countSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
}

async function assertServes(): Promise<void> {
  const client = createRawClient(service.url)
  client.send(creation("Connection: close\r\n"))
  assert.match(await client.ended(), /^HTTP\/1\.1 202 /)
}

const ENDED: readonly (readonly [name: string, bytes: () => string, answer: RegExp])[] = [
  ["a body that stops", () => `${head()}Content-Length: 500\r\n\r\n{`, /^HTTP\/1\.1 408 /],
  [
    "a chunk that stops",
    () => `${head()}Transfer-Encoding: chunked\r\n\r\nff\r\n{`,
    /^HTTP\/1\.1 408 /,
  ],
  ["a head that stops", () => "POST /v1/tasks HTTP/1.1\r\nHo", /^HTTP\/1\.1 408 /],
  ["a length beside chunks", () => creation("Transfer-Encoding: chunked\r\n"), /^HTTP\/1\.1 400 /],
  ["two lengths", () => creation("Content-Length: 3\r\n"), /^HTTP\/1\.1 400 /],
  ["a length with a sign", () => `${head()}Content-Length: +3\r\n\r\n{}}`, /^HTTP\/1\.1 400 /],
  ["a coding that is none", () => creation("Transfer-Encoding: xchunked\r\n"), /^HTTP\/1\.1 400 /],
  [
    "a coding below chunked",
    () =>
      `${head()}Transfer-Encoding: gzip, chunked\r\n\r\n${REQUEST.length.toString(16)}\r\n${REQUEST}\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  ["a space before a colon", () => creation("X-A : b\r\n"), /^HTTP\/1\.1 400 /],
  ["a folded header", () => creation("X-A: b\r\n c\r\n"), /^HTTP\/1\.1 400 /],
  ["bare line feeds", () => creation().replaceAll("\r\n", "\n"), /^HTTP\/1\.1 400 /],
  [
    "a chunk size that is none",
    () => `${head()}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  ["huge headers", () => creation(`X-A: ${"x".repeat(40_000)}\r\n`), /^HTTP\/1\.1 431 /],
  [
    "a body past the limit",
    () => `${head()}Content-Length: 999999999\r\n\r\n{`,
    /^HTTP\/1\.1 413 /,
  ],
  [
    "a method of no resource",
    () => "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
    /^HTTP\/1\.1 404 /,
  ],
]

describe("hostile clients", () => {
  for (const [name, bytes, answer] of ENDED) {
    it(`are answered and closed on: ${name}`, async () => {
      const stored = service.countStored()
      const sockets = countSockets()
      const client = createRawClient(service.url)
      client.send(bytes())
      assert.match(await client.ended(), answer)
      assert.deepEqual(service.countStored(), stored)
      await assertServes()
      await until(() => countSockets() === sockets)
    })
  }

  it("end with their connection when they half-close within a body", async () => {
    const stored = service.countStored()
    const client = createRawClient(service.url)
    client.socket.end(`${head()}Content-Length: 500\r\n\r\n{`)
    assert.match(await client.ended(), /^HTTP\/1\.1 400 /)
    assert.deepEqual(service.countStored(), stored)
    await assertServes()
  })

  it("get their answer, and one task, when they half-close behind a whole request", async () => {
    const stored = service.countStored()
    const client = createRawClient(service.url)
    client.socket.end(creation())
    assert.match(await client.ended(), /^HTTP\/1\.1 202 /)
    assert.equal(service.countStored().tasks, stored.tasks + 1)
  })

  it("that drip a header byte by byte are cut off by the time limit", async () => {
    const client = createRawClient(service.url)
    client.send("GET /healthz HTTP/1.1\r\nX-A: ")
    const drip = setInterval(() => client.socket.write("x"), 20)
    client.socket.once("close", () => {
      clearInterval(drip)
    })
    assert.match(await client.ended(), /^HTTP\/1\.1 408 /)
    await assertServes()
  })

  for (const [name, first, answer] of [
    ["from the start", "", /^HTTP\/1\.1 408 /],
    ["behind an answer", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 200 [^]*\}$/],
  ] as const) {
    it(`that drip line ends ${name} keep no connection`, async () => {
      const client = createRawClient(service.url)
      client.send(first)
      const drip = setInterval(() => client.socket.write("\r\n"), 20)
      client.socket.once("close", () => {
        clearInterval(drip)
      })
      assert.match(await client.ended(), answer)
      await assertServes()
    })
  }

  it("that leave at every point of a request leave nothing open", async () => {
    const sockets = countSockets()
    const whole = creation()
    const cuts = Array.from({ length: 50 }, (_, index) => Math.floor((index * whole.length) / 50))
    await Promise.all(
      cuts.map(async (end) => {
        const client = createRawClient(service.url)
        await new Promise((resolve) => client.socket.once("connect", resolve))
        client.socket.write(whole.slice(0, end), () => client.socket.destroy())
        await client.ended()
      }),
    )
    await assertServes()
    await until(() => countSockets() === sockets)
    assert.deepEqual(service.logged, [])
  })

  it("that pipeline are answered in order, each request once", async () => {
    const stored = service.countStored()
    const client = createRawClient(service.url)
    const missing = "GET /v1/none HTTP/1.1\r\nHost: a\r\n\r\n"
    const last = creation("Connection: close\r\n")
    client.send(`${Array.from({ length: 50 }, () => creation() + missing).join("")}${last}`)
    const statuses = Array.from(
      (await client.ended()).matchAll(/HTTP\/1\.1 (\d{3}) /g),
      ([, code]) => code,
    )
    assert.deepEqual(statuses, [...Array.from({ length: 50 }, () => ["202", "404"]).flat(), "202"])
    assert.equal(service.countStored().tasks, stored.tasks + 51)
  })

  it("can't smuggle a request in the body of a refused one", async () => {
    const stored = service.countStored()
    const hidden = creation()
    const client = createRawClient(service.url)
    client.send(`${head("nobody")}Content-Length: ${hidden.length}\r\n\r\n${hidden}`)
    const text = await client.ended()
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1)
    assert.match(text, /^HTTP\/1\.1 401 /)
    assert.deepEqual(service.countStored(), stored)
  })
})
