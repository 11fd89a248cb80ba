/**
 * Bodies that break off and are gone on with. The server of `serveFile` breaks off as often as it is
 * told; what it says of the rest is the test's own.
 */
import assert from "node:assert/strict"
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from "node:http"
import { describe, test, type TestContext } from "node:test"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { serve, type LocalServer } from "../../support/misbehaving-server.ts"
import {
  assertFault,
  failed,
  KINDS,
  LOOPBACK,
  open,
  PNG,
  read,
} from "../../support/open-guarded.ts"

const WATCHDOG = { timeout: 60_000 }
const ETAG = { etag: '"v1"' }
const SECOND = { "last-modified": "Sun, 01 Nov 2026 10:00:00 GMT" }
const LATER = { ...SECOND, date: "Sun, 01 Nov 2026 10:00:01 GMT" }

interface FileOptions {
  /** Of every answer, besides what tells of lengths. */
  readonly headers?: OutgoingHttpHeaders
  readonly breaks?: number
  /** Bytes before each break. */
  readonly breakAfter?: number
  /** Takes the place of the answer to a Range request, if it returns true. */
  readonly answerRest?: (response: ServerResponse, startByte: number) => boolean
}

interface FileServer extends LocalServer {
  readonly asked: IncomingHttpHeaders[]
}

async function serveFile(t: TestContext, options: FileOptions = {}): Promise<FileServer> {
  const { headers = ETAG, breakAfter = 50_000, answerRest } = options
  let breaks = options.breaks ?? 1
  const isChunked = "transfer-encoding" in headers
  const asked: IncomingHttpHeaders[] = []
  function answer(request: IncomingMessage, response: ServerResponse): void {
    asked.push(request.headers)
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? Number.NaN)
    if (answerRest?.(response, start) === true && start >= 0) return
    const rest = PNG.subarray(start || 0)
    if (start >= 0) response.writeHead(206, { ...headers, ...toRange(start) })
    else
      response.writeHead(200, {
        ...(isChunked ? {} : { "content-length": PNG.length }),
        ...headers,
      })
    if (breaks > 0) response.write(rest.subarray(0, breakAfter), () => response.destroy())
    else response.end(rest)
    breaks -= 1
  }
  return { ...(await serve(t, answer)), asked }
}

function toRange(start: number, end = PNG.length - 1, total: number | "*" = PNG.length) {
  return { "content-range": `bytes ${start}-${end}/${total}`, "content-length": end - start + 1 }
}

/** Not by a comparison of their 200,000 bytes one by one, which would take minutes to tell. */
function assertWhole(bytes: Buffer): void {
  assert.ok(PNG.equals(bytes), `${bytes.length} bytes that are not the file`)
}

/** The error that broke the body off. */
async function brokeOff(work: Promise<unknown>): Promise<void> {
  await failed(work, /UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ECONNRESET|hung up in the middle/)
  await assert.rejects(work, { retryable: true })
}

