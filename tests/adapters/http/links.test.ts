/**
 * Private links as they are used (http-decisions §6): what opens, and the one answer of everything
 * that does not. Making them is tested in artifact-links.test.ts, what ends them in
 * tests/access/links.test.ts, and what a good one may meet in link-answers.test.ts.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { putArtifact, taskId, toTask } from "./fake-service.ts"
import {
  assertNothing,
  assertOpens,
  BYTES,
  CONTENT,
  DAY,
  forge,
  KEY,
  LINKS,
  makePath,
  openLinkWorld,
  readAnswer,
  START,
  TASK,
  toToken,
} from "./link-world.ts"
import { WORLDS } from "./worlds.ts"

/** Addresses that open nothing, from a link that does. */
const BAD: readonly (readonly [name: string, bad: (good: string) => string])[] = [
  ["an empty access", () => `${CONTENT}?access=`],
  ["an access without a value", () => `${CONTENT}?access`],
  ["a malformed token", () => `${CONTENT}?access=v1`],
  ["two good tokens", (good) => `${good}&access=${toToken(good)}`],
  ["a good token behind an empty one", (good) => good.replace("?", "?access=&")],
  ["a token that was cut", (good) => good.slice(0, -1)],
  ["a token with something behind it", (good) => `${good}A`],
  ["a token with a space before it", (good) => good.replace("access=", "access=+")],
  ["another MAC", (good) => good.replace(/.{43}$/, "A".repeat(43))],
  ["another end", (good) => good.replace(`.${START + DAY}.`, `.${START + DAY + 1}.`)],
  ["another epoch", (good) => good.replace(/\.0\.(?=.{43}$)/, ".1.")],
  ["another key's name", (good) => good.replace(/v1\.\w{8}/, "v1.00000000")],
  ["the link of another task", (good) => good.replace(taskId(1), taskId(2))],
  ["the link of another artifact", (good) => good.replace("image_1", "image_2")],
  ["an unknown task", (good) => good.replace(taskId(1), taskId(404))],
  ["a malformed task id", (good) => good.replace(taskId(1), "x%00y")],
  ["an unknown artifact", (good) => good.replace("image_1", "image_9")],
  ["a malformed artifact key", (good) => good.replace("image_1", "%00")],
  ["another account", () => `${CONTENT}?access=${forge({ account: "account-b" })}`],
  ["another secret", () => `${CONTENT}?access=${forge({ secret: "00".repeat(32) })}`],
  ["an end that has come", () => `${CONTENT}?access=${forge({ exp: START })}`],
  ["an epoch before it counts", () => `${CONTENT}?access=${forge({ epoch: 1 })}`],
]

