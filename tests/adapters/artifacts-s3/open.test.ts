/**
 * Reading artifacts from a bucket that breaks off, stalls, lies about ranges and lengths, or has the
 * object changed under a reader. Whatever happens, no byte is wrong and no reader ends early.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { setImmediate as nextTag } from "node:timers/promises"
import { describe, it, type TestContext } from "node:test"
import { createS3Artifacts, type S3ArtifactsOptions } from "@safelight/artifacts-s3"
import { isSafelightError, type ArtifactReader } from "@safelight/core"
import { isUnavailable, makeBytes, readAll, store } from "./bodies.ts"
import { refuse, serveBucket, toEtag, type Exchange } from "./bucket-server.ts"

const BYTES = makeBytes(1_000_000)
const ETAG = toEtag(BYTES)

async function start(context: TestContext, options: Partial<S3ArtifactsOptions> = {}) {
  const server = await serveBucket(context)
  const waits: number[] = []
  const clock = {
    now: () => Date.now(),
    wait(durationMs: number) {
      waits.push(durationMs)
      return Promise.resolve()
    },
  }
  const artifacts = createS3Artifacts({ ...server.options, clock, random: () => 1, ...options })
  const { locator } = await store(artifacts, BYTES)
  return { server, artifacts, locator, waits }
}

/** Exactly so many bytes. */
async function read(reader: ArtifactReader, length: number): Promise<Buffer> {
  const into = Buffer.alloc(length)
  for (let offset = 0; offset < length;) {
    const count = await reader.read(into.subarray(offset))
    assert.ok(count > 0, `${offset} of ${length} bytes`)
    offset += count
  }
  return into
}

/** Headers for all, and the first bytes; the function returned cuts the connection. */
function sendFirst({ request, response }: Exchange, length: number): () => void {
  response.writeHead(200, { "content-length": BYTES.byteLength, etag: ETAG })
  response.write(BYTES.subarray(0, length))
  return () => void request.socket.destroy()
}

