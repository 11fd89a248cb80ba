/**
 * The guarded fetch against servers, resolvers and URLs that mean no good. Only 127.0.0.1 is allowed
 * in most of them, so 127.0.0.2 stands for every address that is not. The time limit below is there
 * to end a run that hangs; no test measures time.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import net, { createServer, type AddressInfo, type Socket } from "node:net"
import { createSocket } from "node:dgram"
import { lookup as lookUpBySystem, Resolver } from "node:dns/promises"
import os from "node:os"
import { describe, test, type TestContext } from "node:test"
import { setDefaultCACertificates } from "node:tls"
import { inspect } from "node:util"
import { isSafelightError, type Media, type MediaKind } from "@safelight/core"
import { createAddressRule, createGuardedFetch, DEFAULTS } from "@safelight/fetch-guarded"
import { MEDIA_HEADS } from "../support/media-heads.ts"
import { answerRaw, serve, serveRaw, serveSecurely } from "../support/misbehaving-server.ts"
import { assertFault, failed, KINDS, LOOPBACK, open, PNG, read } from "../support/open-guarded.ts"
import { createSelfSignedCertificate } from "../support/self-signed-certificate.ts"

const WATCHDOG = { timeout: 60_000 }
const larger = (work: Promise<unknown>): Promise<void> =>
  assertFault(work, "media_too_large", /larger than \d+ bytes/)
const calledOff = (work: Promise<unknown>): Promise<void> =>
  assertFault(work, "aborted", /called off/)

const encode = (bytes: Uint8Array, type = "image/png"): string =>
  `data:${type};base64,${Buffer.from(bytes).toString("base64")}`

describe("media by URL", WATCHDOG, () => {
  test("the bytes arrive as the server sent them, with their type and kind", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const media = await open(`${server.origin}/secret-path?a=b`)
    assert.equal(media.mimeType, "image/png")
    assert.equal(media.kind, "image")
    assert.deepEqual(await read(media), PNG)
    await server.deserted()
  })

  test("a server learns nothing but what it is asked for", async (t) => {
    const server = await serve(t, (request, response) => {
      assert.equal(request.method, "GET")
      assert.equal(request.url, "/a%20b?c=d")
      assert.deepEqual(request.headers, {
        host: `127.0.0.1:${server.port}`,
        connection: "close",
        accept: "*/*",
        "accept-encoding": "identity",
        "user-agent": "Safelight",
      })
      response.setHeader("set-cookie", "a=b")
      response.end(PNG)
    })
    const source = createGuardedFetch(LOOPBACK)
    for (const round of [1, 2]) {
      const media = await source.open({
        url: `${server.origin}/a b?c=d#${round}`,
        kinds: ["image"],
        maxBytes: 1_000_000,
      })
      await read(media)
    }
    assert.equal(server.accepted(), 2)
  })

  test("https is checked against the host's name", async (t) => {
    const certificate = createSelfSignedCertificate("media.test")
    setDefaultCACertificates([certificate.cert])
    const server = await serveSecurely(t, certificate, (_request, response) => response.end(PNG))
    assert.deepEqual(await read(await open(`https://media.test:${server.port}/`)), PNG)
    await failed(open(`https://other.test:${server.port}/`), /ERR_TLS_CERT_ALTNAME_INVALID/)
  })

  test("HTTP/1.1 is spoken to servers that would rather speak HTTP/2", async (t) => {
    const certificate = createSelfSignedCertificate("media.test")
    setDefaultCACertificates([certificate.cert])
    const server = await serveSecurely(t, certificate, (request, response) => {
      response.end(request.httpVersion === "1.1" ? PNG : "")
    })
    assert.deepEqual(await read(await open(`https://media.test:${server.port}/`)), PNG)
  })

  test("what is no http(s) URL, or holds credentials, is refused", async () => {
    for (const url of ["", "/a", "ftp://a.test/", "file:///etc/passwd", "DATA:,a", "blob:x"]) {
      await failed(open(url), /cannot be read|neither http nor https/)
    }
    await failed(open("http://user@media.test/"), /credentials/)
    await failed(open("http://:word@media.test/"), /credentials/)
    await failed(open(`http://media.test/${"a".repeat(8_192)}`), /too long/)
  })

  test("ports of other protocols are refused", async () => {
    for (const port of [0, 22, 25, 110, 1_023, 2_049, 6_000, 6_667, 10_080]) {
      await failed(open(`http://media.test:${port}/secret-path`), /port is not allowed/)
    }
  })

  test("every status but 200 is a failure, and says whether it may pass", async (t) => {
    const server = await serve(t, (request, response) => {
      response.writeHead(Number(request.url?.slice(1))).end()
    })
    for (const status of [201, 204, 206, 300, 304, 400, 401, 404, 408, 410, 429, 500, 503]) {
      await assert.rejects(open(`${server.origin}/${status}`), {
        code: "media_download_failed",
        message: `The media could not be downloaded: its server answers ${status}.`,
        retryable: [408, 429, 500, 503].includes(status),
      })
    }
    await server.deserted()
  })

  test("a coded answer is refused", async (t) => {
    const server = await serve(t, (_request, response) => {
      response.setHeader("content-encoding", "gzip").end(PNG)
    })
    await failed(open(server.origin), /coded/)
    const transfer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
    await failed(open((await answerRaw(t, transfer)).origin), /coded/)
  })
})

function toInterface(address: string): os.NetworkInterfaceInfo {
  return { address, netmask: "", family: "IPv4", mac: "", internal: false, cidr: null }
}