for (const kind of WORLDS) {
  describe(`a private link, ${kind}`, () => {
    it("opens the artifact by GET and HEAD, without a key", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      await assertOpens(world, path)
      const { status, headers, body } = await readAnswer(world.bare(path, { method: "HEAD" }))
      assert.deepEqual([status, headers["content-length"], body], [200, "1000", ""])
    })

    it("opens what the service signed, and what is signed as it signs", async () => {
      await using world = await openLinkWorld(kind)
      await world.storage.addLinkKey(KEY)
      await assertOpens(world, `${CONTENT}?access=${forge()}`)
      // A query means the same however it is written.
      await assertOpens(world, `${CONTENT}?a=b&%61ccess=${forge().replaceAll(".", "%2E")}`)
    })

    for (const [name, toBad] of BAD) {
      it(`opens nothing with ${name}, like all others, a good key beside it or not`, async () => {
        await using world = await openLinkWorld(kind)
        putArtifact(world.fake, BYTES, { id: taskId(2) })
        const good = await makePath(world)
        await world.storage.addLinkKey(KEY)
        const bad = toBad(good)
        assert.notEqual(bad, good)
        const authorization = `Bearer ${world.key}`
        for (const method of ["GET", "HEAD"]) {
          await assertNothing(world, bad, { method })
          await assertNothing(world, bad, { method, headers: { authorization } })
          // Conditions count only where there is something.
          await assertNothing(world, bad, { method, headers: { "if-match": '"other"' } })
          await assertNothing(world, bad, { method, headers: { range: "bytes=5000-" } })
        }
        await assertOpens(world, good)
        assert.deepEqual(world.logged, [])
      })
    }

    it("opens nothing of an unfinished or a failed task", async () => {
      await using world = await openLinkWorld(kind)
      await world.storage.addLinkKey(KEY)
      for (const state of ["queued", "running", "failed"] as const) {
        world.fake.put(toTask(taskId(7), { state }))
        const token = forge({ task: taskId(7) })
        await assertNothing(
          world,
          `/v1/tasks/${taskId(7)}/artifacts/image_1/content?access=${token}`,
        )
      }
    })

    it("ends when it says so, to the second", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world, `${LINKS}?expires_in=60`)
      await world.clock.advance(59_999)
      await assertOpens(world, path)
      await world.clock.advance(1)
      await assertNothing(world, path)
    })

    it("ends when the artifact does, whatever it says", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      putArtifact(world.fake, BYTES, { expiresAt: START * 1_000 + 500 })
      await world.clock.advance(499)
      await assertOpens(world, path)
      await world.clock.advance(1)
      await assertNothing(world, path)
    })

    it("is 503 where the bytes are missing before their time, and the log hears of it", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      world.fake.bytes.clear()
      for (const headers of [{}, { range: "bytes=0-1" }]) {
        const { status, body } = await readAnswer(world.bare(path, { headers }))
        assert.equal(status, 503)
        assert.match(body, /"code":"storage_unavailable"/)
      }
      const words = "artifact missing"
      const logged = world.logged.filter(({ message }) => message === words)
      assert.deepEqual(
        logged.map(({ level }) => level),
        ["error", "error"],
      )
    })

    it("stands in line with a few others until its MAC is checked, and is 503 past a bound", async () => {
      const accessSettings = { lookupsAtOnce: 1, lookupsWaiting: 1 }
      await using world = await openLinkWorld(kind, { accessSettings })
      const path = await makePath(world)
      const { service } = world.fake
      const findLinked = service.findLinked.bind(service)
      const going = Promise.withResolvers<void>()
      let asked = 0
      service.findLinked = async (id) => {
        asked += 1
        await going.promise
        return findLinked(id)
      }
      const answers = [1, 2, 3].map(() => readAnswer(world.bare(path)))
      assert.equal((await Promise.race(answers)).status, 503)
      assert.equal(asked, 1)
      going.resolve()
      const statuses = (await Promise.all(answers)).map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 200).length, 2)
    })

    it("stands in no line once it was opened, however many others wait", async () => {
      const accessSettings = { lookupsAtOnce: 1, lookupsWaiting: 1 }
      await using world = await openLinkWorld(kind, { accessSettings })
      const path = await makePath(world)
      assert.equal((await readAnswer(world.bare(path))).status, 200)
      const { service } = world.fake
      const findLinked = service.findLinked.bind(service)
      const going = Promise.withResolvers<void>()
      service.findLinked = async (id) => {
        await going.promise
        return findLinked(id)
      }
      // Both digits are ones that a MAC may end with: a token that does not parse is never looked up.
      const forged = path.replace(/.$/, (last) => (last === "A" ? "E" : "A"))
      const strangers = [1, 2, 3].map(() => readAnswer(world.bare(forged)))
      assert.equal((await Promise.race(strangers)).status, 503)
      service.findLinked = findLinked
      assert.equal((await readAnswer(world.bare(path))).status, 200)
      going.resolve()
      await Promise.all(strangers)
    })

    it("counts against its account's rate for content, where it opens something", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      const content = { requests: 2, windowMs: 60_000 }
      world.accounts.set({ rates: { create: null, read: null, content } })
      for (const bad of [`${CONTENT}?access=`, path.slice(0, -1), path.slice(0, -1)]) {
        await assertNothing(world, bad)
      }
      for (const left of [1, 0]) {
        const { status, headers } = await readAnswer(world.bare(path))
        assert.equal(status, 200)
        assert.equal(headers["ratelimit-policy"], '"content";q=2;w=60')
        assert.match(headers["ratelimit"] ?? "", new RegExp(`^"content";r=${left};t=\\d+$`))
      }
      const { status, headers, body } = await readAnswer(world.bare(path))
      assert.equal(status, 429)
      assert.match(body, /"code":"rate_limit_exceeded"/)
      assert.equal(headers["retry-after"], "30")
      assert.equal(headers["access-control-allow-origin"], "*")
      await assertNothing(world, path.slice(0, -1))
      await world.clock.advance(30_000)
      await assertOpens(world, path)
    })

    it("opens nothing while its account is suspended, and everything afterwards", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      world.accounts.set({ suspendedAt: 1 })
      await assertNothing(world, path)
      world.accounts.set({ suspendedAt: 0 })
      await assertOpens(world, path)
    })

    it("opens that artifact's content alone, and by GET and HEAD alone", async () => {
      await using world = await openLinkWorld(kind)
      const token = toToken(await makePath(world))
      for (const [path, method, status] of [
        [TASK, "GET", 401],
        [`${TASK}/artifacts`, "GET", 401],
        ["/v1/tasks", "GET", 401],
        [LINKS, "POST", 401],
        [LINKS, "DELETE", 401],
        [CONTENT, "DELETE", 405],
        [CONTENT, "POST", 405],
      ] as const) {
        const response = await readAnswer(world.bare(`${path}?access=${token}`, { method }))
        assert.equal(response.status, status, `${method} ${path}`)
      }
    })

    it("leaves what is asked by key as it is", async () => {
      await using world = await openLinkWorld(kind)
      const { status, headers } = await readAnswer(world.call(`${CONTENT}?other=1`))
      assert.equal(status, 200)
      assert.equal(headers["cross-origin-resource-policy"], "same-site")
      assert.equal(headers["access-control-allow-origin"], undefined)
      // Behind a # nothing is a query, wherever it gets through.
      assert.equal((await readAnswer(world.call(`${CONTENT}#?access=`))).status, 200)
      const { headers: allowed } = await readAnswer(world.bare(CONTENT, { method: "OPTIONS" }))
      assert.deepEqual(allowed, { allow: "GET, HEAD, OPTIONS", "cache-control": "no-store" })
    })
  })
}
