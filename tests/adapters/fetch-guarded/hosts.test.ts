/**
 * Whom a guarded fetch asks on a request's own terms: the headers it adds, the hosts it names, the
 * origins it trusts. Servers are told apart by their names, which all lead to 127.0.0.1.
 */
import assert from "node:assert/strict"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { describe, test } from "node:test"
import { setDefaultCACertificates } from "node:tls"
import { isSafelightError } from "@safelight/core"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { serve, serveSecurely } from "../../support/misbehaving-server.ts"
import {
  assertFault,
  failed,
  KINDS,
  LOOPBACK,
  open,
  PNG,
  read,
} from "../../support/open-guarded.ts"
import { createSelfSignedCertificate } from "../../support/self-signed-certificate.ts"

const WATCHDOG = { timeout: 60_000 }

/** That it is refused for good. */
async function refused(work: Promise<unknown>, words: RegExp): Promise<void> {
  await failed(work, words)
  await assert.rejects(work, { retryable: false })
}

describe("headers of a request", WATCHDOG, () => {
  const headers = { "X-Key": "key-secret", ACCEPT: "image/png" }

  test("they are sent, in place of ours where both say something", async (t) => {
    const server = await serve(t, (request, response) => {
      assert.deepEqual(request.headers, {
        host: `127.0.0.1:${server.port}`,
        connection: "close",
        accept: "image/png",
        "accept-encoding": "identity",
        "user-agent": "Safelight",
        "x-key": "key-secret",
      })
      response.end(PNG)
    })
    assert.deepEqual(await read(await open(server.origin, { headers })), PNG)
  })

  test("they stay with the origin of the URL, and do not come back to it", async (t) => {
    const asked: string[] = []
    const note = (name: string, { url, headers: sent }: IncomingMessage) =>
      asked.push(`${name}${url} ${"x-key" in sent ? "key" : "no key"}`)
    const other = await serve(t, (request, response) => {
      note("other", request)
      response.writeHead(302, { location: `${server.origin}/end` }).end()
    })
    const locations: Record<string, string> = { "/": "/same", "/same": `${other.origin}/` }
    const server = await serve(t, (request, response) => {
      note("server", request)
      const location = locations[request.url ?? ""]
      if (location === undefined) response.end(PNG)
      else response.writeHead(302, { location }).end()
    })
    await read(await open(server.origin, { headers }))
    const expected = ["server/ key", "server/same key", "other/ no key", "server/end no key"]
    assert.deepEqual(asked, expected)
  })

  test("another name, and https in place of http, are another origin", async (t) => {
    const certificate = createSelfSignedCertificate("media.test")
    setDefaultCACertificates([certificate.cert])
    const received: IncomingHttpHeaders[] = []
    const secure = await serveSecurely(t, certificate, (request, response) => {
      received.push(request.headers)
      response.end(PNG)
    })
    const server = await serve(t, (request, response) => {
      received.push(request.headers)
      const location = `https://media.test:${secure.port}/`
      if (request.url === "/end") response.end(PNG)
      else if (request.url === "/secure") response.writeHead(302, { location }).end()
      else response.writeHead(302, { location: `http://other.test:${server.port}/end` }).end()
    })
    for (const path of ["secure", "name"]) {
      await read(await open(`http://media.test:${server.port}/${path}`, { headers }))
    }
    const keys = received.map((each) => each["x-key"])
    assert.deepEqual(keys, ["key-secret", undefined, "key-secret", undefined])
  })

  test("what the download itself depends on is none of theirs", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    for (const name of [
      "Host",
      "Connection",
      "Accept-Encoding",
      "Content-Length",
      "Range",
      "If-Range",
    ]) {
      const work = open(server.origin, { headers: { [name]: "1" } })
      await assert.rejects(work, { name: "RangeError", message: new RegExp(name, "i") })
    }
    assert.equal(server.accepted(), 0)
  })

  test("no failure tells them", async (t) => {
    const server = await serve(t, (_request, response) => response.writeHead(403).end())
    const secrets = ["key-secret"]
    const work = open(server.origin, { headers })
    await assertFault(work, "media_download_failed", /answers 403/, secrets)
    const broken = open(server.origin, { headers: { "x-key": "key-secret\n" } })
    await assert.rejects(broken, (error) => error instanceof Error && !/secret/.test(error.message))
  })
})