describe("an artifact in a bucket, opened", () => {
  it("is asked for by one request, and its connection serves the next one", async (t) => {
    const { server, artifacts, locator } = await start(t)
    server.operations.length = 0
    const ranges: { start?: number; end?: number }[] = [
      {},
      { start: 10, end: 99 },
      { start: 999_000 },
      { end: 0 },
    ]
    for (const range of ranges) {
      const { start: first = 0, end = BYTES.byteLength - 1 } = range
      const bytes = await readAll(artifacts, { locator, ...range })
      assert.ok(bytes.equals(BYTES.subarray(first, end + 1)))
    }
    assert.deepEqual(server.operations, Array(4).fill("GetObject"))
    assert.equal(server.accepted(), 1)
  })

  it("is read no faster than its reader reads", async (t) => {
    const { server, artifacts, locator } = await start(t)
    const whole = 256 * 1024 * 1024
    const chunk = makeBytes(64 * 1024)
    let sent = 0
    server.act = async ({ response }) => {
      response.writeHead(200, { "content-length": whole })
      while (sent < whole) {
        sent += chunk.byteLength
        if (!response.write(chunk)) await once(response, "drain")
      }
    }
    const reader = await artifacts.open({ locator })
    assert.equal(reader.totalBytes, whole)
    for (let count = 0; count < 3000; count += 1) {
      await reader.read(new Uint8Array(100))
      await nextTag()
    }
    // What sockets buffer on both sides is some megabytes.
    assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes were sent`)
    await reader.close()
    await server.deserted()
  })

  it("is closed with its connection, also where a read waits", async (t) => {
    const { server, artifacts, locator } = await start(t)
    server.act = (exchange) => void sendFirst(exchange, 10)
    const reader = await artifacts.open({ locator })
    await read(reader, 10)
    const waiting = reader.read(new Uint8Array(10))
    await Promise.all([assert.rejects(waiting, isUnavailable), reader.close()])
    await reader.close()
    await server.deserted()
    assert.equal(server.operations.filter((name) => name === "GetObject").length, 1)
  })
})

describe("a download that breaks off", () => {
  it("goes on where it stood, with the same object", async (t) => {
    const { server, artifacts, locator, waits } = await start(t)
    let hangUp = () => {}
    const asked: unknown[] = []
    server.act = (exchange) => {
      const { range, "if-match": match } = exchange.request.headers
      asked.push([range, match])
      if (exchange.before === 0) hangUp = sendFirst(exchange, 500_000)
      else exchange.serve()
    }
    const reader = await artifacts.open({ locator })
    const first = await read(reader, 400_000)
    hangUp()
    const rest = await read(reader, 600_000)
    assert.equal(await reader.read(new Uint8Array(1)), 0)
    await reader.close()
    assert.ok(Buffer.concat([first, rest]).equals(BYTES))
    const [initial, resumed, ...more] = asked as [string | undefined, string | undefined][]
    assert.deepEqual(initial, [undefined, undefined])
    assert.equal(resumed?.[1], ETAG)
    const [, from = ""] = /^bytes=(\d+)-$/.exec(resumed?.[0] ?? "") ?? []
    assert.ok(Number(from) >= 400_000 && Number(from) <= 500_000, from)
    assert.deepEqual(more, [])
    assert.deepEqual(waits, [])
  })

  it("goes on within the range that was asked for, as often as it comes on at all", async (t) => {
    const { server, artifacts, locator, waits } = await start(t)
    const ranges: (string | undefined)[] = []
    let hangUp = () => {}
    server.act = ({ request, response }) => {
      const { range } = request.headers
      ranges.push(range)
      const first = Number(/^bytes=(\d+)-/.exec(range ?? "")?.[1])
      response.writeHead(206, {
        etag: ETAG,
        "content-length": 2100 - first,
        "content-range": `bytes ${first}-2099/${BYTES.byteLength}`,
      })
      response.write(BYTES.subarray(first, first + 100))
      hangUp = () => void request.socket.destroy()
    }
    const reader = await artifacts.open({ locator, start: 100, end: 2099 })
    const chunks: Buffer[] = []
    for (let count = 0; count < 20; count += 1) {
      chunks.push(await read(reader, 100))
      hangUp()
    }
    assert.equal(await reader.read(new Uint8Array(10)), 0)
    await reader.close()
    assert.ok(Buffer.concat(chunks).equals(BYTES.subarray(100, 2100)))
    assert.deepEqual(
      ranges,
      Array.from({ length: 20 }, (_, index) => `bytes=${100 + index * 100}-2099`),
    )
    assert.deepEqual(waits, [])
  })

  it("is taken up after a stall", async (t) => {
    const { server, artifacts, locator } = await start(t, { idleTimeoutMs: 100 })
    server.act = (exchange) => {
      if (exchange.before === 0) sendFirst(exchange, 5000)
      else exchange.serve()
    }
    assert.ok((await readAll(artifacts, { locator })).equals(BYTES))
    assert.equal(server.operations.filter((name) => name === "GetObject").length, 2)
  })

  it("is given up where it comes no further", async (t) => {
    const { server, artifacts, locator, waits } = await start(t)
    const cuts: (() => void)[] = []
    server.act = (exchange) => {
      const { request, response, before } = exchange
      if (before === 0) return void cuts.push(sendFirst(exchange, 5000))
      response.writeHead(206, {
        etag: ETAG,
        "content-length": BYTES.byteLength - 5000,
        "content-range": `bytes 5000-${BYTES.byteLength - 1}/${BYTES.byteLength}`,
      })
      response.flushHeaders()
      response.write("", () => request.socket.end())
    }
    const reader = await artifacts.open({ locator })
    await read(reader, 5000)
    for (const hangUp of cuts) hangUp()
    await assert.rejects(reader.read(new Uint8Array(10)), isUnavailable)
    await reader.close()
    assert.deepEqual(waits, [200, 400])
    assert.equal(server.operations.filter((name) => name === "GetObject").length, 4)
  })

  const changes: Readonly<Record<string, (exchange: Exchange) => void>> = {
    "was replaced": ({ response }) => refuse(response, 412, "PreconditionFailed"),
    "was removed": ({ response }) => refuse(response, 404, "NoSuchKey"),
    "is another one, whatever was asked for": ({ response }) => {
      response.writeHead(206, {
        etag: '"another"',
        "content-length": BYTES.byteLength - 5000,
        "content-range": `bytes 5000-${BYTES.byteLength - 1}/${BYTES.byteLength}`,
      })
      response.end(BYTES.subarray(5000))
    },
    "got longer": ({ response }) => {
      response.writeHead(206, {
        etag: ETAG,
        "content-length": BYTES.byteLength - 4999,
        "content-range": `bytes 5000-${BYTES.byteLength}/${BYTES.byteLength + 1}`,
      })
      response.end(BYTES.subarray(4999))
    },
    "got shorter": ({ response, request }) => {
      if (request.headers.range !== undefined) return refuse(response, 416, "InvalidRange")
      response.writeHead(200, { etag: ETAG, "content-length": 3 }).end("abc")
    },
  }
  for (const [name, change] of Object.entries(changes)) {
    it(`fails where the object ${name} meanwhile`, async (t) => {
      const { server, artifacts, locator } = await start(t)
      let hangUp = () => {}
      server.act = (exchange) => {
        if (exchange.before === 0) hangUp = sendFirst(exchange, 5000)
        else change(exchange)
      }
      const reader = await artifacts.open({ locator })
      await read(reader, 5000)
      hangUp()
      await assert.rejects(reader.read(new Uint8Array(10)), isUnavailable)
      await assert.rejects(reader.read(new Uint8Array(10)), isUnavailable)
      await reader.close()
    })
  }

  it("fails where there is no telling whether the object is the same", async (t) => {
    const { server, artifacts, locator } = await start(t)
    let hangUp = () => {}
    server.act = (exchange) => {
      const { request, response } = exchange
      const setHeader = response.setHeader.bind(response)
      response.setHeader = (name, value) => (name === "etag" ? response : setHeader(name, value))
      if (request.headers.range !== undefined) return exchange.serve()
      response.writeHead(200, { "content-length": BYTES.byteLength })
      response.write(BYTES.subarray(0, 5000))
      hangUp = () => void request.socket.destroy()
    }
    const reader = await artifacts.open({ locator })
    await read(reader, 5000)
    hangUp()
    await assert.rejects(reader.read(new Uint8Array(10)), isUnavailable)
    await reader.close()
  })
})

describe("a bucket that lies about a range", () => {
  const total = BYTES.byteLength
  const lies: Readonly<Record<string, Readonly<Record<string, number | string>>>> = {
    "starts elsewhere": { "content-length": 89, "content-range": `bytes 11-99/${total}` },
    "ends early": { "content-length": 80, "content-range": `bytes 10-89/${total}` },
    "ends late": { "content-length": 91, "content-range": `bytes 10-100/${total}` },
    "says no total": { "content-length": 90, "content-range": "bytes 10-99/*" },
    "says nothing": { "content-length": 90 },
    "says another length": { "content-length": 91, "content-range": `bytes 10-99/${total}` },
    "says no length": { "content-range": `bytes 10-99/${total}` },
    "says a total below its end": { "content-length": 90, "content-range": "bytes 10-99/50" },
    "codes the bytes": {
      "content-length": 90,
      "content-range": `bytes 10-99/${total}`,
      "content-encoding": "gzip",
    },
  }
  for (const [name, headers] of Object.entries(lies)) {
    it(`is unavailable where it ${name}`, async (t) => {
      const { server, artifacts, locator } = await start(t)
      server.act = ({ response }) => {
        response.writeHead(206, { etag: ETAG, ...headers })
        response.write(BYTES.subarray(0, 70))
      }
      await assert.rejects(artifacts.open({ locator, start: 10, end: 99 }), isUnavailable)
      await server.deserted()
    })
  }

  it("is unavailable where it ignores the range", async (t) => {
    const { server, artifacts, locator } = await start(t)
    server.act = (exchange) => {
      delete exchange.request.headers.range
      exchange.serve()
    }
    await assert.rejects(artifacts.open({ locator, start: 10, end: 99 }), /ignored the range/)
  })

  it("is unavailable where a whole object comes as a part, coded, or without its length", async (t) => {
    const { server, artifacts, locator } = await start(t)
    for (const [status, headers] of [
      [206, { "content-length": 3 }],
      [200, { "content-length": 3, "content-encoding": "gzip" }],
      [200, { "transfer-encoding": "chunked" }],
    ] as const) {
      server.act = ({ response }) => void response.writeHead(status, headers).end("abc")
      await assert.rejects(artifacts.open({ locator }), isUnavailable)
    }
  })

  it("is unavailable where it refuses a range that it has", async (t) => {
    const { server, artifacts, locator } = await start(t)
    server.act = (exchange) => {
      if (exchange.request.headers.range === undefined) exchange.serve()
      else refuse(exchange.response, 416, "InvalidRange")
    }
    await assert.rejects(artifacts.open({ locator, start: 10 }), /refused a range that it has/)
    const reader = await artifacts.open({ locator, start: total })
    assert.deepEqual([reader.totalBytes, await reader.read(new Uint8Array(1))], [total, 0])
    await reader.close()
  })
})

describe("an artifact that is not there", () => {
  it("is missing only where the bucket says so by its name", async (t) => {
    const { server, artifacts, locator } = await start(t)
    server.objects.clear()
    const isMissing = (error: unknown) =>
      isSafelightError(error) && error.code === "artifact-missing"
    await assert.rejects(artifacts.open({ locator }), isMissing)
    await assert.rejects(artifacts.open({ locator, start: 5, end: 9 }), isMissing)
    for (const [status, code] of [
      [404, "NoSuchBucket"],
      [403, "AccessDenied"],
      [404, "of a proxy"],
      [301, "PermanentRedirect"],
    ] as const) {
      server.act = ({ response }) => refuse(response, status, code)
      await assert.rejects(artifacts.open({ locator }), isUnavailable, code)
    }
    server.act = ({ response }) => void response.writeHead(404).end("<html>Not Found</html>")
    await assert.rejects(artifacts.open({ locator }), isUnavailable)
  })

  it("is removed all the same, but not where the bucket refuses", async (t) => {
    const { server, artifacts, locator } = await start(t)
    server.act = ({ response }) => refuse(response, 404, "NoSuchKey")
    await artifacts.remove(locator)
    for (const [status, code] of [
      [404, "NoSuchBucket"],
      [403, "AccessDenied"],
    ] as const) {
      server.act = ({ response }) => refuse(response, status, code)
      await assert.rejects(artifacts.remove(locator), isUnavailable)
    }
  })

  it("a range that is none is a mistake of the caller", async (t) => {
    const { artifacts, locator } = await start(t)
    for (const range of [
      { start: -1 },
      { start: 0.5 },
      { start: 5, end: 4 },
      { end: Number.NaN },
    ]) {
      await assert.rejects(artifacts.open({ locator, ...range }), RangeError)
    }
  })
})
