/** The sender of messages: what receivers get, and that none of them can take more than it is given. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import os from "node:os"
import { describe, test, type TestContext } from "node:test"
import type { MessageSender, SendOutcome, SendRequest } from "@safelight/core"
import { createMessageSender, type MessageSenderOptions } from "@safelight/fetch-guarded"
import { serve, serveRaw } from "../../support/misbehaving-server.ts"
import { LOOPBACK } from "../../support/open-guarded.ts"

const WATCHDOG = { timeout: 60_000 }

/** As if this machine were a public one. */
const PUBLIC: MessageSenderOptions = { ...LOOPBACK, showsAllowedAnswers: true }

function createSender(t: TestContext, options: MessageSenderOptions = PUBLIC): MessageSender {
  const sender = createMessageSender(options)
  t.after(() => sender.close())
  return sender
}

function toRequest(url: string, request: Partial<SendRequest> = {}): SendRequest {
  const headers = { "content-type": "application/json", "webhook-id": "msg_1" }
  return { url, headers, body: '{"é":1}', timeoutMs: 30_000, answerBytes: 1_000, ...request }
}

const failed = (failure: string): object => ({ kind: "failed", failure })

describe("a message that is sent", WATCHDOG, () => {
  test("arrives as it is, and the beginning of the answer comes back", async (t) => {
    const received: unknown[] = []
    const server = await serve(t, (request, response) => {
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { method, url, headers } = request
        received.push([method, url, headers["webhook-id"], Buffer.concat(chunks).toString()])
        response.writeHead(202, { "retry-after": "7" }).end("taken: é")
      })
    })
    const sender = createSender(t)
    const outcome = await sender.send(toRequest(`${server.origin}/hook?a=1`))
    const expected: SendOutcome = {
      kind: "answered",
      status: 202,
      body: "taken: é",
      retryAfterMs: 7_000,
    }
    assert.deepEqual(outcome, expected)
    assert.deepEqual(received, [["POST", "/hook?a=1", "msg_1", '{"é":1}']])
  })

  test("uses a connection of those before it", async (t) => {
    const ports = new Set<number | undefined>()
    const server = await serve(t, (request, response) => {
      ports.add(request.socket.remotePort)
      response.end()
    })
    const sender = createSender(t)
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await sender.send(toRequest(server.origin))).kind, "answered")
    }
    // The first one may still be reading the end of its answer when the second is sent.
    assert.ok(ports.size <= 2, `${ports.size} connections`)
  })

  test("is not sent on by a redirect", async (t) => {
    const asked: (string | undefined)[] = []
    const server = await serve(t, (request, response) => {
      asked.push(request.url)
      response.writeHead(307, { location: "/elsewhere" }).end()
    })
    const outcome = await createSender(t).send(toRequest(server.origin))
    assert.deepEqual(outcome, { kind: "answered", status: 307, body: "" })
    assert.deepEqual(asked, ["/"])
  })
})

describe("a receiver", WATCHDOG, () => {
  test("that answers without end is cut off, and has answered", async (t) => {
    const closed = Promise.withResolvers<void>()
    const server = await serve(t, (_, response) => {
      response.writeHead(200)
      const chunk = Buffer.alloc(64 * 1024, "x")
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) continue
      }
      response.on("drain", write)
      response.on("close", () => closed.resolve())
      write()
    })
    const outcome = await createSender(t).send(toRequest(server.origin))
    assert.deepEqual(outcome, { kind: "answered", status: 200, body: "x".repeat(1_000) })
    await closed.promise
  })

  test("that never answers, or never accepts, is given up after the time-out", async (t) => {
    const sender = createSender(t)
    const { origin: hanging } = await serveRaw(t, () => {})
    const request = toRequest(hanging, { timeoutMs: 50 })
    assert.deepEqual(await sender.send(request), failed("timed-out"))
  })

  test("whose body never ends has answered with what came of it", async (t) => {
    const { origin } = await serveRaw(t, (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")
    })
    const outcome = await createSender(t).send(toRequest(origin, { timeoutMs: 200 }))
    assert.deepEqual(outcome, { kind: "answered", status: 200, body: "half" })
  })

  test("that dies in the middle of its answer has answered; before it, it has not", async (t) => {
    const { origin: dying } = await serveRaw(t, (socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 503 Busy\r\ncontent-length: 9\r\n\r\nhalf", () => socket.destroy())
      })
    })
    const sender = createSender(t)
    assert.deepEqual(await sender.send(toRequest(dying)), {
      kind: "answered",
      status: 503,
      body: "half",
    })
    const { origin: dead } = await serveRaw(t, (socket) => {
      socket.once("data", () => socket.destroy())
    })
    assert.deepEqual(await sender.send(toRequest(dead)), failed("connection-failed"))
  })

  test("that does not speak HTTP is told apart", async (t) => {
    const { origin } = await serveRaw(t, (socket) => {
      socket.once("data", () => socket.end("220 mail.example ESMTP\r\n"))
    })
    assert.deepEqual(await createSender(t).send(toRequest(origin)), failed("answer-invalid"))
  })

  test("that is not there refuses the connection", async (t) => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, "close")
    const outcome = await createSender(t).send(toRequest(`http://127.0.0.1:${port}`))
    assert.deepEqual(outcome, failed("connection-failed"))
  })
})

