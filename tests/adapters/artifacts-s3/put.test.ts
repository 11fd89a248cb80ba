/**
 * Storing artifacts in a bucket that throttles, breaks off, lies or forgets; and how much of a body
 * is in memory meanwhile. Waits between tries pass at once and are counted.
 */
import assert from "node:assert/strict"
import { setImmediate as nextTag } from "node:timers/promises"
import { describe, it, type TestContext } from "node:test"
import { inspect } from "node:util"
import { createS3Artifacts, type S3ArtifactsOptions } from "@safelight/artifacts-s3"
import { SILENT_LOG } from "@safelight/core"
import * as fc from "fast-check"
import { chop, isUnavailable, makeBytes, PART_BYTES, readAll, store, toSha256 } from "./bodies.ts"
import {
  CREDENTIALS,
  refuse,
  serveBucket,
  toEtag,
  type BucketServer,
  type Exchange,
  type Operation,
} from "./bucket-server.ts"

const SMALL = makeBytes(1000)
/** Two parts and a bit. */
const LARGE = makeBytes(2 * PART_BYTES + 100)

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
  const artifacts = createS3Artifacts({
    ...server.options,
    partBytes: PART_BYTES,
    clock,
    random: () => 0.5,
    ...options,
  })
  return { server, artifacts, waits }
}

/** Cuts the connection instead of answering. */
function cut({ request }: Exchange): void {
  request.socket.destroy()
}

function assertNothingLeft({ objects, uploads }: BucketServer): void {
  assert.deepEqual([[...objects.keys()], [...uploads.keys()]], [[], []])
}

describe("a put into a bucket", () => {
  it("is one request up to a part, and parts beyond, each with its digest and all signed", async (t) => {
    const { server, artifacts } = await start(t, { prefix: "some/where" })
    const whole: Operation[] = ["PutObject", "HeadObject"]
    for (const size of [0, 1, PART_BYTES - 1, PART_BYTES]) {
      server.operations.length = 0
      await store(artifacts, makeBytes(size))
      assert.deepEqual(server.operations, whole, `${size} bytes`)
    }
    for (const [size, parts] of [
      [PART_BYTES + 1, 2],
      [2 * PART_BYTES, 2],
      [2 * PART_BYTES + 1, 3],
    ] as const) {
      server.operations.length = 0
      const bytes = makeBytes(size)
      const stored = await store(artifacts, bytes)
      assert.equal(stored.sha256, toSha256(bytes))
      assert.ok(server.objects.get(`some/where/${stored.locator}`)?.equals(bytes))
      const expected: Operation[] = [
        "CreateMultipartUpload",
        ...Array<Operation>(parts).fill("UploadPart"),
        "CompleteMultipartUpload",
        "HeadObject",
      ]
      assert.deepEqual(server.operations, expected, `${size} bytes`)
    }
    // Two parts are under way at once.
    assert.ok(server.accepted() <= 2, "connections serve one request after another")
  })

  it("asks the body for two parts at most beyond what the bucket has taken", async (t) => {
    const { server, artifacts } = await start(t)
    const chunk = makeBytes(512 * 1024)
    const total = 256 * 1024 * 1024
    let asked = 0
    let taken = 0
    let mostAhead = 0
    server.act = async (exchange) => {
      if (exchange.operation === "UploadPart") {
        // Only now that the next part is asked for as well, with a chunk beyond it.
        const isAhead = () => asked === total || asked - taken > 2 * PART_BYTES
        while (!isAhead()) await nextTag()
        taken += exchange.body.byteLength
        exchange.response.setHeader("etag", toEtag(exchange.body.subarray(0, 1))).end()
      } else if (exchange.operation === "CompleteMultipartUpload") {
        exchange.response.end("<CompleteMultipartUploadResult/>")
      } else if (exchange.operation === "HeadObject") {
        exchange.response.setHeader("content-length", total).end()
      } else exchange.serve()
    }
    async function* body() {
      while (asked < total) {
        asked += chunk.byteLength
        mostAhead = Math.max(mostAhead, asked - taken)
        yield chunk
      }
    }
    const stored = await artifacts.put({ task: "t", key: "k", body: body() })
    assert.equal(stored.bytes, total)
    assert.ok(mostAhead <= 2 * PART_BYTES + chunk.byteLength, `${mostAhead} bytes ahead`)
  })

  it("never mistakes one task or key for another", async (t) => {
    const { artifacts } = await start(t)
    const units = fc.array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 150 })
    const text = fc.oneof(
      units.map((codes) => String.fromCharCode(...codes)),
      // What might pass for an encoded name.
      fc.string({ unit: fc.constantFrom("%", "h", "0", "2", "e", "E", "a", "/"), maxLength: 5 }),
    )
    async function toNames(task: string, key: string): Promise<string> {
      const { locator } = await artifacts.put({ task, key, body: chop(Buffer.of(1), 1) })
      assert.match(locator, /^[a-f0-9]{2}(\/[a-z0-9_%-]{1,240}){2}\/[a-f0-9-]{36}$/)
      return locator.slice(0, locator.lastIndexOf("/"))
    }
    const property = fc.asyncProperty(text, text, text, async (a, b, key) => {
      assert.equal((await toNames(a, key)) === (await toNames(b, key)), a === b)
      assert.equal((await toNames(key, a)) === (await toNames(key, b)), a === b)
    })
    await fc.assert(property, { numRuns: 60 })
  })
})

