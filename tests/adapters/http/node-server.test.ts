/** The Node server on a raw socket: framing, time limits, uploads refused half-way, and its end. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createNodeServer } from "@safelight/http"
import { putArtifact, taskId } from "./fake-service.ts"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { createWorld, VALID, type WorldOptions } from "./worlds.ts"

const OK = "GET /healthz HTTP/1.1\r\nHost: a\r\n"
const POST = "POST /v1/tasks HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

const BROKEN: readonly [name: string, request: string, status: number, code: string][] = [
  ["no Host", "GET /healthz HTTP/1.1\r\n\r\n", 400, "malformed_request"],
  ["two Hosts", `${OK}Host: b\r\n\r\n`, 400, "malformed_request"],
  ["a Host that is none", "GET / HTTP/1.1\r\nHost: a b/c\r\n\r\n", 400, "malformed_request"],
  [
    "a length beside chunks",
    `${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    "malformed_request",
  ],
  [
    "two lengths",
    `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    400,
    "malformed_request",
  ],
  ["a length that is none", `${POST}Content-Length: x\r\n\r\n`, 400, "malformed_request"],
  ["a folded header", `${OK}X-A: b\r\n c\r\n\r\n`, 400, "malformed_request"],
  ["bare line feeds", "GET /healthz HTTP/1.1\nHost: a\n\n", 400, "malformed_request"],
  ["no HTTP at all", "\x16\x03\x01\x02\r\n\r\n", 400, "malformed_request"],
  [
    "a coding below chunked",
    `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    400,
    "malformed_request",
  ],
  [
    "codings in two headers",
    `${OK}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    "malformed_request",
  ],
  ["headers past 16 KiB", `${OK}X-A: ${"x".repeat(17_000)}\r\n\r\n`, 431, "headers_too_large"],
  [
    "thousands of headers past 16 KiB",
    `${OK}${"a:\r\n".repeat(3_500)}\r\n`,
    431,
    "headers_too_large",
  ],
  ["headers of any size", `${OK}X-A: ${"x".repeat(200_000)}\r\n\r\n`, 431, "headers_too_large"],
  [
    "a URL past 8 KiB",
    `GET /${"x".repeat(8_192)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    414,
    "uri_too_long",
  ],
  [
    "a URL past 8 KiB above headers past 16 KiB",
    `GET /${"x".repeat(9_000)} HTTP/1.1\r\nX-A: ${"x".repeat(17_000)}\r\n\r\n`,
    414,
    "uri_too_long",
  ],
  ["a URL of any size", `GET /${"x".repeat(200_000)} HTTP/1.1\r\n\r\n`, 414, "uri_too_long"],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 404, "route_not_found"],
  [
    "CONNECT with a body",
    "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 5\r\n\r\nab",
    404,
    "route_not_found",
  ],
]

describe("the Node server", () => {
  for (const [name, request, status, code] of BROKEN) {
    it(`answers ${name} with ${status} ${code}`, async () => {
      await using world = await open()
      const client = createRawClient(world.url)
      client.send(request)
      const text = await client.ended()
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.match(text, /\r\nConnection: close\r\n/i)
      assert.match(text, /\r\nX-Request-Id: req_[0-9a-f]{24}\r\n/i)
      assert.match(text, /\r\nCache-Control: no-store\r\n/i)
      const body = text.slice(text.indexOf("\r\n\r\n") + 4)
      assert.match(text, new RegExp(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`, "i"))
      const { error } = JSON.parse(body) as { error: { code: string; type: string } }
      const type = status === 404 ? "not_found_error" : "invalid_request_error"
      assert.deepEqual([error.code, error.type], [code, type])
    })
  }

  it("tells a long URL from long headers in whatever pieces they come", async () => {
    await using world = await open()
    for (const [head, status] of [
      [`GET /${"x".repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
      [`GET /${"x".repeat(8_000)} HTTP/1.1\r\nHost: a\r\nX-A: ${"x".repeat(17_000)}\r\n\r\n`, 431],
    ] as const) {
      const client = createRawClient(world.url)
      for (let at = 0; at < head.length; at += 5_000) {
        await new Promise((resolve) => client.socket.write(head.slice(at, at + 5_000), resolve))
        await new Promise((resolve) => setImmediate(resolve))
      }
      assert.match(await client.ended(), new RegExp(`^HTTP/1\\.1 ${status} `))
    }
  })

  it("counts the bytes of headers and not the headers", async () => {
    await using world = await open()
    const client = createRawClient(world.url)
    client.send(`${OK}Connection: close\r\n${"a:\r\n".repeat(3_000)}\r\n`)
    assert.match(await client.ended(), /^HTTP\/1\.1 200 /)
  })

  it("takes chunked in any case, and says that it takes nothing else", async () => {
    await using world = await open()
    const body = JSON.stringify(VALID)
    const authorization = `Authorization: Bearer ${world.key}\r\nConnection: close\r\n`
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const client = createRawClient(world.url)
    client.send(`${POST}${authorization}Transfer-Encoding: Chunked\r\n\r\n${chunks}`)
    assert.match(await client.ended(), /^HTTP\/1\.1 202 /)
    const refused = createRawClient(world.url)
    refused.send(`${POST}${authorization}Transfer-Encoding: gzip, chunked\r\n\r\n${chunks}`)
    assert.match(await refused.ended(), /"The only Transfer-Encoding that is taken is chunked\."/)
    assert.equal(world.fake.submitted.length, 1)
  })

  it("answers CONNECT behind a request that still runs, and outlives a client that resets", async () => {
    await using world = await open()
    let go: () => void = () => undefined
    world.ready = () =>
      new Promise((resolve) => {
        go = resolve
      })
    const client = createRawClient(world.url)
    const connect = "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"
    client.send(`GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n${connect}`)
    await until(() => world.asked() === 1)
    go()
    const text = await client.ended()
    const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)
    assert.deepEqual(statuses, ["200", "404"])

    const resetting = createRawClient(world.url)
    resetting.send(connect)
    await resetting.receive(/\}\}$/)
    resetting.socket.resetAndDestroy()
    await resetting.ended()
    const next = createRawClient(world.url)
    next.send(`${OK}Connection: close\r\n\r\n`)
    assert.match(await next.ended(), /^HTTP\/1\.1 200 /)
    assert.deepEqual(world.logged, [])
  })

  it("answers whoever closes its side behind its requests, each of them, and then closes", async () => {
    await using world = await open()
    const body = JSON.stringify(VALID)
    const authorization = `Authorization: Bearer ${world.key}\r\n`
    const creation = `${POST}${authorization}Content-Length: ${body.length}\r\n\r\n${body}`
    const client = createRawClient(world.url)
    client.socket.end(`${creation}${OK}\r\n${creation}`)
    const text = await client.ended()
    const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)
    assert.deepEqual(statuses, ["202", "200", "202"])
    assert.equal(world.fake.submitted.length, 2)
    const silent = createRawClient(world.url)
    silent.socket.end()
    assert.equal(await silent.ended(), "")
    const idle = createRawClient(world.url)
    idle.send(`${OK}\r\n`)
    await idle.receive(/\}$/)
    idle.socket.end()
    assert.match(await idle.ended(), /^HTTP\/1\.1 200 /)
  })

  it("sends a whole artifact to whoever closes its side behind its request", async () => {
    await using world = await open()
    const bytes = 20 * 1024 * 1024
    putArtifact(world.fake, Buffer.alloc(bytes, "p"))
    const client = createRawClient(world.url)
    const path = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`
    client.socket.end(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.key}\r\n\r\n`,
    )
    const text = await client.ended()
    assert.equal(text.length - text.indexOf("\r\n\r\n") - 4, bytes)
    assert.equal(world.fake.openReaders(), 0)
  })

  it("begins a request that was sent ahead once the answer before it is out", async () => {
    await using world = await open()
    let go: () => void = () => undefined
    world.ready = () =>
      new Promise((resolve) => {
        go = resolve
      })
    const client = createRawClient(world.url)
    const ready = "GET /readyz HTTP/1.1\r\nHost: a\r\n"
    client.send(`${ready}\r\n${ready}\r\n${ready}Connection: close\r\n\r\n`)
    for (const count of [1, 2, 3]) {
      await until(() => world.asked() === count)
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(world.asked(), count)
      go()
    }
    assert.equal((await client.ended()).match(/HTTP\/1\.1 200 /g)?.length, 3)
  })

  it("serves HTTP/1.0 without a Host, and an address in full", async () => {
    await using world = await open()
    const old = createRawClient(world.url)
    old.send("GET /healthz HTTP/1.0\r\n\r\n")
    assert.match(await old.ended(), /^HTTP\/1\.1 200 /)
    const full = createRawClient(world.url)
    full.send("GET http://a/healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert.match(await full.ended(), /^HTTP\/1\.1 200 /)
  })

  it("refuses two Authorization headers", async () => {
    await using world = await open()
    const client = createRawClient(world.url)
    const line = `Authorization: Bearer ${world.key}\r\n`
    client.send(`GET /v1/tasks/x HTTP/1.1\r\nHost: a\r\n${line}${line}Connection: close\r\n\r\n`)
    assert.match(await client.ended(), /"invalid_api_key"/)
  })

  it("ignores two Range headers", async () => {
    await using world = await open()
    putArtifact(world.fake, Buffer.from("pixels"))
    const client = createRawClient(world.url)
    const path = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`
    const ranges = "Range: bytes=0-0\r\nRange: 2-2\r\nConnection: close\r\n"
    const authorization = `Authorization: Bearer ${world.key}\r\n`
    client.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n${authorization}${ranges}\r\n`)
    assert.match(await client.ended(), /^HTTP\/1\.1 200 [^]*\r\n\r\npixels$/)
  })

  it("answers a slow header and a slow body with 408 request_timeout", async () => {
    const settings = { headersTimeoutMs: 50, requestTimeoutMs: 100 }
    await using world = await open({ settings })
    const head = createRawClient(world.url)
    head.send("GET /healthz HTTP/1.1\r\nHost:")
    assert.match(await head.ended(), /^HTTP\/1\.1 408 [^]*"request_timeout"/)
    const body = createRawClient(world.url)
    body.send(`${POST}Authorization: Bearer ${world.key}\r\nContent-Length: 9\r\n\r\n{`)
    assert.match(await body.ended(), /^HTTP\/1\.1 408 [^]*"request_timeout"/)
    assert.deepEqual(world.logged, [])
  })

  it("says 100 Continue only once nothing but the body can be refused", async () => {
    await using world = await open({ settings: { bodyBytes: 1_000 } })
    const expect = "Expect: 100-continue\r\n"
    const authorization = `Authorization: Bearer ${world.key}\r\n`
    const refused = [
      [`${POST}${expect}Content-Length: 9\r\n\r\n`, "missing_api_key"],
      [`${POST}${authorization}${expect}Content-Length: 1001\r\n\r\n`, "request_too_large"],
      [
        `${POST}${authorization}${expect}Content-Encoding: br\r\nContent-Length: 9\r\n\r\n`,
        "unsupp",
      ],
    ] as const
    for (const [request, code] of refused) {
      const client = createRawClient(world.url)
      client.send(request)
      assert.match(await client.receive(/\}\}$/), new RegExp(`^HTTP/1\\.1 4[^]*"${code}`))
      client.socket.destroy()
    }
    const client = createRawClient(world.url)
    const body = JSON.stringify(VALID)
    client.send(`${POST}${authorization}${expect}Content-Length: ${body.length}\r\n\r\n`)
    await client.receive(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
    client.send(body)
    await client.receive(/\r\n\r\nHTTP\/1\.1 202 /)
    client.socket.destroy()
  })

  it("counts the bytes of a body in chunks", async () => {
    await using world = await open({ settings: { bodyBytes: 1_000 } })
    const client = createRawClient(world.url)
    const chunk = `1f4\r\n${" ".repeat(500)}\r\n`
    const authorization = `Authorization: Bearer ${world.key}\r\n`
    client.send(`${POST}${authorization}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`)
    client.send("1\r\n \r\n0\r\n\r\n")
    assert.match(await client.ended(), /^HTTP\/1\.1 413 /)
  })

  it("reads a refused upload on, so that its sender sees the answer and no reset", async () => {
    await using world = await open({ settings: { lingerMs: 60_000 } })
    for (const authorization of ["", `Authorization: Bearer ${world.key}\r\n`]) {
      const client = createRawClient(world.url)
      let failure: Error | undefined
      client.socket.on("error", (error) => {
        failure = error
      })
      const length = 65 * 1024 * 1024
      client.send(`${POST}${authorization}Content-Length: ${length}\r\n\r\n`)
      client.send(Buffer.alloc(length, " "))
      const text = await client.ended()
      assert.match(text, /^HTTP\/1\.1 4(?:01|13) [^]*\r\nconnection: close\r\n[^]*\}\}$/i)
      assert.equal(failure, undefined)
    }
  })

  it("ends a refused upload that never ends", async () => {
    await using world = await open({ settings: { lingerMs: 20 } })
    const client = createRawClient(world.url)
    client.send(`${POST}Content-Length: 1000000\r\n\r\n{`)
    assert.match(await client.ended(), /^HTTP\/1\.1 401 /)
  })

  it("refuses bodies past what it may hold at once, and takes them again later", async () => {
    await using world = await open({ settings: { bodiesInFlightBytes: 1_000 } })
    const authorization = `Authorization: Bearer ${world.key}\r\n`
    const slow = createRawClient(world.url)
    slow.send(`${POST}${authorization}Content-Length: 900\r\n\r\n${" ".repeat(800)}`)
    const text = JSON.stringify({ ...VALID, parameters: { prompt: "x".repeat(150) } })
    const call = { method: "POST", headers: { "content-type": "application/json" }, body: text }
    const statuses = [await untilStatus(world, call, 503)]
    slow.socket.destroy()
    statuses.push(await untilStatus(world, call, 202))
    assert.deepEqual(statuses, [503, 202])
    assert.deepEqual(
      world.logged.filter(({ level }) => level === "error"),
      [],
    )
  })

  it("forgets a client that leaves within its body, without a word in the log", async () => {
    await using world = await open()
    const client = createRawClient(world.url)
    client.send(`${POST}Authorization: Bearer ${world.key}\r\nContent-Length: 900\r\n\r\n{`)
    await until(() => world.keys.lookups() === 1)
    client.socket.destroy()
    await world.close()
    assert.deepEqual(world.logged, [])
    assert.deepEqual(world.fake.submitted, [])
  })

  it("answers requests that come in one packet, in order", async () => {
    await using world = await open()
    const client = createRawClient(world.url)
    const unknown = "GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    client.send(`${OK}\r\n${OK}\r\n${unknown}`)
    const text = await client.ended()
    const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)
    assert.deepEqual(statuses, ["200", "200", "404"])
  })

  it("writes no error into the middle of a download", async () => {
    await using world = await open()
    putArtifact(world.fake, Buffer.alloc(1_000, "p"))
    let go: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    world.fake.reader.maxReadBytes = 500
    let reads = 0
    world.fake.reader.beforeRead = () => {
      reads += 1
      return reads === 2 ? gate : undefined
    }
    const client = createRawClient(world.url)
    const path = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`
    client.send(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.key}\r\n\r\n`)
    await client.receive(/p{500}$/)
    client.send("rubbish\r\n\r\n")
    const text = await client.ended()
    go()
    assert.doesNotMatch(text, /malformed_request/)
    await until(() => world.fake.openReaders() === 0)
  })
})

describe("listening", () => {
  const handler = { fetch: () => new Response(null) }

  it("names the port that is taken", async () => {
    const first = await createNodeServer({ handler })
    const { port } = new URL(first.url)
    await assert.rejects(createNodeServer({ handler, port: Number(port) }), {
      code: "invalid-configuration",
      message: new RegExp(`port ${port}: EADDRINUSE`),
    })
    await first.close({ graceMs: 0 })
  })

  it("names a host that is not of this machine, and a port that is none", async () => {
    await assert.rejects(createNodeServer({ handler, host: "192.0.2.1" }), {
      code: "invalid-configuration",
      message: /host 192\.0\.2\.1, port 0: EADDRNOTAVAIL/,
    })
    await assert.rejects(createNodeServer({ handler, port: 70_000 }), {
      code: "invalid-configuration",
      message: /port 70000/,
    })
  })

  it("tells an address that can be called", async () => {
    const server = await createNodeServer({ handler })
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    await server.close({ graceMs: 0 })
  })

  it("refuses a wrong setting", async () => {
    await assert.rejects(createNodeServer({ handler, settings: { headerBytes: 0 } }), {
      code: "invalid-configuration",
      message: /headerBytes/,
    })
  })
})

describe("closing", () => {
  it("lets a running request finish, closes idle connections and takes no new one", async () => {
    await using world = await open()
    let go: () => void = () => undefined
    world.ready = () =>
      new Promise((resolve) => {
        go = resolve
      })
    const idle = createRawClient(world.url)
    idle.send(`${OK}\r\n`)
    await idle.receive(/\}$/)
    const running = createRawClient(world.url)
    running.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
    await until(() => world.asked() === 1)
    const closed = world.server.close({ graceMs: 60_000 })
    await idle.ended()
    await assert.rejects(createRawClient(world.url).receive(/./))
    go()
    assert.match(await running.ended(), /^HTTP\/1\.1 200 /)
    await closed
    await world.server.close({ graceMs: 60_000 })
  })

  it("ends what still runs after the grace", async () => {
    await using world = await open()
    world.ready = () => new Promise(() => undefined)
    const running = createRawClient(world.url)
    running.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
    await until(() => world.asked() === 1)
    await world.server.close({ graceMs: 1 })
    assert.equal(await running.ended(), "")
  })
})

async function open(options: WorldOptions = {}) {
  let asked = 0
  const state = { ready: (): Promise<void> => Promise.resolve() }
  const world = await createWorld("over a socket", {
    checkReady: () => {
      asked += 1
      return state.ready()
    },
    ...options,
  })
  const { server } = world
  if (server === undefined) throw new Error("no server")
  return Object.assign(state, {
    ...world,
    server,
    url: server.url,
    asked: () => asked,
    [Symbol.asyncDispose]: world.close,
  })
}

type Opened = Awaited<ReturnType<typeof open>>

async function untilStatus(
  world: Opened,
  call: Parameters<Opened["call"]>[1],
  status: number,
): Promise<number> {
  for (;;) {
    const response = await world.call("/v1/tasks", call)
    if (response.status === status) return status
  }
}