describe("where messages may be sent", WATCHDOG, () => {
  test("a private address is refused, by itself and behind a name", async (t) => {
    let requests = 0
    const server = await serve(t, (_, response) => {
      requests += 1
      response.end()
    })
    const sender = createSender(t, { lookup: async () => ["127.0.0.1"] })
    assert.equal(sender.check(server.origin), "address-not-allowed")
    assert.equal(sender.check("http://[::1]/"), "address-not-allowed")
    assert.deepEqual(await sender.send(toRequest(server.origin)), failed("address-not-allowed"))
    const named = `http://hooks.example:${server.port}/`
    assert.equal(sender.check(named), undefined, "a name is judged when it is sent to")
    assert.deepEqual(await sender.send(toRequest(named)), failed("address-not-allowed"))
    assert.equal(requests, 0)
  })

  test("a machine that does not list its own addresses refuses public ones by a name of its own", async (t) => {
    t.mock.method(os, "networkInterfaces", () => {
      throw new Error("uv_interface_addresses returned Unknown system error 97")
    })
    const sender = createSender(t, { lookup: async () => ["93.184.215.14"] })
    for (const url of ["http://hooks.example/", "http://93.184.215.14/"]) {
      assert.equal(sender.check(url), undefined, "it may be listed when the message is sent")
      assert.deepEqual(await sender.send(toRequest(url)), failed("own-addresses-unknown"))
    }
    const outcome = await sender.send(toRequest("http://127.0.0.1/"))
    assert.deepEqual(outcome, failed("address-not-allowed"))
  })

  test("a name that is unknown and one of a private network fail by the same word", async (t) => {
    const names = new Map([
      ["printer.internal", ["10.1.2.3"]],
      ["crowd.example", Array.from({ length: 65 }, (_, index) => `93.184.215.${index}`)],
    ])
    const sender = createSender(t, { lookup: async (name) => names.get(name) ?? [] })
    for (const name of ["printer.internal", "crowd.example", "nowhere.internal"]) {
      const outcome = await sender.send(toRequest(`http://${name}/`))
      assert.deepEqual(outcome, failed("address-not-allowed"), name)
    }
  })

  test("where the operator alone allows an address, its answer's body is not handed on", async (t) => {
    const server = await serve(t, (_, response) => {
      response.writeHead(401, { "retry-after": "7" }).end("realm of the printer")
    })
    const sender = createSender(t, { ...LOOPBACK, lookup: async () => ["127.0.0.1"] })
    for (const host of ["127.0.0.1", "printer.example", "printer.example"]) {
      const outcome = await sender.send(toRequest(`http://${host}:${server.port}/`))
      const expected = { kind: "answered", status: 401, body: "", retryAfterMs: 7_000 }
      assert.deepEqual(outcome, expected, host)
    }
    const { origin } = await serveRaw(t, (socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ninner"))
    })
    const closed = await sender.send(toRequest(origin))
    assert.deepEqual(closed, { kind: "answered", status: 200, body: "" })
  })

  test("URLs that are no addresses of the web are refused", async (t) => {
    const sender = createSender(t)
    for (const url of [
      "ftp://a.example",
      "https://u:p@a.example",
      "https://a.example:25",
      "x",
      "",
    ]) {
      assert.equal(sender.check(url), "url-not-allowed", url)
      assert.deepEqual(await sender.send(toRequest(url)), failed("url-not-allowed"), url)
    }
  })
})

describe("sending that is called off", WATCHDOG, () => {
  test("ends at once, by its signal and with the sender", async (t) => {
    const sender = createSender(t)
    const reached: Promise<void>[] = []
    const waiting: (() => void)[] = []
    const { origin } = await serveRaw(t, () => waiting.shift()?.())
    const controller = new AbortController()
    reached.push(new Promise((resolve) => void waiting.push(resolve)))
    const one = sender.send(toRequest(origin, { signal: controller.signal }))
    await reached[0]
    controller.abort()
    assert.deepEqual(await one, failed("called-off"))
    reached.push(new Promise((resolve) => void waiting.push(resolve)))
    const other = sender.send(toRequest(origin))
    await reached[1]
    await sender.close()
    assert.deepEqual(await other, failed("called-off"))
  })
})