describe("a body that breaks off", WATCHDOG, () => {
  test("is gone on with, as often as is allowed, and reads as one", async (t) => {
    const server = await serveFile(t, { breaks: 2 })
    const headers = { "x-key": "secret" }
    const request = { resumes: 2, headers, maxBytes: PNG.length, kinds: ["image"] as const }
    const media = await open(server.origin, request)
    assert.equal(media.mimeType, "image/png")
    assertWhole(await read(media))
    assert.equal(server.asked.length, 3)
    assert.equal(server.asked[0]?.["if-range"], undefined)
    for (const asked of server.asked.slice(1)) {
      assert.equal(asked["if-range"], '"v1"')
      assert.match(asked.range ?? "", /^bytes=[1-9]\d*-$/)
    }
    assert.ok(server.asked.every((asked) => asked["x-key"] === "secret"))
    await server.deserted()
  })

  test("is gone on with before its type is told", async (t) => {
    for (const breakAfter of [1, 20]) {
      const server = await serveFile(t, { breakAfter, breaks: 3 })
      const media = await open(server.origin, { resumes: 3 })
      assert.equal(media.mimeType, "image/png")
      assertWhole(await read(media))
      assert.equal(server.asked.length, 4)
    }
  })

  test("is not gone on with unless it is allowed, nor more often", async (t) => {
    const once = await serveFile(t)
    await brokeOff(open(once.origin).then(read))
    assert.equal(once.asked.length, 1)
    const often = await serveFile(t, { breaks: 3 })
    await brokeOff(open(often.origin, { resumes: 2 }).then(read))
    assert.equal(often.asked.length, 3)
    await often.deserted()
  })

  test("is told by its date of change where it has no strong tag", async (t) => {
    for (const headers of [LATER, { ...LATER, etag: 'W/"v1"' }, { ...LATER, etag: "v1" }]) {
      const server = await serveFile(t, { headers })
      assertWhole(await read(await open(server.origin, { resumes: 1 })))
      assert.equal(server.asked[1]?.["if-range"], SECOND["last-modified"])
    }
  })

  test("is not gone on with if nothing tells its version or length for sure", async (t) => {
    const unsure: OutgoingHttpHeaders[] = [
      {},
      { etag: 'W/"v1"' },
      { etag: "v1" },
      { etag: '"v\u00e9"' },
      { ...SECOND, date: SECOND["last-modified"] },
      { ...SECOND, date: "now" },
      { ...LATER, "last-modified": "2026-11-01" },
      { ...ETAG, "transfer-encoding": "chunked" },
    ]
    for (const headers of unsure) {
      const server = await serveFile(t, { headers })
      await brokeOff(open(server.origin, { resumes: 3 }).then(read))
      assert.equal(server.asked.length, 1, JSON.stringify(headers))
    }
  })

  test("is gone on with if it stands still, and not if it is too slow", async (t) => {
    let requests = 0
    const server = await serve(t, (request, response) => {
      requests += 1
      const start = Number(/\d+/.exec(request.headers.range ?? "0"))
      if (start > 0) {
        response.writeHead(206, { ...ETAG, ...toRange(start) }).end(PNG.subarray(start))
        return
      }
      response.writeHead(200, { ...ETAG, "content-length": PNG.length })
      response.write(PNG.subarray(0, 50_000))
      if (request.url !== "/slow") return
      const drip = setInterval(() => response.write("a"), 50)
      response.once("close", () => clearInterval(drip))
    })
    const patient = { bodyTimeoutMs: 60, leastBytesPerSecond: 1 }
    assertWhole(await read(await open(server.origin, { resumes: 1 }, patient)))
    assert.equal(requests, 2)
    const strict = { bodyTimeoutMs: 200, leastBytesPerSecond: 1_000_000_000 }
    const slow = open(`${server.origin}/slow`, { resumes: 1 }, strict).then(read)
    await failed(slow, /too slow/)
    assert.equal(requests, 3)
  })

  test("a number of times that is none is a mistake", async () => {
    for (const resumes of [-1, Number.NaN]) {
      await assert.rejects(open("http://media.test/", { resumes }), { name: "RangeError" })
    }
  })
})

