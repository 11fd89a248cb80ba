/** Files of the reference and of the console are sent compressed to who takes that, each coding made once. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { createAccess } from "@safelight/access"
import { SILENT_LOG } from "@safelight/core"
import { createHttpHandler, type PageFiles } from "@safelight/http"
import { createHttpHandler as createWebHandler } from "@safelight/http/web"
import { createManualClock } from "@safelight/testkit"
import { checker } from "./worlds.ts"
import { checkResponse } from "../../support/openapi-response.ts"
import { createFakeService } from "./fake-service.ts"
import { createFakeStorage } from "./fake-storage.ts"

const SCRIPT = "export const numbers = [".concat("1, ".repeat(2_000), "]")

type HandlerOptions = Parameters<typeof createHttpHandler>[0]

function open(
  own: Partial<HandlerOptions> = {},
  create: typeof createHttpHandler = createHttpHandler,
) {
  const { service } = createFakeService()
  const { storage } = createFakeStorage()
  const clock = createManualClock()
  const files = { "index.html": "Qx7", "assets/index-a1.js": SCRIPT }
  const consoleFiles: PageFiles = {
    names: Object.keys(files),
    read: async (name) => new TextEncoder().encode(files[name as keyof typeof files]),
  }
  const access = createAccess({ storage, service, clock })
  const publicUrl = () => "https://media.example"
  const parts = { service, clock, access, publicUrl, consoleFiles, log: SILENT_LOG }
  const handler = create({ ...parts, ...own })
  return async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const request = new Request(`http://inner.example${path}`, { headers, method })
    const response = await handler.fetch(request)
    const [text, bytes] = [response.clone(), new Uint8Array(await response.arrayBuffer())]
    return { response: text, bytes, headers: response.headers, status: response.status }
  }
}

const PATHS = ["/openapi.json", "/docs/swagger-ui-bundle.js", "/console/assets/index-a1.js"]

const CODINGS = [
  ["br", brotliDecompressSync],
  ["gzip", gunzipSync],
] as const

describe("a file of the reference or the console", () => {
  for (const [coding, decode] of CODINGS) {
    it(`is sent as ${coding} to who takes it, a third of its size at most`, async () => {
      const get = open()
      for (const path of PATHS) {
        const [plain, coded, head] = await Promise.all([
          get(path),
          get(path, { "accept-encoding": coding }),
          get(path, { "accept-encoding": coding }, "HEAD"),
        ])
        assert.equal(coded.headers.get("content-encoding"), coding, path)
        assert.equal(coded.headers.get("content-length"), String(coded.bytes.length), path)
        assert.ok(coded.bytes.length * 3 < plain.bytes.length, path)
        assert.deepEqual(new Uint8Array(decode(coded.bytes)), plain.bytes, path)
        for (const name of ["content-encoding", "content-length", "etag", "vary"]) {
          assert.equal(head.headers.get(name), coded.headers.get(name), `${path} ${name}`)
        }
      }
    })
  }

  it("is the same file to a cache only in the same coding", async () => {
    const get = open()
    for (const path of PATHS) {
      const tags = new Set<string>()
      for (const coding of ["identity", "gzip", "br"]) {
        const first = await get(path, { "accept-encoding": coding })
        assert.equal(first.headers.get("vary"), "Accept-Encoding")
        const etag = first.headers.get("etag") ?? assert.fail("no tag")
        tags.add(etag)
        const headers = { "accept-encoding": coding, "if-none-match": etag }
        const again = await get(path, headers)
        assert.deepEqual([again.status, again.bytes.length], [304, 0])
        assert.equal(again.headers.get("vary"), "Accept-Encoding")
        assert.equal(again.headers.get("content-encoding"), null)
      }
      assert.equal(tags.size, 3, path)
    }
  })

  it("has the coding that the caller prefers, and brotli if it prefers none", async () => {
    const get = open()
    const asked = {
      "gzip, deflate, br, zstd": "br",
      "GZIP;q=1.0, br;q=0.5": "gzip",
      "br;q=0, *": "gzip",
      "*;q=0.1": "br",
      gzip: "gzip",
      "gzip;q=0": null,
      "identity, gzip;q=0.5": null,
      "deflate, zstd": null,
      "br;q=2": null,
      "br;level=9": null,
      "": null,
      " ,, ": null,
      "*;q=0": null,
    }
    for (const [header, coding] of Object.entries(asked)) {
      const { headers } = await get("/openapi.json", { "accept-encoding": header })
      assert.equal(headers.get("content-encoding"), coding, header)
    }
  })

  it("is compressed once, however many ask at once, and again only if that failed", async () => {
    const asked: string[] = []
    const get = open({
      async compress(bytes, coding) {
        asked.push(coding)
        if (asked.length === 1) throw new Error("no memory")
        return bytes.subarray(1)
      },
    })
    const failed = await get("/openapi.json", { "accept-encoding": "br" })
    assert.equal(failed.status, 500)
    const both = ["br", "gzip", "br", "gzip"].map(async (coding) =>
      get("/openapi.json", { "accept-encoding": coding }),
    )
    for (const { status } of await Promise.all(both)) assert.equal(status, 200)
    assert.deepEqual(asked.toSorted(), ["br", "br", "gzip"])
  })

  it("is sent as it is where its coding would be no smaller", async () => {
    const get = open()
    const { headers, bytes } = await get("/", { "accept-encoding": "br" })
    assert.equal(headers.get("content-encoding"), null)
    assert.equal(new TextDecoder().decode(bytes), "Qx7")
  })

  it("is sent as it is by a host that compresses nothing", async () => {
    const get = open({}, createWebHandler)
    const { headers } = await get("/openapi.json", { "accept-encoding": "br, gzip" })
    assert.equal(headers.get("content-encoding"), null)
  })

  it("is described with its codings", async () => {
    const get = open()
    for (const target of ["/openapi.json", "/docs", "/docs/start.js"]) {
      const { response } = await get(target, { "accept-encoding": "gzip" }, "HEAD")
      await checkResponse(checker, { method: "HEAD", target }, response)
    }
  })
})