describe("a put into a bucket that fails for a while", () => {
  const faults: Readonly<Record<string, (exchange: Exchange) => void>> = {
    "503 SlowDown": ({ response }) => refuse(response, 503, "SlowDown"),
    "429 without a word": ({ response }) => void response.writeHead(429).end(),
    "500 InternalError": ({ response }) => refuse(response, 500, "InternalError"),
    "400 RequestTimeout": ({ response }) => refuse(response, 400, "RequestTimeout"),
    "a damaged body": ({ response }) => refuse(response, 400, "XAmzContentSHA256Mismatch"),
    "a connection cut before the answer": cut,
    "an answer cut short": ({ response, request }) => {
      response.writeHead(500, { "content-length": 1000 })
      response.write("<Error>", () => request.socket.destroy())
    },
  }
  for (const [name, fail] of Object.entries(faults)) {
    it(`succeeds after ${name} of every request, waiting longer each time`, async (t) => {
      const { server, artifacts, waits } = await start(t)
      const repeated: Operation[] = [
        "PutObject",
        "HeadObject",
        "CreateMultipartUpload",
        ...Array<Operation>(3).fill("UploadPart"),
        "CompleteMultipartUpload",
      ]
      server.act = (exchange) => {
        if (exchange.before < 2 && repeated.includes(exchange.operation)) fail(exchange)
        else exchange.serve()
      }
      // A HEAD has no document: only its status or connection can say it.
      if (name.startsWith("400") || name === "a damaged body") repeated.splice(1, 1)
      for (const bytes of [SMALL, LARGE]) {
        const { locator, sha256 } = await store(artifacts, bytes)
        assert.equal(sha256, toSha256(bytes))
        assert.ok(server.objects.get(locator)?.equals(bytes))
      }
      assert.equal(server.uploads.size, 0)
      // Two parts are under way at once.
      const expected = [100, 200].flatMap((wait) => Array<number>(repeated.length).fill(wait))
      assert.deepEqual(
        waits.toSorted((a, b) => a - b),
        expected,
      )
    })
  }

  it("succeeds after a 200 that turns out to be an error", async (t) => {
    const { server, artifacts } = await start(t)
    server.act = (exchange) => {
      const { operation, response, before } = exchange
      if (operation !== "CompleteMultipartUpload" || before > 0) exchange.serve()
      // White space comes first, to keep the connection alive.
      else response.end('<?xml version="1.0"?>\n  <Error><Code>InternalError</Code></Error>')
    }
    const { locator } = await store(artifacts, LARGE)
    assert.ok(server.objects.get(locator)?.equals(LARGE))
  })

  it("is whole where the answer to its completion is lost", async (t) => {
    const { server, artifacts } = await start(t)
    server.act = (exchange) => {
      const { operation, before, request, response } = exchange
      if (operation !== "CompleteMultipartUpload" || before > 0) return exchange.serve()
      response.end = () => {
        request.socket.destroy()
        return response
      }
      exchange.serve()
    }
    const { locator } = await store(artifacts, LARGE)
    assert.ok(server.objects.get(locator)?.equals(LARGE))
    const completions = server.operations.filter((name) => name === "CompleteMultipartUpload")
    assert.equal(completions.length, 2)
  })

  it("gives up after so many tries, and leaves nothing", async (t) => {
    const logged: object[] = []
    const log = { ...SILENT_LOG, warn: (fields: object) => void logged.push(fields) }
    for (const operation of ["PutObject", "CreateMultipartUpload", "UploadPart"]) {
      const { server, artifacts, waits } = await start(t, { tries: 4, log })
      let refused = 0
      server.act = (exchange) => {
        if (exchange.operation !== operation) return exchange.serve()
        // Two parts are under way at once. The second has no answer when the first is given up.
        if ((exchange.query.get("partNumber") ?? "1") !== "1") return
        refused += 1
        refuse(exchange.response, 503, "SlowDown")
      }
      logged.length = 0
      await assert.rejects(store(artifacts, operation === "PutObject" ? SMALL : LARGE), (error) => {
        assert.ok(isUnavailable(error))
        assert.match(String(error), /was answered 503 SlowDown$/)
        return true
      })
      assert.equal(refused, 4)
      assert.deepEqual(waits, [100, 200, 400])
      assert.equal(logged.length, 4)
      assertNothingLeft(server)
    }
  })

  it("waits in vain for an answer only so long", async (t) => {
    const { server, artifacts } = await start(t, { idleTimeoutMs: 40, tries: 2 })
    server.act = (exchange) => {
      if (exchange.operation !== "PutObject") exchange.serve()
    }
    await assert.rejects(store(artifacts, SMALL), /had no answer in time/)
    assert.deepEqual(server.operations, ["PutObject", "PutObject", "DeleteObject"])
  })

  it("is unavailable where nobody listens, or speaks something else", async (t) => {
    const { server, artifacts } = await start(t, { tries: 2 })
    server.act = ({ request }) => void request.socket.end("garbage\r\n\r\n")
    await assert.rejects(store(artifacts, SMALL), isUnavailable)
    const nobody = createS3Artifacts({
      ...server.options,
      endpoint: "http://127.0.0.1:1",
      tries: 1,
    })
    await assert.rejects(store(nobody, SMALL), (error) => {
      assert.ok(isUnavailable(error))
      assert.match(String(error), /ECONNREFUSED/)
      return true
    })
  })
})