describe("addresses", WATCHDOG, () => {
  const refused = /address is not allowed/
  const notListed = /can't list its own addresses/
  const failListing = (): never => {
    throw Object.assign(new Error("uv_interface_addresses"), { code: "ERR_SYSTEM_ERROR" })
  }

  test("public unicast addresses are allowed, every special block is not", () => {
    const isAllowed = createAddressRule({})
    const allowed = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
      128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0
      192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0
      223.255.255.255 2000:: 2001:200:: 2001:4860:4860::8888 2003:: 2606:4700:4700::1111
      3ffe:: 3fff:1000:: ::ffff:8.8.8.8`
    const forbidden = `0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255
      127.0.0.0 127.0.0.1 127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0
      172.31.255.255 192.0.0.0 192.0.0.8 192.0.0.255 192.0.2.1 192.88.99.1 192.168.0.0
      192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.0 224.0.0.251
      239.255.255.255 240.0.0.0 254.255.255.255 255.255.255.255
      :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:8.8.8.8 64:ff9b::8.8.8.8
      64:ff9b::7f00:1 64:ff9b:1::1 100::1 1fff:: 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1
      2002:7f00:1:: 2002:808:808:: 3fff::1 4000:: 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%lo
      fec0::1 ff02::1 ffff::`
    for (const address of allowed.split(/\s+/)) assert.ok(isAllowed(address), address)
    for (const address of forbidden.split(/\s+/)) assert.ok(!isAllowed(address), address)
  })

  test("what a socket would not read as it stands is no address", () => {
    const isAllowed = createAddressRule({ allowedAddresses: ["0.0.0.0/0", "::/0"] })
    for (const address of [
      "",
      "localhost",
      "1",
      "0x7f.1",
      "010.0.0.1",
      "1.1.1",
      "[::1]",
      "1.1.1.1/8",
    ]) {
      assert.ok(!isAllowed(address), address)
    }
  })

  test("a block that is allowed opens just itself, to IPv4-mapped addresses too", () => {
    const isAllowed = createAddressRule({ allowedAddresses: ["10.1.0.0/16", "fd00::/8"] })
    for (const address of ["10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "fd12::1"]) {
      assert.ok(isAllowed(address), address)
    }
    for (const address of ["10.0.255.255", "10.2.0.0", "::ffff:10.2.0.0", "fc00::1", "127.0.0.1"]) {
      assert.ok(!isAllowed(address), address)
    }
  })

  test("a block that is denied is closed, public or allowed as it may be", () => {
    const isAllowed = createAddressRule({
      allowedAddresses: ["10.1.0.0/16"],
      deniedAddresses: ["10.1.2.0/24", "203.0.112.0/24", "2001:4860::/32"],
    })
    for (const address of ["10.1.1.1", "10.1.3.0", "203.0.111.1", "2606:4700::1"]) {
      assert.ok(isAllowed(address), address)
    }
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "203.0.112.9", "2001:4860::8888"]) {
      assert.ok(!isAllowed(address), address)
    }
  })

  test("what clouds serve their machines at in public space is closed unless it is allowed", () => {
    const clouds = "168.63.129.16 161.26.0.0 161.26.255.255 166.8.0.0 166.11.255.255".split(" ")
    const beside = "168.63.129.15 161.25.255.255 161.27.0.0 166.7.255.255 166.12.0.0".split(" ")
    const isAllowed = createAddressRule({})
    const opens = createAddressRule({ allowedAddresses: ["161.26.0.0/16"] })
    for (const address of clouds) assert.ok(!isAllowed(address), address)
    for (const address of beside) assert.ok(isAllowed(address), address)
    assert.ok(opens("161.26.0.10"))
  })

  test("this host's own public addresses are closed, as they come and go", (t) => {
    let own = ["93.184.215.14", "2606:2800:21f::1", "fe80::1%eth0"]
    t.mock.method(os, "networkInterfaces", () => ({ eth0: own.map(toInterface) }))
    const isAllowed = createAddressRule({})
    for (const address of ["93.184.215.14", "::ffff:93.184.215.14", "2606:2800:21f:0::1"]) {
      assert.ok(!isAllowed(address), address)
    }
    assert.ok(isAllowed("93.184.215.15"))
    assert.ok(createAddressRule({ allowedAddresses: ["93.184.215.14/32"] })("93.184.215.14"))
    own = ["93.184.215.15"]
    assert.ok(isAllowed("93.184.215.14"))
    assert.ok(!isAllowed("93.184.215.15"))
  })

  test("while the host can't list its own addresses, public ones are refused, retryably", async (t) => {
    t.mock.method(os, "networkInterfaces", failListing)
    const lookup = async (): Promise<string[]> => ["93.184.215.14"]
    await failed(open("http://media.test/secret-path", {}, { lookup }), notListed)
    await failed(open("http://93.184.215.14/secret-path"), notListed)
    await assert.rejects(open("http://93.184.215.14/"), { retryable: true })
    const isAllowed = createAddressRule({ allowedAddresses: ["93.184.215.15/32"] })
    assert.ok(!isAllowed("93.184.215.14"))
    assert.ok(isAllowed("93.184.215.15"))
  })

  test("a socket that can't be judged is closed before a byte leaves", async (t) => {
    const received: unknown[] = []
    const server = await serveRaw(t, (socket) => socket.on("data", (data) => received.push(data)))
    const connect = net.connect as (options: net.NetConnectOpts) => Socket
    t.mock.method(net, "connect", (options: net.NetConnectOpts) =>
      Object.defineProperty(connect(options), "remoteAddress", { value: "93.184.215.14" }),
    )
    t.mock.method(os, "networkInterfaces", failListing)
    await failed(open(`http://media.test:${server.port}/secret-path`), notListed)
    assert.equal(server.accepted(), 1)
    await server.deserted()
    assert.deepEqual(received, [])
  })

  test("an address that the system knows and the parser does not is refused", async () => {
    const lookup = async (): Promise<string[]> => ["fe80::1%eth0.100"]
    await failed(open("http://media.test/secret-path", {}, { lookup }), refused)
  })

  test("a name may have 64 addresses, for which the host's own are listed once", async (t) => {
    const own = { eth0: [toInterface("93.184.215.63")] }
    const listing = t.mock.method(os, "networkInterfaces", () => own)
    const answer = (count: number) => async (): Promise<string[]> =>
      Array.from({ length: count }, (_, index) => `93.184.215.${index}`)
    const url = "http://media.test/secret-path"
    await failed(open(url, {}, { lookup: answer(64) }), refused)
    assert.equal(listing.mock.callCount(), 1)
    await failed(open(url, {}, { lookup: answer(65) }), /more than 64 addresses/)
    assert.equal(listing.mock.callCount(), 1)
  })

  test("a socket whose both ends are one address is closed, though no interface has it", () => {
    const isAllowed = createAddressRule({})
    assert.ok(!isAllowed("93.184.215.14", "93.184.215.14"))
    assert.ok(!isAllowed("93.184.215.14", "::ffff:93.184.215.14"))
    assert.ok(isAllowed("93.184.215.14", "10.0.0.5"))
    assert.ok(createAddressRule({ allowedAddresses: ["127.0.0.1/32"] })("127.0.0.1", "127.0.0.1"))
  })

  test("an address that is denied is refused unconnected", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    await failed(open(server.origin, {}, { deniedAddresses: ["127.0.0.0/8"] }), refused)
    assert.equal(server.accepted(), 0)
  })

  test("every spelling of an address that is not allowed is refused unconnected", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const spellings = `127.0.0.1 0x7f.1 0x7f000001 2130706433 017700000001 0177.0.0.1 127.1 127.0.1
      %31%32%37.0.0.1 127.0.0.1. 127。0。0。1 ⑫7.0.0.1 [::ffff:127.0.0.1] [::ffff:7f00:1]
      [0:0:0:0:0:ffff:7f00:0001] [::1] [::] 0.0.0.0 0 [64:ff9b::7f00:1] [2002:7f00:1::]`
    for (const spelling of spellings.split(/\s+/)) {
      const url = `http://${spelling}:${server.port}/secret-path`
      await failed(open(url, {}, { allowedAddresses: [] }), refused)
    }
    assert.equal(server.accepted(), 0)
  })

  test("every spelling of an address that is allowed connects", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    for (const spelling of ["0x7f.1", "2130706433", "127.1"]) {
      await read(await open(`http://${spelling}:${server.port}/`))
    }
    assert.equal(server.accepted(), 3)
  })

  test("a name that the system resolves to this machine is refused", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const source = createGuardedFetch({
      lookup: async (hostname) => {
        const found = await lookUpBySystem(hostname, { all: true })
        return found.map(({ address }) => address)
      },
    })
    const url = `http://localhost:${server.port}/secret-path`
    await failed(source.open({ url, kinds: KINDS, maxBytes: 1 }), refused)
    assert.equal(server.accepted(), 0)
  })

  test("names are asked of the name servers themselves; one that nobody answers for is not found", async (t) => {
    const silent = createSocket("udp4")
    let questions = 0
    silent.on("message", () => (questions += 1))
    silent.bind(0, "127.0.0.1")
    await once(silent, "listening")
    t.after(() => void silent.close())
    const asked = t.mock.method(Resolver.prototype, "resolve4")
    asked.mock.mockImplementationOnce(async function (this: Resolver, hostname: string) {
      this.setServers([`127.0.0.1:${silent.address().port}`])
      return this.resolve4(hostname)
    } as typeof Resolver.prototype.resolve4)
    const source = createGuardedFetch()
    const names = Array.from({ length: 20 }, (_, index) => `http://slow${index}.test/secret-path`)
    const opens = names.map((url) => source.open({ url, kinds: KINDS, maxBytes: 1 }))
    await Promise.all(opens.map((each) => failed(each, /host was not found/)))
    assert.ok(questions >= names.length, `${questions} questions`)
  })

  test("one forbidden address among a name's addresses refuses it, wherever it stands", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const url = `http://media.test:${server.port}/secret-path`
    for (const mixed of [
      ["127.0.0.1", "127.0.0.2"],
      ["127.0.0.2", "127.0.0.1"],
      ["127.0.0.1", "::1"],
      ["127.0.0.1", "no address"],
    ]) {
      await failed(open(url, {}, { lookup: async () => mixed }), refused)
    }
    assert.equal(server.accepted(), 0)
  })

  test("a name is resolved once a connection, so what was judged is what is used", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const answers = [["127.0.0.1"], ["127.0.0.2"]]
    const options = { lookup: async (): Promise<string[]> => answers.shift() ?? [] }
    await read(await open(`http://media.test:${server.port}/`, {}, options))
    assert.equal(answers.length, 1)
    assert.equal(server.accepted(), 1)
  })

  test("what the socket is connected to is judged before a byte leaves", async (t) => {
    const received: unknown[] = []
    const server = await serveRaw(t, (socket) => socket.on("data", (data) => received.push(data)))
    // A resolver that changes its answer after it was judged.
    const answer = Object.assign(["127.0.0.2"], {
      map: () => [{ address: "127.0.0.1", family: 4 }],
    })
    const options = { allowedAddresses: ["127.0.0.2/32"], lookup: async () => answer }
    await failed(open(`http://media.test:${server.port}/secret-path`, {}, options), refused)
    assert.equal(server.accepted(), 1)
    await server.deserted()
    assert.deepEqual(received, [])
  })

  test("a name that resolves elsewhere after a redirect is judged again", async (t) => {
    const server = await serve(t, (_request, response) => {
      response.writeHead(302, { location: "/secret-path" }).end()
    })
    const answers = [["127.0.0.1"], ["127.0.0.2"]]
    const options = { lookup: async (): Promise<string[]> => answers.shift() ?? [] }
    await failed(open(`http://media.test:${server.port}/`, {}, options), refused)
    assert.equal(server.accepted(), 1)
  })

  test("a resolver that fails, finds nothing or never answers ends the download", async () => {
    const url = "http://media.test/secret-path"
    const fails = { lookup: () => Promise.reject(new Error("getaddrinfo ENOTFOUND media.test")) }
    const never = { lookup: () => new Promise<never>(() => undefined), connectTimeoutMs: 20 }
    await failed(open(url, {}, fails), /host was not found/)
    await failed(open(url, {}, { lookup: async () => [] }), /host was not found/)
    await failed(open(url, {}, never), /UND_ERR_CONNECT_TIMEOUT/)
  })
})

