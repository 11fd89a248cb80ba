/**
 * What the decisions say of content beyond single answers (http-decisions §5): a transfer outlives
 * its artifact's expiry, and whatever sends bytes says the same of them.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { putArtifact, taskId, toTask } from "../../adapters/http/fake-service.ts"
import { createWorld, WORLDS, type World } from "../../adapters/http/worlds.ts"
import { createRawClient } from "../../support/raw-client.ts"

const BYTES = Uint8Array.from({ length: 1000 }, (_, index) => index % 251)
const PATH = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`
/** What an answer has of its own, and what its connection has. */
const OWN = [
  "content-length",
  "content-range",
  "content-type",
  "x-request-id",
  "date",
  "connection",
  "keep-alive",
]

for (const kind of WORLDS) {
  describe(`a transfer, ${kind}`, () => {
    for (const [name, range, status] of [
      ["whole", undefined, 200],
      ["a range", "bytes=0-899", 206],
      ["several ranges", "bytes=0-399,-400", 206],
    ] as const) {
      it(`that began goes on when its artifact expires, and none begins then: ${name}`, async () => {
        await using world = await createWorld(kind)
        const expiresAt = world.clock.now() + 1_000
        putArtifact(world.fake, BYTES, { expiresAt })
        world.fake.reader.maxReadBytes = 100
        let reads = 0
        world.fake.reader.beforeRead = async () => {
          reads += 1
          if (reads === 2) await world.clock.advance(1_000)
        }
        const headers = range === undefined ? {} : { range }
        const response = await world.call(PATH, { headers })
        assert.equal(response.status, status)
        const length = Number(response.headers.get("content-length"))
        assert.equal((await response.arrayBuffer()).byteLength, length)
        assert.ok(reads > 2, `${reads} reads`)
        assert.equal(world.clock.now(), expiresAt)
        assert.equal((await world.call(PATH, { headers })).status, 410)
        assert.deepEqual([world.fake.openReaders(), world.logged], [0, []])
      })
    }
  })

  describe(`the headers of content, ${kind}`, () => {
    it("are the same on a range, on several and on HEAD as on the whole", async () => {
      await using world = await createWorld(kind)
      putArtifact(world.fake, BYTES)
      const [whole, ...others] = await Promise.all([
        readHeaders(world, "GET", {}),
        readHeaders(world, "GET", { range: "bytes=0-9" }),
        readHeaders(world, "GET", { range: "bytes=0-0,-1" }),
        readHeaders(world, "HEAD", {}),
      ])
      assert.equal(whole?.["last-modified"], "Thu, 01 Jan 2026 00:00:00 GMT")
      for (const other of others) assert.deepEqual(other, whole)
    })

    it("name no coding, whatever the client would take", async () => {
      await using world = await createWorld(kind)
      putArtifact(world.fake, Buffer.alloc(5_000, "a"))
      const headers = { "accept-encoding": "gzip, br, zstd, *" }
      const response = await world.call(PATH, { headers })
      assert.equal(response.headers.get("content-encoding"), null)
      assert.equal(response.headers.get("content-length"), "5000")
      assert.equal((await response.arrayBuffer()).byteLength, 5_000)
    })

    for (const [mimeType, key, name] of [
      ["image/jpeg", "image_2", "image_2.jpg"],
      ["image/webp", "image_3", "image_3.webp"],
      ["video/mp4", "video", "video.mp4"],
    ] as const) {
      it(`name ${mimeType} as it is, and the file ${name}`, async () => {
        await using world = await createWorld(kind)
        putArtifact(world.fake, BYTES, { key, mimeType })
        const { headers } = await world.call(PATH.replace("image_1", key))
        assert.equal(headers.get("content-type"), mimeType)
        assert.equal(headers.get("content-disposition"), `inline; filename="${name}"`)
      })
    }
  })

  describe(`several ranges, ${kind}`, () => {
    it("have a boundary of their own in each answer", async () => {
      await using world = await createWorld(kind)
      putArtifact(world.fake, BYTES)
      const call = { headers: { range: "bytes=0-0,-1" } }
      const responses = await Promise.all(Array.from({ length: 8 }, () => world.call(PATH, call)))
      const types = responses.map(({ headers }) => headers.get("content-type") ?? "")
      for (const type of types) {
        assert.match(type, /^multipart\/byteranges; boundary=[0-9a-f]{16,}$/)
      }
      assert.equal(new Set(types).size, types.length)
    })
  })

  describe(`an artifact's key, ${kind}`, () => {
    it("is encoded in the address, and read back from it", async () => {
      await using world = await createWorld(kind)
      for (const key of ["ä b", "50%", "a/b", "?access=v1", "💡"]) {
        putArtifact(world.fake, BYTES, { key })
        const listed = await world.call(`/v1/tasks/${taskId(1)}/artifacts`)
        const { artifacts } = (await listed.json()) as { artifacts: [{ content_url: string }] }
        const path = artifacts[0].content_url.slice("https://media.example".length)
        assert.match(path, /^[\w./%-]+$/)
        assert.equal((await world.call(path)).status, 200, key)
      }
    })
  })

  describe(`content, ${kind}`, () => {
    it("is asked who calls first, then what there is, then whether it is there still", async () => {
      await using world = await createWorld(kind)
      const wrong = world.keys.add({ scopes: ["tasks:read"] })
      const conditions = { "if-none-match": "*", "if-match": '"other"', range: "bytes=5000-" }
      async function status(authorization: string): Promise<number> {
        return (await world.bare(PATH, { headers: { ...conditions, authorization } })).status
      }
      const statuses: number[] = []
      for (const prepare of [
        () => {},
        () => world.fake.put(toTask(taskId(1))),
        () => putArtifact(world.fake, BYTES, { expiresAt: 1 }),
        () => putArtifact(world.fake, BYTES),
      ]) {
        prepare()
        const refused = [await status(""), await status(`Bearer ${wrong}`)]
        assert.deepEqual(refused, [401, 403])
        statuses.push(await status(`Bearer ${world.key}`))
      }
      assert.deepEqual(statuses, [404, 409, 410, 412])
    })
  })
}

describe("a 304 on the wire", () => {
  it("carries Date, ETag, Cache-Control and Vary, and no body", async () => {
    await using world = await createWorld("over a socket")
    putArtifact(world.fake, BYTES)
    const client = createRawClient(world.server?.url ?? "")
    const lines = [`Authorization: Bearer ${world.key}`, "If-None-Match: *", "Connection: close"]
    client.send(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n${lines.join("\r\n")}\r\n\r\n`)
    const text = await client.ended()
    assert.match(text, /^HTTP\/1\.1 304 [^]*\r\n\r\n$/)
    for (const name of ["Date", "ETag", "Cache-Control", "Vary"]) {
      assert.match(text, new RegExp(`\r\n${name}: \\S`, "i"))
    }
  })
})

async function readHeaders(
  world: World,
  method: string,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
  const response = await world.call(PATH, { method, headers })
  await response.arrayBuffer()
  const all = Object.fromEntries(response.headers)
  for (const name of OWN) delete all[name]
  return all
}