describe("a put into a bucket that lies", () => {
  const lies: Readonly<Record<string, (exchange: Exchange, server: BucketServer) => void>> = {
    "keeps an object shorter than it was": (exchange, { objects }) => {
      exchange.serve()
      for (const [key, bytes] of objects) objects.set(key, bytes.subarray(1))
    },
    "keeps nothing": ({ operation, response }, { uploads }) => {
      uploads.clear()
      const isCompletion = operation === "CompleteMultipartUpload"
      response.end(isCompletion ? "<CompleteMultipartUploadResult/>" : "")
    },
  }
  for (const [name, lie] of Object.entries(lies)) {
    it(`rejects where it ${name}, and leaves nothing`, async (t) => {
      for (const bytes of [SMALL, LARGE]) {
        const { server, artifacts } = await start(t)
        server.act = (exchange) => {
          const isLast = /^PutObject$|^Complete/.test(exchange.operation)
          if (isLast) lie(exchange, server)
          else exchange.serve()
        }
        await assert.rejects(store(artifacts, bytes), isUnavailable)
        assertNothingLeft(server)
      }
    })
  }

  it("rejects where a 200 is a refusal", async (t) => {
    for (const bytes of [SMALL, LARGE]) {
      const { server, artifacts } = await start(t)
      server.act = (exchange) => {
        const isLast = /^PutObject$|^Complete/.test(exchange.operation)
        if (isLast) refuse(exchange.response, 200, "AccessDenied")
        else exchange.serve()
      }
      await assert.rejects(store(artifacts, bytes), /was answered 503 AccessDenied$/)
      assertNothingLeft(server)
    }
  })

  it("rejects where a completion says nothing, and where a part or an upload has no name", async (t) => {
    const mutes: Readonly<Record<string, RegExp>> = {
      CompleteMultipartUpload: /completing an upload was answered 503 InternalError$/,
      UploadPart: /storing a body failed/,
      CreateMultipartUpload: /without an id$/,
    }
    for (const [mute, reason] of Object.entries(mutes)) {
      const { server, artifacts } = await start(t)
      server.act = (exchange) => {
        if (exchange.operation === mute) exchange.response.end()
        else exchange.serve()
      }
      await assert.rejects(store(artifacts, LARGE), reason)
      assertNothingLeft(server)
    }
  })

  it("follows no redirect", async (t) => {
    const { server, artifacts } = await start(t)
    const other = await serveBucket(t)
    server.act = ({ response, request }) => {
      response.writeHead(307, { location: `${other.origin}${request.url}` }).end()
    }
    await assert.rejects(store(artifacts, SMALL), isUnavailable)
    assert.deepEqual(other.operations, [])
  })
})

