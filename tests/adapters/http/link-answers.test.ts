/**
 * What is answered through a good private link, and what browsers of other origins are told
 * (http-decisions §5, §6): every status that such a link may meet.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it } from "node:test"
import { outside } from "./fake-service.ts"
import {
  assertOpens,
  BYTES,
  CONTENT,
  LINKS,
  makePath,
  openLinkWorld,
  readAnswer,
  TASK,
  toToken,
} from "./link-world.ts"
import { WORLDS, type Call } from "./worlds.ts"

const ETAG = `"${createHash("sha256").update(BYTES).digest("hex")}"`

for (const kind of WORLDS) {
  describe(`an answer through a link, ${kind}`, () => {
    it("has the headers of content, for every origin, and no longer than the link", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world, `${LINKS}?expires_in=90`)
      await world.clock.advance(500)
      const { headers } = await readAnswer(world.bare(path))
      assert.deepEqual(headers, {
        "accept-ranges": "bytes",
        ...OPEN_TO_ALL,
        "cache-control": "private, max-age=89, must-revalidate, no-transform",
        "content-disposition": 'inline; filename="image_1.png"',
        "content-length": "1000",
        "content-security-policy": "sandbox; default-src 'none'",
        "content-type": "image/png",
        "cross-origin-resource-policy": "cross-origin",
        etag: ETAG,
        "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT",
        "referrer-policy": "no-referrer",
        "repr-digest": headers["repr-digest"],
        vary: "Authorization",
        "x-content-type-options": "nosniff",
      })
    })

    for (const [name, sent, status, more] of [
      ["a range", { range: "bytes=0-9" }, 206, { "content-range": "bytes 0-9/1000" }],
      ["several ranges", { range: "bytes=0-0,-1" }, 206, {}],
      ["a copy that is good", { "if-none-match": ETAG }, 304, { etag: ETAG }],
      ["a false precondition", { "if-match": '"x"' }, 412, { "cache-control": "no-store" }],
      [
        "a range behind the end",
        { range: "bytes=1000-" },
        416,
        { "content-range": "bytes */1000" },
      ],
    ] as const) {
      it(`is ${status} for ${name}, and every origin may read it`, async () => {
        await using world = await openLinkWorld(kind)
        const answer = await readAnswer(world.bare(await makePath(world), { headers: sent }))
        assert.equal(answer.status, status)
        for (const [header, value] of Object.entries({ ...OPEN_TO_ALL, ...more })) {
          assert.equal(answer.headers[header], value, header)
        }
        assert.equal(answer.headers["access-control-allow-credentials"], undefined)
      })
    }

    it("is 503 while a storage is down, whichever it is, and opens afterwards", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      await world.clock.advance(1_000)
      for (const [part, code] of [
        [world.links, "storage-unavailable"],
        [world.fake, "storage-unavailable"],
        [world.fake, "artifacts-unavailable"],
      ] as const) {
        part.fail(outside(code))
        const { status, headers, body } = await readAnswer(world.bare(path))
        part.fail(undefined)
        assert.equal(status, 503, body)
        assert.match(body, /"code":"service_unavailable"|"code":"storage_unavailable"/)
        assert.equal(headers["retry-after"], "5")
        assert.equal(headers["access-control-allow-origin"], "*")
        await assertOpens(world, path)
      }
    })

    it("is the one 404 where the task is damaged, and no error in the log", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      world.fake.fail(outside("storage-corrupt"))
      const { status, body } = await readAnswer(world.bare(path))
      assert.deepEqual([status, /"code":"not_found"/.test(body)], [404, true])
      assert.deepEqual(world.logged, [])
    })

    it("tells nothing of a bug but the request's id", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      world.fake.fail(new Error("a bug"))
      const { status, body } = await readAnswer(world.bare(path))
      assert.equal(status, 500)
      assert.doesNotMatch(body, /bug|access/)
    })

    it("answers a preflight with what a player asks for, whether or not the link is good", async () => {
      await using world = await openLinkWorld(kind)
      for (const path of [await makePath(world), `${CONTENT}?access=`]) {
        const { status, headers, body } = await readAnswer(world.bare(path, PREFLIGHT))
        assert.deepEqual([status, body], [204, ""])
        assert.deepEqual(headers, {
          allow: "GET, HEAD, OPTIONS",
          "cache-control": "no-store",
          ...OPEN_TO_ALL,
          "access-control-allow-headers":
            "Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since",
          "access-control-allow-methods": "GET, HEAD",
          "access-control-max-age": "7200",
        })
      }
    })

    it("is readable where a method is refused, and says nothing of origins elsewhere", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      const refused = await readAnswer(world.bare(path, { method: "DELETE" }))
      assert.equal(refused.headers["access-control-allow-origin"], "*")
      for (const other of [LINKS, `${TASK}/artifacts`, "/healthz"]) {
        const asked = `${other}?access=${toToken(path)}`
        for (const method of ["GET", "OPTIONS"]) {
          const { headers } = await readAnswer(world.bare(asked, { method }))
          assert.equal(headers["access-control-allow-origin"], undefined, `${method} ${other}`)
        }
      }
    })
  })
}

const OPEN_TO_ALL = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Content-Range, Content-Length, Accept-Ranges, ETag, Repr-Digest",
}

const PREFLIGHT: Call = {
  method: "OPTIONS",
  headers: {
    origin: "https://player.example",
    "access-control-request-method": "GET",
    "access-control-request-headers": "range",
  },
}
