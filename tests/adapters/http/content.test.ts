/** Artifact bytes: the headers of http-decisions §5 and each row of its table, in both worlds. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it } from "node:test"
import { taskId } from "./fake-service.ts"
import { createWorld, WORLDS, type Call } from "./worlds.ts"
import { putArtifact } from "./fake-service.ts"

const BYTES = Uint8Array.from({ length: 1000 }, (_, index) => index % 251)
const SHA256 = createHash("sha256").update(BYTES)
const DIGEST = SHA256.copy().digest("base64")
const ETAG = `"${SHA256.copy().digest("hex")}"`
const PATH = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`
const MODIFIED = "Thu, 01 Jan 2026 00:00:00 GMT"

/** By the table: what the client gets, `start-end`. */
const ROWS: readonly [range: string, status: number, sent?: string][] = [
  ["bytes=0-0", 206, "0-0"],
  ["bytes=0-499", 206, "0-499"],
  ["bytes=990-", 206, "990-999"],
  ["bytes=-10", 206, "990-999"],
  ["bytes=990-1990", 206, "990-999"],
  ["bytes=0-99999999999999999999", 206, "0-999"],
  ["bytes=-1500", 206, "0-999"],
  ["BYTES=0-1", 206, "0-1"],
  ["bytes=0-9,5000-", 206, "0-9"],
  ["bytes=-0", 416],
  ["bytes=1000-", 416],
  ["bytes=99999999999999999999-", 416],
  ["bytes=5-4", 200],
  ["bytes=0-2,5-4", 200],
  ["bytes=abc", 200],
  ["bytes=", 200],
  ["bytes=--5", 200],
  ["bytes=0x1-2", 200],
  ["bytes 0-1", 200],
  ["bytes=0-1 2-3", 200],
  ["bytes=,,,", 200],
  ["lines=0-1", 200],
  [`bytes=${"0-0,".repeat(51)}`, 200],
  ["bytes=0-999,0-0", 200],
  ["bytes=0-9,5-14,8-20", 200],
]