describe("redirects", WATCHDOG, () => {
  test("all five are followed, with relative, absolute and UTF-8 locations", async (t) => {
    const asked: string[] = []
    const other = await serve(t, (request, response) => {
      asked.push(`${request.method} other ${request.url} ${request.headers.referer ?? ""}`)
      response.end(PNG)
    })
    const hops: Record<string, [number, string]> = {
      "/a/b": [301, "c?d"],
      "/a/c?d": [302, "/e"],
      "/e": [303, "?f#g"],
      "/e?f": [307, Buffer.from("/ü").toString("latin1")],
      "/%C3%BC": [308, `//media.test:${other.port}/end`],
    }
    const server = await serve(t, (request, response) => {
      asked.push(`${request.method} ${request.url}`)
      const [status, location] = hops[request.url ?? ""] ?? [500, ""]
      response.writeHead(status, { location }).end("not read")
    })
    assert.deepEqual(await read(await open(`${server.origin}/a/b`)), PNG)
    assert.deepEqual(asked, [...Object.keys(hops).map((path) => `GET ${path}`), "GET other /end "])
    await server.deserted()
  })

  test("a loop ends after as many redirects as are allowed", async (t) => {
    const server = await serve(t, (_request, response) => {
      response.writeHead(302, { location: "/secret-path" }).end()
    })
    await failed(open(server.origin), /redirects too often/)
    assert.equal(server.accepted(), DEFAULTS.maxRedirects + 1)
    await failed(open(server.origin, {}, { maxRedirects: 0 }), /redirects too often/)
    assert.equal(server.accepted(), DEFAULTS.maxRedirects + 2)
    await server.deserted()
  })

  test("a redirect is judged as if a caller had sent it", async (t) => {
    const locations: Record<string, RegExp> = {
      "http://127.0.0.2/secret-path": /address is not allowed/,
      "http://2130706434/": /address is not allowed/,
      "http://[::1]/": /address is not allowed/,
      "//169.254.169.254/latest/meta-data": /address is not allowed/,
      "http://media.test:25/": /port is not allowed/,
      "http://user:word@media.test/": /credentials/,
      "ftp://media.test/": /neither http nor https/,
      "file:///etc/passwd": /neither http nor https/,
      [`data:image/png;base64,${MEDIA_HEADS.png.toString("base64")}`]: /neither http nor https/,
      "http://": /cannot be read/,
      [`/${"a".repeat(8_200)}`]: /too long/,
    }
    const server = await serve(t, (request, response) => {
      const location = Object.keys(locations)[Number(request.url?.slice(1))]
      response.writeHead(302, location === undefined ? {} : { location }).end()
    })
    for (const [index, words] of Object.values(locations).entries()) {
      await failed(open(`${server.origin}/${index}`), words)
    }
    await failed(open(`${server.origin}/99`), /redirects to no one place/)
    await server.deserted()
  })

  test("https never leads back to http", async (t) => {
    const certificate = createSelfSignedCertificate("media.test")
    setDefaultCACertificates([certificate.cert])
    const plain = await serve(t, (_request, response) => response.end(PNG))
    const server = await serveSecurely(t, certificate, (request, response) => {
      const location = request.url === "/down" ? `http://media.test:${plain.port}/` : "/down"
      response.writeHead(302, { location }).end()
    })
    await failed(open(`https://media.test:${server.port}/`), /from https to http/)
    assert.equal(plain.accepted(), 0)
  })

  test("http leads on to https", async (t) => {
    const certificate = createSelfSignedCertificate("media.test")
    setDefaultCACertificates([certificate.cert])
    const secure = await serveSecurely(t, certificate, (_request, response) => response.end(PNG))
    const server = await serve(t, (_request, response) => {
      response.writeHead(301, { location: `https://media.test:${secure.port}/` }).end()
    })
    assert.deepEqual(await read(await open(server.origin)), PNG)
  })
})