describe("hosts of a request", WATCHDOG, () => {
  const notAllowed = /its host is not allowed/

  test("only those named are asked, and those below a star", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const hosts = ["media.test", "*.cdn.test", "127.0.0.1"]
    const allowed = ["media.test", "MEDIA.test", "a.cdn.test", "a.b.cdn.test", "0x7f.1"]
    for (const host of allowed) {
      await read(await open(`http://${host}:${server.port}/`, { hosts }))
    }
    assert.equal(server.accepted(), allowed.length)
  })

  test("any other is refused for good, not looked up and not connected", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const hosts = ["media.test", "*.cdn.test"]
    const asked: string[] = []
    const lookup = async (hostname: string): Promise<string[]> => {
      asked.push(hostname)
      return ["127.0.0.1"]
    }
    const others = `cdn.test acdn.test a.media.test amedia.test media.test.other.test test cdn.test.
      a.cdn.test. 127.0.0.1 [::1]`
    for (const host of others.split(/\s+/)) {
      const url = `http://${host}:${server.port}/secret-path`
      await refused(open(url, { hosts }, { lookup }), notAllowed)
    }
    await refused(open(server.origin, { hosts: [] }, { lookup }), notAllowed)
    assert.deepEqual(asked, [])
    assert.equal(server.accepted(), 0)
  })

  test("a redirect leads to none but them, and who asked is told where it led", async (t) => {
    const other = await serve(t, (_request, response) => response.end(PNG))
    const server = await serve(t, (request, response) => {
      const host = request.url === "/in" ? "a.cdn.test" : "other.test"
      response.writeHead(302, { location: `http://${host}:${other.port}/secret-path` }).end()
    })
    const hosts = ["127.0.0.1", "*.cdn.test"]
    assert.deepEqual(await read(await open(`${server.origin}/in`, { hosts })), PNG)
    const work = open(`${server.origin}/out`, { hosts })
    await refused(work, notAllowed)
    await assert.rejects(work, { refusedHost: "other.test" })
    assert.equal(other.accepted(), 1)
    await server.deserted()
  })

  test("one that is named may still not lead anywhere", async () => {
    const hosts = ["media.test", "127.0.0.2"]
    const lookup = async (): Promise<string[]> => ["127.0.0.2"]
    for (const host of hosts) {
      const work = open(`http://${host}/secret-path`, { hosts }, { lookup })
      await refused(work, /its address is not allowed/)
    }
  })

  test("what no URL's host can match is a mistake, not a refusal", async () => {
    const wrong = `* *.* a.*.test **.test *media.test media.test:80 http://media.test media.test/a
      Media.test ü.test user@media.test 127.1 ::1`
    for (const host of ["", "*.", ...wrong.split(/\s+/)]) {
      const work = open("http://media.test/", { hosts: ["media.test", host] })
      await assert.rejects(work, { name: "RangeError", message: /^hosts/ }, host)
    }
  })

  test("a data URL asks nobody", async () => {
    const url = `data:image/png;base64,${PNG.toString("base64")}`
    assert.deepEqual(await read(await open(url, { hosts: [], trustedOrigins: [] })), PNG)
  })
})

describe("trusted origins of a request", WATCHDOG, () => {
  const refusedAddress = /its address is not allowed/
  const guarded = { ...LOOPBACK, allowedAddresses: [] }

  test("they are asked at a private address too, and beside the hosts", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    for (const origin of [server.origin, `http://media.test:${server.port}`]) {
      const request = { trustedOrigins: ["https://other.test", origin], hosts: [] }
      assert.deepEqual(await read(await open(`${origin}/a`, request, guarded)), PNG)
      await refused(open(`${origin}/secret-path`, {}, guarded), refusedAddress)
    }
    assert.equal(server.accepted(), 2)
  })

  test("a name of theirs is looked up as the system does", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const url = `http://localhost:${server.port}`
    const source = createGuardedFetch()
    const request = { url, kinds: KINDS, maxBytes: PNG.length, trustedOrigins: [url] }
    assert.deepEqual(await read(await source.open(request)), PNG)
  })

  test("another port, scheme or name is another origin", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const origins = [
      `http://127.0.0.1:${server.port + 1}`,
      `https://127.0.0.1:${server.port}`,
      `http://a.media.test:${server.port}`,
      "http://127.0.0.1",
    ]
    for (const host of ["127.0.0.1", "media.test"]) {
      const url = `http://${host}:${server.port}/secret-path`
      await refused(open(url, { trustedOrigins: origins }, guarded), refusedAddress)
    }
    assert.equal(server.accepted(), 0)
  })

  test("a redirect from one leads to no other private address", async (t) => {
    const other = await serve(t, (_request, response) => response.end(PNG))
    const server = await serve(t, (_request, response) => {
      response.writeHead(302, { location: `${other.origin}/secret-path` }).end()
    })
    const one = { trustedOrigins: [server.origin] }
    await refused(open(server.origin, one, guarded), refusedAddress)
    assert.equal(other.accepted(), 0)
    const both = { trustedOrigins: [server.origin, other.origin] }
    assert.deepEqual(await read(await open(server.origin, both, guarded)), PNG)
  })

  test("a redirect from a host that is named may lead to one", async (t) => {
    const trusted = await serve(t, (_request, response) => response.end(PNG))
    const origin = `http://trusted.test:${trusted.port}`
    const server = await serve(t, (_request, response) => {
      response.writeHead(302, { location: `${origin}/a` }).end()
    })
    const request = { hosts: ["127.0.0.1"], trustedOrigins: [origin] }
    const lookup = async (): Promise<string[]> => ["127.0.0.1"]
    assert.deepEqual(await read(await open(server.origin, request, { lookup })), PNG)
  })

  test("an address that is denied stays so", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const options = { ...guarded, deniedAddresses: ["127.0.0.0/8"] }
    for (const host of ["127.0.0.1", "media.test"]) {
      const origin = `http://${host}:${server.port}`
      const work = open(`${origin}/secret-path`, { trustedOrigins: [origin] }, options)
      await refused(work, refusedAddress)
    }
    assert.equal(server.accepted(), 0)
  })

  test("what is no origin as URLs have them is a mistake, not a refusal", async () => {
    const wrong = `http://media.test/ http://media.test:80 http://MEDIA.test media.test null
      ftp://media.test blob:http://media.test http://user@media.test http://127.1 http://*.test/`
    for (const origin of ["", ...wrong.split(/\s+/)]) {
      const work = open("http://media.test/", { trustedOrigins: ["http://a.test", origin] })
      await assert.rejects(
        work,
        (error) => !isSafelightError(error) && error instanceof RangeError,
        origin,
      )
    }
  })
})