describe("the rest of a body", WATCHDOG, () => {
  const refusedAnswers: Record<
    string,
    (start: number) => readonly [status: number, OutgoingHttpHeaders]
  > = {
    "the whole": () => [200, { ...ETAG, "content-length": PNG.length }],
    "a part from before": (start) => [206, { ...ETAG, ...toRange(start - 1) }],
    "a part from after": (start) => [206, { ...ETAG, ...toRange(start + 1) }],
    "a part that is not all of it": (start) => [206, { ...ETAG, ...toRange(start, start + 9) }],
    "a part of something longer": (start) => [
      206,
      { ...ETAG, ...toRange(start, PNG.length - 1, PNG.length + 1) },
    ],
    "a longer part of something longer": (start) => [
      206,
      { ...ETAG, ...toRange(start, PNG.length, PNG.length + 1) },
    ],
    "a part of something of unknown length": (start) => [
      206,
      { ...ETAG, ...toRange(start, PNG.length - 1, "*") },
    ],
    "a part of another version": (start) => [206, { etag: '"v2"', ...toRange(start) }],
    "a part that says nothing of its place": (start) => [
      206,
      { ...ETAG, "content-length": PNG.length - start },
    ],
    "a part of another length than its place": (start) => [
      206,
      { ...ETAG, ...toRange(start), "content-length": PNG.length - start - 1 },
    ],
    "a part of no declared length": (start) => [
      206,
      { ...ETAG, "content-range": toRange(start)["content-range"] },
    ],
    "a coded part": (start) => [206, { ...ETAG, ...toRange(start), "content-encoding": "gzip" }],
    "a redirect elsewhere": () => [302, { location: "http://127.0.0.2/secret-path" }],
    "that there is no such part": () => [416, { "content-range": `bytes */${PNG.length}` }],
    "that it is gone": () => [410, {}],
  }

  for (const [name, toAnswer] of Object.entries(refusedAnswers)) {
    test(`${name}, is not taken, and not asked for again`, async (t) => {
      const server = await serveFile(t, {
        answerRest(response, start) {
          if (!(start >= 0)) return false
          const [status, headers] = toAnswer(start)
          response.writeHead(status, headers).end(PNG)
          return true
        },
      })
      await brokeOff(open(server.origin, { resumes: 3 }).then(read))
      assert.equal(server.asked.length, 2)
      await server.deserted()
    })
  }

  test("is taken from a server that does not repeat the version", async (t) => {
    const server = await serveFile(t, {
      answerRest(response, start) {
        if (!(start >= 0)) return false
        response.writeHead(206, toRange(start)).end(PNG.subarray(start))
        return true
      },
    })
    assertWhole(await read(await open(server.origin, { resumes: 1 })))
  })

  test("is asked for again after a failure that may pass", async (t) => {
    for (const resumes of [3, 2]) {
      let failures = 0
      const server = await serveFile(t, {
        answerRest(response, start) {
          if (!(start >= 0) || failures === 2) return false
          failures += 1
          if (failures === 1) response.writeHead(503).end()
          else response.destroy()
          return true
        },
      })
      const work = open(server.origin, { resumes }).then(read)
      if (resumes === 3) assertWhole(await work)
      else await brokeOff(work)
      assert.equal(server.asked.length, resumes + 1)
    }
  })

  test("is asked for at the URL itself, under the rules of the first request", async (t) => {
    const file = await serveFile(t)
    let hops = 0
    const server = await serve(t, (request, response) => {
      hops += 1
      assert.equal(request.headers["x-key"], "secret")
      const host = hops === 1 ? "media.test" : "other.test"
      response.writeHead(302, { location: `http://${host}:${file.port}/` }).end()
    })
    const request = { hosts: ["127.0.0.1", "media.test"], headers: { "x-key": "secret" } }
    await brokeOff(open(server.origin, { ...request, resumes: 2 }).then(read))
    assert.equal(hops, 2)
    assert.deepEqual(
      file.asked.map((each) => [each.host, each["x-key"]]),
      [[`media.test:${file.port}`, undefined]],
    )
  })

  test("counts towards the time that everything may take", async (t) => {
    const server = await serveFile(t, { answerRest: (_response, start) => start >= 0 })
    const options = { totalTimeoutMs: 300 }
    await failed(open(server.origin, { resumes: 3 }, options).then(read), /took too long/)
    assert.equal(server.asked.length, 2)
    await server.deserted()
  })

  test("is not waited for once the work is called off", async (t) => {
    const controller = new AbortController()
    const server = await serveFile(t, {
      answerRest(_response, start) {
        if (start >= 0) controller.abort()
        return start >= 0
      },
    })
    const work = open(server.origin, { resumes: 3, signal: controller.signal }).then(read)
    await assertFault(work, "aborted", /called off/)
    assert.equal(server.asked.length, 2)
    await server.deserted()
  })

  test("is let go of by a reader that turns away, and gives its place back", async (t) => {
    const server = await serveFile(t, {
      breaks: 2,
      answerRest(response, start) {
        if (!(start >= 0)) return false
        response.writeHead(206, { ...ETAG, ...toRange(start) }).write(PNG.subarray(start, -1))
        return true
      },
    })
    const source = createGuardedFetch({ ...LOOPBACK, connections: 1 })
    const request = { url: server.origin, kinds: KINDS, maxBytes: 1_000_000, resumes: 1 }
    for (const round of [1, 2]) {
      const media = await source.open(request)
      let readBytes = 0
      for await (const chunk of media.body) {
        readBytes += chunk.byteLength
        if (readBytes > 60_000) break
      }
      await server.deserted()
      assert.equal(server.asked.length, 2 * round)
    }
  })
})