describe("bounds", WATCHDOG, () => {
  test("a body may be as large as the bound and no larger, declared or not", async (t) => {
    const server = await serve(t, (request, response) => {
      if (request.url === "/declared") response.setHeader("content-length", PNG.length)
      response.write(PNG.subarray(0, 50_000))
      response.end(PNG.subarray(50_000))
    })
    for (const path of ["/declared", "/chunked"]) {
      const url = `${server.origin}${path}`
      assert.equal((await read(await open(url, { maxBytes: PNG.length }))).length, PNG.length)
      await larger(open(url, { maxBytes: PNG.length - 1 }).then(read))
      await larger(open(url, { maxBytes: 0 }))
    }
    await server.deserted()
  })

  test("a declared length past the bound is refused before a byte of the body", async (t) => {
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"
    const declared = "HTTP/1.1 200 OK\r\nContent-Length: 1000001\r\n\r\n"
    await larger(open((await answerRaw(t, declared, { hangsUp: false })).origin))
    await assert.rejects(open((await answerRaw(t, head, { hangsUp: false })).origin))
  })

  test("a body that ends early is a failure that may pass, however the server hangs up", async (t) => {
    const size = PNG.length.toString(16)
    const bodies = [
      [`Content-Length: ${PNG.length + 1}\r\n\r\n`, ""],
      ["Transfer-Encoding: chunked\r\n\r\nfffff\r\n", ""],
      [`Transfer-Encoding: chunked\r\n\r\n${size}\r\n`, "\r\n"],
      [`Transfer-Encoding: chunked\r\n\r\n${size}\r\n`, "\r\nff"],
    ] as const
    for (const connection of ["", "Connection: close\r\n"]) {
      for (const [start, end] of bodies) {
        const head = `HTTP/1.1 200 OK\r\n${connection}${start}`
        const answer = Buffer.concat([Buffer.from(head), PNG, Buffer.from(end)])
        const { origin } = await answerRaw(t, answer)
        await assert.rejects(open(origin).then(read), {
          code: "media_download_failed",
          message: /the connection failed \(UND_ERR|hung up in the middle of the body/,
          retryable: true,
        })
      }
    }
  })

  test("an empty body is of no type", async (t) => {
    const server = await serve(t, (_request, response) => response.end())
    await assertFault(open(server.origin), "unsupported_media_type", /no supported image or video/)
  })

  test("a text or a 3D model is told by its bytes, where one is wanted", async (t) => {
    const bodies: Readonly<Record<string, string>> = {
      "/words": "WEBVTT\n\n00:00.000 --> 00:01.000\nfog",
      "/scene": "glTF\u0002\0\0\0",
      "/page": "<!doctype html><title>Sign in</title>",
    }
    const server = await serve(t, ({ url = "" }, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).end(bodies[url])
    })
    const kinds = ["3d", "text"] as const
    const words = await open(`${server.origin}/words`, { kinds })
    assert.deepEqual([words.kind, words.mimeType], ["text", "text/vtt"])
    assert.equal((await read(words)).toString(), bodies["/words"])
    const scene = await open(`${server.origin}/scene`, { kinds })
    assert.deepEqual([scene.kind, scene.mimeType], ["3d", "model/gltf-binary"])
    await read(scene)
    const refused = [
      ["/page", kinds],
      ["/words", ["3d"]],
      ["/scene", ["text"]],
      ["/words", KINDS],
    ] as const
    for (const [path, wanted] of refused) {
      // oxlint-disable-next-line no-await-in-loop
      await assertFault(
        open(`${server.origin}${path}`, { kinds: wanted }),
        "unsupported_media_type",
        /no supported/,
      )
    }
    const inline = await open(`data:text/plain;base64,${Buffer.from("fog").toString("base64")}`, {
      kinds,
    })
    assert.equal((await read(inline)).toString(), "fog")
  })

  test("a body can be read once", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const media = await open(server.origin)
    await read(media)
    await assert.rejects(read(media), /can be read once/)
  })

  test("past the bound on open URLs the next one waits for a place", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const source = createGuardedFetch({ ...LOOPBACK, connections: 1 })
    const request = { url: server.origin, kinds: KINDS, maxBytes: 1_000_000 }
    const first = await source.open(request)
    const controller = new AbortController()
    const abandoned = source.open({ ...request, signal: controller.signal })
    const second = source.open(request)
    const inline = `data:image/png;base64,${MEDIA_HEADS.png.toString("base64")}`
    await read(await source.open({ ...request, url: inline }))
    controller.abort()
    await assertFault(abandoned, "aborted", /called off/)
    assert.equal(server.accepted(), 1)
    await read(first)
    assert.deepEqual(await read(await second), PNG)
    await read(await source.open(request))
  })

  test("a download that fails or is called off gives its place back, and just once", async (t) => {
    const controller = new AbortController()
    const server = await serve(t, (request, response) => {
      if (request.url === "/silent") controller.abort()
      else response.writeHead(request.url === "/missing" ? 404 : 200).end(PNG)
    })
    const source = createGuardedFetch({ ...LOOPBACK, connections: 1 })
    const { signal } = controller
    const request = { url: server.origin, kinds: KINDS, maxBytes: 1_000_000 }
    await failed(source.open({ ...request, url: `${server.origin}/missing` }), /answers 404/)
    const silent = source.open({ ...request, url: `${server.origin}/silent`, signal })
    await assertFault(silent, "aborted", /called off/)
    const first = await source.open(request)
    const second = source.open(request)
    // Time enough for the second to come through a place that is not there.
    await read(await open(server.origin))
    assert.equal(server.accepted(), 4)
    await read(first)
    await read(await second)
    assert.equal(server.accepted(), 5)
  })

  test("a body that nobody reads gives its place back when its time is over", async (t) => {
    const server = await serve(t, (_request, response) => response.write(PNG))
    const source = createGuardedFetch({ ...LOOPBACK, connections: 1, totalTimeoutMs: 300 })
    const request = { url: server.origin, kinds: KINDS, maxBytes: 1_000_000 }
    const unread = await source.open(request)
    await server.deserted()
    await source.open(request)
    await failed(read(unread), /took too long/)
  })
})