describe("a put that ends early", () => {
  it("stops the part under way, and abandons the upload", async (t) => {
    const { server, artifacts } = await start(t)
    const controller = new AbortController()
    server.act = (exchange) => {
      const isSecond = exchange.query.get("partNumber") === "2"
      if (isSecond) controller.abort()
      else exchange.serve()
    }
    const body = chop(LARGE, 100_000)
    const put = artifacts.put({ task: "t", key: "k", body, signal: controller.signal })
    await assert.rejects(put, { code: "aborted" })
    assert.ok(server.operations.includes("AbortMultipartUpload"))
    assertNothingLeft(server)
  })

  it("takes back what a completion may have made", async (t) => {
    const { server, artifacts } = await start(t)
    const controller = new AbortController()
    server.act = (exchange) => {
      exchange.serve()
      if (exchange.operation === "CompleteMultipartUpload") controller.abort()
    }
    const body = chop(LARGE, 100_000)
    const put = artifacts.put({ task: "t", key: "k", body, signal: controller.signal })
    await assert.rejects(put, { code: "aborted" })
    assertNothingLeft(server)
  })

  it("tells the body's own error, whatever is under way", async (t) => {
    const { server, artifacts } = await start(t)
    const failure = new Error("gone")
    const reached = Promise.withResolvers<void>()
    server.act = (exchange) => {
      if (exchange.operation === "UploadPart") reached.resolve()
      else exchange.serve()
    }
    async function* body() {
      // A part is sent once more follows, gathered in pieces of 64 KiB.
      yield* chop(makeBytes(PART_BYTES + 65_536), 100_000)
      await reached.promise
      throw failure
    }
    const put = artifacts.put({ task: "t", key: "k", body: body() })
    await assert.rejects(put, (error) => error === failure)
    assertNothingLeft(server)
  })

  it("does not wait for a body that hangs once a part has failed, and releases it", async (t) => {
    const { server, artifacts } = await start(t)
    server.act = (exchange) => {
      if (exchange.operation === "UploadPart") refuse(exchange.response, 403, "AccessDenied")
      else exchange.serve()
    }
    let chunks = 11
    const released = Promise.withResolvers<void>()
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next() {
          chunks -= 1
          if (chunks < 0) return new Promise(() => {})
          return Promise.resolve({ value: makeBytes(512 * 1024), done: false })
        },
        return() {
          released.resolve()
          return Promise.resolve({ value: undefined, done: true })
        },
      }),
    }
    const put = artifacts.put({ task: "t", key: "k", body })
    await assert.rejects(put, (error) => {
      assert.ok(isUnavailable(error))
      assert.match(String(error), /storing a part was answered 403 AccessDenied$/)
      return true
    })
    await released.promise
    assertNothingLeft(server)
  })

  it("does not wait long for a bucket that hangs when it tidies up", async (t) => {
    const { server, artifacts } = await start(t, { tries: 1 })
    server.act = (exchange) => {
      if (exchange.operation === "UploadPart") refuse(exchange.response, 403, "AccessDenied")
      else if (exchange.operation === "AbortMultipartUpload") cut(exchange)
      else exchange.serve()
    }
    await assert.rejects(store(artifacts, LARGE), /403 AccessDenied/)
    assert.equal(server.operations.filter((name) => name === "AbortMultipartUpload").length, 1)
    // The sweep has to find it.
    assert.equal(server.uploads.size, 1)
  })
})

describe("secrets", () => {
  for (const [name, credentials] of [
    ["secret", { ...CREDENTIALS, secretAccessKey: "another/Secret+Key" }],
    ["key", { ...CREDENTIALS, accessKeyId: "AKIDOTHER" }],
    ["session", { ...CREDENTIALS, sessionToken: "another/Session" }],
  ] as const) {
    it(`a wrong ${name} is refused without a word of it, or of what the bucket said`, async (t) => {
      const logged: unknown[] = []
      const record = (...entry: unknown[]) => void logged.push(entry)
      const log = { info: record, warn: record, error: record }
      const { artifacts } = await start(t, { credentials, log })
      let text = ""
      for (const work of [
        () => store(artifacts, SMALL),
        () => store(artifacts, LARGE),
        () => artifacts.list("t"),
        () => artifacts.check(),
      ]) {
        await assert.rejects(work, (error) => {
          assert.ok(isUnavailable(error))
          text += inspect(error, { depth: 20, showHidden: true })
          return true
        })
      }
      assert.match(text, /was answered 403 [A-Za-z]+/)
      const secrets = [...Object.values(credentials), CREDENTIALS.accessKeyId, "AWS4", "<Error"]
      const told = text + inspect(logged, { depth: 20 })
      for (const secret of secrets) assert.ok(!told.includes(secret), secret)
    })
  }

  it("a code that is none is not repeated", async (t) => {
    const { server, artifacts } = await start(t)
    server.act = ({ response }) => refuse(response, 403, `x ${CREDENTIALS.secretAccessKey}`)
    await assert.rejects(store(artifacts, SMALL), /answered 403 of no known form$/)
  })

  it("what was stored is read back with the same bytes", async (t) => {
    const { artifacts } = await start(t)
    const { locator } = await store(artifacts, LARGE)
    assert.ok((await readAll(artifacts, { locator })).equals(LARGE))
  })
})
