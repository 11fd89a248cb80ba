/** The console's files at `/` and below `/console/`, and nothing there for a host that passes none. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAccess } from "@safelight/access"
import { createHttpHandler, type PageFiles } from "@safelight/http"
import { createManualClock } from "@safelight/testkit"
import { createFakeService } from "./fake-service.ts"
import { createFakeStorage } from "./fake-storage.ts"

const FILES: Readonly<Record<string, string>> = {
  "index.html": "<!doctype html><title>Safelight</title>",
  "assets/index-a1.js": "export {}",
  "assets/index-b2.css": "body {}",
}

function open(files: Readonly<Record<string, string>> | undefined) {
  const { service } = createFakeService()
  const { storage } = createFakeStorage()
  const clock = createManualClock()
  const reads: string[] = []
  const consoleFiles: PageFiles | undefined = files && {
    names: Object.keys(files),
    async read(name) {
      reads.push(name)
      return new TextEncoder().encode(files[name])
    },
  }
  const handler = createHttpHandler({
    service,
    clock,
    access: createAccess({ storage, service, clock }),
    publicUrl: () => "https://media.example",
    ...(consoleFiles && { consoleFiles }),
  })
  const get = async (path: string, init: RequestInit = {}): Promise<Response> =>
    handler.fetch(new Request(`http://inner.example${path}`, init))
  return { get, reads }
}

describe("the console's files", () => {
  it("are one page at /, which runs its own scripts alone and is asked for again each time", async () => {
    const { get } = open(FILES)
    const page = await get("/")
    assert.equal(page.status, 200)
    assert.equal(await page.text(), FILES["index.html"])
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8")
    assert.equal(page.headers.get("cache-control"), "no-cache")
    assert.equal(page.headers.get("x-content-type-options"), "nosniff")
    assert.equal(page.headers.get("referrer-policy"), "no-referrer")
    const policy = (page.headers.get("content-security-policy") ?? "").split("; ")
    assert.ok(policy.includes("default-src 'none'"))
    assert.ok(policy.includes("script-src 'self'"))
    assert.ok(policy.includes("frame-ancestors 'none'"))
    assert.ok(!policy.some((each) => each.includes("unsafe") || each.includes("http")))
  })

  it("are kept by browsers for good where their names contain their hashes", async () => {
    const { get, reads } = open(FILES)
    const script = await get("/console/assets/index-a1.js")
    assert.equal(await script.text(), "export {}")
    assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8")
    assert.equal(script.headers.get("cache-control"), "public, max-age=31536000, immutable")
    const style = await get("/console/assets/index-b2.css", { method: "HEAD" })
    assert.equal(style.headers.get("content-length"), "7")
    assert.equal(await style.text(), "")
    await get("/console/assets/index-a1.js")
    assert.deepEqual(reads, ["assets/index-a1.js", "assets/index-b2.css"])
  })

  it("are answered 304 to who has them", async () => {
    const { get } = open(FILES)
    const etag = (await get("/")).headers.get("etag") ?? ""
    const again = await get("/", { headers: { "if-none-match": etag } })
    assert.deepEqual([again.status, await again.text()], [304, ""])
  })

  it("are those of the list alone, whatever a path looks like", async () => {
    const { get, reads } = open(FILES)
    for (const name of [
      "index.html",
      "assets/",
      "assets/none.js",
      "..%2f..%2fpackage.json",
      "assets/../../package.json",
      "assets%2Findex-a1.js%00",
      "constructor",
      "__proto__",
    ]) {
      const response = await get(`/console/${name}`)
      assert.equal(response.status, 404, name)
    }
    assert.equal((await get("/", { method: "POST" })).status, 405)
    assert.deepEqual(reads, [])
  })

  it("are nowhere where a host passes none", async () => {
    for (const files of [undefined, {}]) {
      const { get } = open(files)
      const answers = await Promise.all([get("/"), get("/console/assets/index-a1.js")])
      for (const { status } of answers) assert.equal(status, 404)
    }
  })
})