describe("slow and broken servers", WATCHDOG, () => {
  const PIECE = MEDIA_HEADS.png

  test("one that takes the connection and never answers", async (t) => {
    const server = await serveRaw(t, () => undefined)
    await failed(open(server.origin, {}, { headersTimeoutMs: 30 }), /UND_ERR_HEADERS_TIMEOUT/)
    await server.deserted()
  })

  test("one that never finishes the TLS handshake", async (t) => {
    const server = await serveRaw(t, () => undefined)
    const url = `https://media.test:${server.port}/secret-path`
    await failed(open(url, {}, { connectTimeoutMs: 30 }), /UND_ERR_CONNECT_TIMEOUT/)
    await server.deserted()
  })

  test("one that drips its headers", async (t) => {
    const server = await serveRaw(t, (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nA: ")
      const drip = setInterval(() => socket.write("a"), 5)
      socket.once("close", () => clearInterval(drip))
    })
    await failed(open(server.origin, {}, { headersTimeoutMs: 60 }), /UND_ERR_HEADERS_TIMEOUT/)
    await server.deserted()
  })

  test("one that answers for ever that it is about to answer", async (t) => {
    const server = await serveRaw(t, (socket) => {
      const drip = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5)
      socket.once("close", () => clearInterval(drip))
    })
    await failed(open(server.origin, {}, { totalTimeoutMs: 60 }), /took too long/)
    await server.deserted()
  })

  test("one that stops in the middle of the body", async (t) => {
    const server = await serve(t, (_request, response) => response.write(PNG))
    const work = open(server.origin, {}, { bodyTimeoutMs: 60 }).then(read)
    await failed(work, /UND_ERR_BODY_TIMEOUT/)
    await server.deserted()
  })

  test("one that drips its body, before its type is told and after", async (t) => {
    for (const start of [PIECE, PNG]) {
      const server = await serve(t, (_request, response) => {
        response.write(start)
        const drip = setInterval(() => response.write("a"), 5)
        response.once("close", () => clearInterval(drip))
      })
      const work = open(server.origin, {}, { bodyTimeoutMs: 10_000, totalTimeoutMs: 100 })
      await failed(work.then(read), /took too long/)
      await server.deserted()
    }
  })

  test("one that brings a byte now and then, before its type is told and after", async (t) => {
    for (const start of [PIECE, PNG]) {
      const server = await serve(t, (_request, response) => {
        response.write(start)
        const drip = setInterval(() => response.write("a"), 50)
        response.once("close", () => clearInterval(drip))
      })
      const pace = { bodyTimeoutMs: 200, leastBytesPerSecond: 1_000_000 }
      await assert.rejects(open(server.origin, {}, pace).then(read), {
        message: "The media could not be downloaded: its server is too slow.",
        retryable: true,
      })
      await server.deserted()
    }
  })

  test("one whose reader is the slow one is not too slow", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const pace = { bodyTimeoutMs: 100, leastBytesPerSecond: 1_000_000_000 }
    const media = await open(server.origin, {}, pace)
    let bytes = 0
    for await (const chunk of media.body) {
      bytes += chunk.byteLength
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    assert.equal(bytes, PNG.byteLength)
  })

  test("one that hangs up without an answer, and one that is not there", async (t) => {
    const server = await serveRaw(t, (socket) => socket.destroy())
    await failed(open(server.origin), /UND_ERR_SOCKET|ECONNRESET/)
    const gone = createServer().listen(0, "127.0.0.1")
    await once(gone, "listening")
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => void gone.close(resolve))
    await assert.rejects(open(`http://127.0.0.1:${port}/`), {
      message: "The media could not be downloaded: the connection failed (ECONNREFUSED).",
      retryable: true,
    })
  })

  test("ones that send no HTTP, or none that two parsers would read alike", async (t) => {
    const answers = [
      "\0\x01\x02\x03garbage\r\n\r\n",
      "SSH-2.0-OpenSSH_9.6\r\n",
      "HTTP/1.1 200 OK\r\nno header at all\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ]
    for (const answer of answers) {
      const server = await answerRaw(t, answer)
      await failed(open(server.origin).then(read), /not HTTP|connection failed/)
    }
    const chunks =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    const work = open((await answerRaw(t, chunks)).origin).then(read)
    await assert.rejects(work, { message: /not HTTP/, retryable: false })
  })

  test("one whose headers do not end", async (t) => {
    const head = `HTTP/1.1 200 OK\r\n${`A: ${"a".repeat(1_000)}\r\n`.repeat(20)}`
    const server = await answerRaw(t, head, { hangsUp: false })
    await failed(open(server.origin), /UND_ERR_HEADERS_OVERFLOW/)
    await server.deserted()
  })
})