for (const kind of WORLDS) {
  describe(`content, ${kind}`, () => {
    it("sends the whole with every header of the decisions", async () => {
      await using world = await open(kind)
      const { headers, body } = await fetchBytes(world.call, {})
      assert.deepEqual(body, BYTES)
      const { "x-request-id": id, date, connection, "keep-alive": alive, ...rest } = headers
      assert.match(id ?? "", /^req_/)
      assert.deepEqual([date, connection, alive].includes(""), false)
      assert.deepEqual(rest, {
        "accept-ranges": "bytes",
        "cache-control": "private, max-age=3600, must-revalidate, no-transform",
        "content-disposition": 'inline; filename="image_1.png"',
        "content-length": "1000",
        "content-security-policy": "sandbox; default-src 'none'",
        "content-type": "image/png",
        "cross-origin-resource-policy": "same-site",
        etag: ETAG,
        "last-modified": MODIFIED,
        "referrer-policy": "no-referrer",
        "repr-digest": `sha-256=:${DIGEST}:`,
        vary: "Authorization",
        "x-content-type-options": "nosniff",
      })
    })

    for (const [range, status, sent] of ROWS) {
      it(`answers ${range.slice(0, 40)} with ${status} ${sent ?? ""}`, async () => {
        await using world = await open(kind)
        const { headers, body, ...got } = await fetchBytes(world.call, { range })
        assert.equal(got.status, status)
        if (status === 416) {
          assert.equal(headers["content-range"], "bytes */1000")
          return
        }
        const [start = 0, end = 999] = sent?.split("-").map(Number) ?? []
        assert.deepEqual(body, BYTES.subarray(start, end + 1))
        assert.equal(headers["content-length"], String(body.length))
        assert.equal(headers["content-range"], sent && `bytes ${sent}/1000`)
        assert.equal(headers["repr-digest"], `sha-256=:${DIGEST}:`)
      })
    }

    for (const [range, parts] of [
      ["bytes=0-0,-1", ["0-0", "999-999"]],
      ["bytes=0-9,-10,100000-,10-19", ["0-19", "990-999"]],
      ["bytes=-10,200-209,0-9", ["990-999", "200-209", "0-9"]],
    ] as const) {
      it(`answers ${range} with the parts ${parts.join(" and ")}, one reader at a time`, async () => {
        await using world = await open(kind)
        world.fake.reader.maxReadBytes = 7
        let mostOpen = 0
        world.fake.reader.beforeRead = () => {
          mostOpen = Math.max(mostOpen, world.fake.openReaders())
        }
        const { status, headers, body } = await fetchBytes(world.call, { range })
        assert.equal(status, 206)
        const type = /^multipart\/byteranges; boundary=([0-9a-f]{16,70})$/
        const [, boundary = ""] = type.exec(headers["content-type"] ?? "") ?? []
        const expected = parts.map((part) => {
          const [start = 0, end = 0] = part.split("-").map(Number)
          const head = `--${boundary}\r\nContent-Type: image/png\r\nContent-Range: bytes ${part}/1000\r\n\r\n`
          return `${head}${Buffer.from(BYTES.subarray(start, end + 1)).toString("latin1")}\r\n`
        })
        const text = Buffer.from(body).toString("latin1")
        assert.equal(text, `${expected.join("")}--${boundary}--\r\n`)
        assert.equal(headers["content-length"], String(body.length))
        assert.equal(headers["content-range"], undefined)
        assert.deepEqual([mostOpen, world.fake.openReaders()], [1, 0])
      })
    }

    it("answers HEAD with a Range as if there were none", async () => {
      await using world = await open(kind)
      const call = { method: "HEAD", headers: { range: "bytes=0-0" } }
      const response = await world.call(PATH, call)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get("content-length"), "1000")
      assert.equal(world.fake.openReaders(), 0)
    })

    it("answers a copy still good with 304 and its validators", async () => {
      await using world = await open(kind)
      for (const name of ["if-none-match", "if-modified-since"]) {
        const given = name === "if-none-match" ? `W/${ETAG}` : MODIFIED
        const { status, headers, body } = await fetchBytes(world.call, { [name]: given })
        assert.equal(status, 304)
        assert.equal(body.length, 0)
        assert.equal(headers["etag"], ETAG)
        assert.equal(headers["last-modified"], MODIFIED)
        assert.match(headers["cache-control"] ?? "", /^private, max-age=3600/)
        assert.equal(headers["vary"], "Authorization")
        assert.equal(headers["content-type"], undefined)
      }
      assert.equal(world.fake.openReaders(), 0)
    })

    it("opens nothing for 304, 412, 416 and HEAD, which are answered alike once the bytes are gone", async () => {
      await using world = await open(kind)
      const calls: readonly [status: number, call: Call][] = [
        [304, { headers: { "if-none-match": ETAG } }],
        [304, { headers: { "if-modified-since": MODIFIED } }],
        [304, { method: "HEAD", headers: { "if-none-match": ETAG } }],
        [412, { headers: { "if-match": '"another"' } }],
        [416, { headers: { range: "bytes=1000-" } }],
        [200, { method: "HEAD" }],
      ]
      for (const change of [() => {}, () => world.fake.bytes.clear()]) {
        change()
        for (const [status, call] of calls) {
          const response = await world.call(PATH, call)
          assert.equal(response.status, status)
          assert.equal(response.headers.get("etag"), status < 400 ? ETAG : null)
          if (status === 200) assert.equal(response.headers.get("content-length"), "1000")
          await response.arrayBuffer()
        }
      }
      assert.deepEqual(world.fake.opened, [])
      assert.deepEqual(world.logged, [])
    })

    it("goes on with a range where If-Range still holds, and starts over where not", async () => {
      await using world = await open(kind)
      const range = "bytes=5-6"
      assert.equal((await fetchBytes(world.call, { range, "if-range": ETAG })).status, 206)
      assert.equal((await fetchBytes(world.call, { range, "if-range": MODIFIED })).status, 206)
      assert.equal((await fetchBytes(world.call, { range, "if-range": '"x"' })).status, 200)
    })

    it("lets nobody keep a copy past the expiry", async () => {
      await using world = await open(kind)
      putArtifact(world.fake, BYTES, { expiresAt: world.clock.now() + 90_999 })
      const { headers } = await fetchBytes(world.call, {})
      assert.match(headers["cache-control"] ?? "", /max-age=90,/)
    })

    it("names no type that is not on its list", async () => {
      await using world = await open(kind)
      putArtifact(world.fake, BYTES, { mimeType: "text/html" })
      const { headers } = await fetchBytes(world.call, {})
      assert.equal(headers["content-type"], "application/octet-stream")
      assert.equal(headers["content-disposition"], 'inline; filename="image_1.bin"')
    })

    const served = [
      ["audio", "audio/mpeg", "audio/mpeg", 'inline; filename="audio.mp3"'],
      ["audio", "audio/ogg; codecs=opus", "audio/ogg", 'inline; filename="audio.ogg"'],
      ["text", "text/plain", "text/plain; charset=utf-8", 'inline; filename="text.txt"'],
      ["text", "application/json", "text/plain; charset=utf-8", 'inline; filename="text.json"'],
      ["text", "text/html", "text/plain; charset=utf-8", 'inline; filename="text.bin"'],
      ["image", "text/plain", "application/octet-stream", 'inline; filename="image.bin"'],
      ["3d", "model/gltf-binary", "model/gltf-binary", 'attachment; filename="3d.glb"'],
      ["3d", "text/html", "application/octet-stream", 'attachment; filename="3d.bin"'],
    ] as const
    for (const [type, mimeType, sent, disposition] of served) {
      it(`sends ${type} of type ${mimeType} so that no browser runs it`, async () => {
        await using world = await open(kind)
        putArtifact(world.fake, BYTES, { key: type, mimeType, type })
        const path = PATH.replace("image_1", type)
        const response = await world.call(path, { headers: {} })
        await response.arrayBuffer()
        assert.equal(response.headers.get("content-type"), sent)
        assert.equal(response.headers.get("content-disposition"), disposition)
        assert.equal(response.headers.get("x-content-type-options"), "nosniff")
        assert.match(response.headers.get("content-security-policy") ?? "", /^sandbox;/)
        const parts = await world.call(path, { headers: { range: "bytes=0-1,900-901" } })
        assert.ok((await parts.text()).includes(`\r\nContent-Type: ${sent}\r\n`))
      })
    }

    it("sends an empty artifact", async () => {
      await using world = await open(kind)
      putArtifact(world.fake, new Uint8Array(0))
      const { status, headers, body } = await fetchBytes(world.call, {})
      assert.deepEqual([status, headers["content-length"], body.length], [200, "0", 0])
      assert.equal(world.fake.openReaders(), 0)
    })

    it("sends millions of bytes in order, whatever a read yields", async () => {
      await using world = await open(kind)
      const large = Buffer.alloc(11_000_003, BYTES)
      putArtifact(world.fake, large)
      world.fake.reader.maxReadBytes = 100_001
      const { body } = await fetchBytes(world.call, {})
      assert.ok(Buffer.from(body).equals(large))
      assert.equal(world.fake.openReaders(), 0)
    })
  })
}

async function open(kind: (typeof WORLDS)[number]) {
  const world = await createWorld(kind)
  putArtifact(world.fake, BYTES)
  return { ...world, [Symbol.asyncDispose]: world.close }
}

async function fetchBytes(
  call: (path: string, call: Call) => Promise<Response>,
  sent: Record<string, string>,
) {
  const response = await call(PATH, { headers: sent })
  const body = new Uint8Array(await response.arrayBuffer())
  const headers: Record<string, string> = Object.fromEntries(response.headers)
  return { status: response.status, headers, body }
}