describe("calling off", WATCHDOG, () => {
  test("before it begins, nothing is connected", async (t) => {
    const server = await serve(t, (_request, response) => response.end(PNG))
    const signal = AbortSignal.abort()
    await calledOff(open(server.origin, { signal }))
    await calledOff(open(`data:image/png;base64,${PNG.toString("base64")}`, { signal }))
    assert.equal(server.accepted(), 0)
  })

  test("while the name is looked up", async () => {
    const controller = new AbortController()
    const lookup = (): Promise<never> => {
      controller.abort()
      return new Promise(() => undefined)
    }
    await calledOff(open("http://media.test/", { signal: controller.signal }, { lookup }))
  })

  test("while the TLS handshake or the answer is waited for, the socket is closed", async (t) => {
    for (const scheme of ["https", "http"]) {
      const controller = new AbortController()
      const server = await serveRaw(t, (socket) => {
        socket.once("data", () => controller.abort())
      })
      const url = `${scheme}://media.test:${server.port}/`
      await calledOff(open(url, { signal: controller.signal }))
      await server.deserted()
    }
  })

  test("while the body is read, also what was received is withheld", async (t) => {
    const server = await serve(t, (_request, response) => response.write(PNG))
    const controller = new AbortController()
    const media = await open(server.origin, { signal: controller.signal })
    const chunks = media.body[Symbol.asyncIterator]()
    await chunks.next()
    controller.abort()
    await calledOff(chunks.next())
    await server.deserted()
  })

  test("between opening and reading", async (t) => {
    const server = await serve(t, (_request, response) => response.end(MEDIA_HEADS.png))
    const controller = new AbortController()
    const media = await open(server.origin, { signal: controller.signal })
    controller.abort()
    await server.deserted()
    await calledOff(read(media))
  })

  test("leaving the loop early closes the connection", async (t) => {
    const server = await serve(t, (_request, response) => response.write(PNG))
    const media = await open(server.origin)
    for await (const chunk of media.body) {
      assert.ok(chunk.byteLength > 0)
      break
    }
    await server.deserted()
  })

  test("returning without having read a byte closes the connection", async (t) => {
    const server = await serve(t, (_request, response) => response.write(PNG))
    const media = await open(server.origin)
    await media.body[Symbol.asyncIterator]().return?.()
    await server.deserted()
  })

  test("media of the wrong type closes the connection", async (t) => {
    const server = await serve(t, (_request, response) => response.write(PNG))
    await assertFault(open(server.origin, { kinds: ["audio"] }), "unsupported_media_type", /audio/)
    await server.deserted()
  })

  test("a caller's signal is let go of when the body was read or refused", async (t) => {
    const server = await serve(t, (request, response) => {
      response.end(request.url === "/png" ? PNG : "")
    })
    const listeners = new Set<() => void>()
    const signal = {
      aborted: false,
      addEventListener: (_type: "abort", listener: () => void) => void listeners.add(listener),
      removeEventListener: (_type: "abort", listener: () => void) =>
        void listeners.delete(listener),
    }
    const media = await open(`${server.origin}/png`, { signal })
    assert.equal(listeners.size, 1)
    await read(media)
    assert.equal(listeners.size, 0)
    await assert.rejects(open(`${server.origin}/empty`, { signal }))
    assert.equal(listeners.size, 0)
  })
})

describe("types", WATCHDOG, () => {
  type Head = keyof typeof MEDIA_HEADS
  const accepted: readonly (readonly [Head, MediaKind, string])[] = [
    ["png", "image", "image/png"],
    ["apng", "image", "image/png"],
    ["jpeg", "image", "image/jpeg"],
    ["webp", "image", "image/webp"],
    ["mp4", "video", "video/mp4"],
    ["mp4", "audio", "audio/mp4"],
    ["m4v", "video", "video/mp4"],
    ["m4a", "audio", "audio/mp4"],
    ["quicktime", "video", "video/quicktime"],
    ["webm", "video", "video/webm"],
    ["webm", "audio", "audio/webm"],
    ["transportStream", "video", "video/mp2t"],
    ["mp3", "audio", "audio/mpeg"],
    ["mp3WithTags", "audio", "audio/mpeg"],
    ["wav", "audio", "audio/wav"],
    ["opus", "audio", "audio/ogg"],
    ["vorbis", "audio", "audio/ogg"],
    ["flac", "audio", "audio/flac"],
    ["aac", "audio", "audio/aac"],
  ]

  async function openHead(t: TestContext, head: Head, kinds: readonly MediaKind[]): Promise<Media> {
    const server = await serve(t, (_request, response) => {
      // What a server claims counts for nothing.
      response.setHeader("content-type", "image/gif").end(MEDIA_HEADS[head])
    })
    return open(`${server.origin}/secret-path.html`, { kinds })
  }

  for (const head of Object.keys(MEDIA_HEADS) as Head[]) {
    for (const kind of KINDS) {
      const found = accepted.find(([name, of]) => name === head && of === kind)
      test(`${head} as ${kind} is ${found?.[2] ?? "refused"}`, async (t) => {
        const opening = openHead(t, head, [kind])
        if (found === undefined) {
          await assertFault(opening, "unsupported_media_type", new RegExp(`supported ${kind} type`))
          return
        }
        const media = await opening
        assert.deepEqual([media.kind, media.mimeType], [kind, found[2]])
        assert.deepEqual(await read(media), MEDIA_HEADS[head])
      })
    }
  }

  test("a container for sound or pictures is the kind that is asked for first", async (t) => {
    assert.equal((await openHead(t, "mp4", ["video", "audio"])).kind, "video")
    assert.equal((await openHead(t, "mp4", ["image", "audio", "video"])).kind, "audio")
  })

  test("the type is told from bytes that arrive one by one", async (t) => {
    const server = await serve(t, async (_request, response) => {
      for (const byte of MEDIA_HEADS.png) {
        response.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
      response.end()
    })
    const media = await open(server.origin)
    assert.equal(media.mimeType, "image/png")
    assert.deepEqual(await read(media), MEDIA_HEADS.png)
  })
})

describe("data URLs", WATCHDOG, () => {
  test("the bytes are those that were encoded, however they meet the slices", async () => {
    for (let excess = -4; excess <= 4; excess += 1) {
      const bytes = Buffer.alloc((349_524 / 4) * 3 * 2 + excess, 0xb7)
      MEDIA_HEADS.png.copy(bytes)
      const media = await open(encode(bytes))
      assert.equal(media.mimeType, "image/png")
      assert.ok(bytes.equals(await read(media)), `${excess}`)
    }
  })

  test("they come in slices, not as one", async () => {
    const sizes: number[] = []
    const media = await open(encode(Buffer.concat([PNG, PNG, PNG])))
    for await (const chunk of media.body) sizes.push(chunk.byteLength)
    assert.ok(sizes.length >= 3 && Math.max(...sizes) <= 256 * 1_024, sizes.join())
  })

  test("between two slices the event loop goes round", async () => {
    const media = await open(encode(Buffer.concat([PNG, PNG, PNG])))
    let turns = 0
    const spin = (): NodeJS.Immediate =>
      setImmediate(() => {
        turns += 1
        spinning = spin()
      })
    let spinning = spin()
    await read(media)
    clearImmediate(spinning)
    assert.ok(turns >= 2, `${turns}`)
  })

  test("their type is told from the bytes, their claim is only checked", async () => {
    assert.equal((await open(encode(MEDIA_HEADS.jpeg))).mimeType, "image/jpeg")
    const html = open(encode(MEDIA_HEADS.html))
    await assertFault(html, "unsupported_media_type", /supported image/)
    const asVideo = open(encode(MEDIA_HEADS.png, "video/mp4"), { kinds: ["video"] })
    await assertFault(asVideo, "unsupported_media_type", /supported video/)
    await failed(open(encode(MEDIA_HEADS.png), { kinds: ["video"] }), /no allowed form/)
  })

  test("any other form is refused", async () => {
    const base64 = MEDIA_HEADS.png.toString("base64")
    for (const prefix of [
      "data:,",
      "data:;base64,",
      "data:image/gif;base64,",
      "data:image/png,",
      "data:image/png;charset=utf-8;base64,",
      "data:IMAGE/PNG;base64,",
      "data: image/png;base64,",
    ]) {
      await failed(open(prefix + base64), /no allowed form/)
    }
  })

  test("base64 that is not canonical is refused, at its end too", async () => {
    const whole = encode(Buffer.concat([PNG, PNG, PNG]))
    const forms = [
      "data:image/png;base64,",
      `${whole}A`,
      `${whole}AA`,
      `${whole}A===`,
      `${whole}====`,
      `${whole}AB==`,
      `${whole}AA\n=`,
      `${whole}A A=`,
      `${whole}AA-_`,
      `${whole}%41%41%41%3D`,
      whole.replace("AAAA", "AA=="),
      whole.replace("AAAA", "AAA\u{1f4a9}"),
    ]
    for (const form of forms) {
      await failed(open(form).then(read), /not canonical base64/)
    }
  })

  test("their size is bounded before a byte is decoded", async () => {
    for (const length of [60, 61, 62]) {
      const bytes = Buffer.concat([MEDIA_HEADS.png, Buffer.alloc(8)]).subarray(0, length)
      assert.equal((await read(await open(encode(bytes), { maxBytes: length }))).length, length)
      const over = open(encode(bytes).replace("iVBO", "****"), { maxBytes: length - 1 })
      await assertFault(over, "media_too_large", /larger than \d+ bytes/)
    }
  })

  test("they are called off between two slices", async () => {
    const controller = new AbortController()
    const media = await open(encode(Buffer.concat([PNG, PNG, PNG])), { signal: controller.signal })
    const chunks = media.body[Symbol.asyncIterator]()
    await chunks.next()
    controller.abort()
    await assertFault(chunks.next(), "aborted", /called off/)
  })
})

describe("options", WATCHDOG, () => {
  test("a wrong option is named when the source is made", () => {
    const wrong: readonly (readonly [string, unknown])[] = [
      ["connectTimeoutMs", 0],
      ["headersTimeoutMs", -1],
      ["bodyTimeoutMs", 2_147_483_648],
      ["totalTimeoutMs", 1.5],
      ["totalTimeoutMs", "5"],
      ["maxRedirects", 21],
      ["connections", 0],
      ["lookup", "system"],
      ["allowedAddresses", "127.0.0.1/32"],
      ["allowedAddresses", ["127.0.0.1"]],
      ["allowedAddresses", ["127.0.0.1/33"]],
      ["allowedAddresses", ["0x7f.1/32"]],
      ["allowedAddresses", ["::ffff:127.0.0.1/128"]],
      ["allowedAddresses", ["localhost/8"]],
      ["allowedAdresses", ["127.0.0.1/32"]],
      ["deniedAddresses", "127.0.0.1/32"],
      ["deniedAddresses", ["127.0.0.1"]],
      ["leastBytesPerSecond", 0],
    ]
    for (const [name, value] of wrong) {
      assert.throws(
        () => createGuardedFetch({ [name]: value }),
        (error) =>
          isSafelightError(error) &&
          error.code === "invalid-configuration" &&
          error.message.includes(` ${name} `),
        `${name} ${inspect(value)}`,
      )
    }
  })

  test("without options every default holds", () => {
    assert.deepEqual(DEFAULTS.allowedAddresses, [])
    createGuardedFetch()
    createGuardedFetch({ ...DEFAULTS })
  })

  test("a request without a bound is refused", async () => {
    await assert.rejects(open("http://media.test/", { maxBytes: Number.NaN }), RangeError)
  })
})
