/**
 * Making private links and revoking them (http-decisions §6), and listings whose addresses are
 * links. How links are used is tested in links.test.ts.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { outside, putArtifact, taskId, toTask } from "./fake-service.ts"
import {
  assertNothing,
  assertOpens,
  BYTES,
  CONTENT,
  DAY,
  LINKS,
  makeLink,
  openLinkWorld,
  readAnswer,
  START,
  TASK,
  toPath,
  type LinkWorld,
} from "./link-world.ts"
import { WORLDS, type Call } from "./worlds.ts"

const POST: Call = { method: "POST" }
const DELETE: Call = { method: "DELETE" }
const ADDRESS = `https://media.example${CONTENT}`

interface Listed {
  readonly content_url: string
  readonly expires_at?: number
}

async function list(world: LinkWorld): Promise<Listed> {
  const response = await world.call(`${TASK}/artifacts`)
  const { artifacts } = (await response.json()) as { artifacts: [Listed] }
  return artifacts[0]
}

async function readCode(response: Promise<Response>): Promise<string> {
  const { status, body } = await readAnswer(response)
  const { error } = JSON.parse(body) as { error: { code: string; param?: string } }
  return `${status} ${error.code}${error.param === undefined ? "" : ` ${error.param}`}`
}

for (const kind of WORLDS) {
  describe(`a new link, ${kind}`, () => {
    it("is 201 with its address, built from the public URL, and its end", async () => {
      await using world = await openLinkWorld(kind)
      const { status, headers, body } = await readAnswer(world.call(LINKS, POST))
      assert.equal(status, 201)
      assert.equal(headers["cache-control"], "no-store")
      const { url, ...rest } = JSON.parse(body) as { url: string }
      assert.deepEqual(rest, { expires_at: START + DAY })
      const token = url.slice(`${ADDRESS}?access=`.length)
      assert.equal(url, `${ADDRESS}?access=${token}`)
      assert.match(token, new RegExp(`^v1\\.[0-9A-Za-z]{8}\\.${START + DAY}\\.0\\.[\\w-]{43}$`))
    })

    for (const [query, seconds] of [
      ["", DAY],
      ["?expires_in=1", 1],
      ["?expires_in=90", 90],
      ["?expires_in=604800", 3 * DAY],
    ] as const) {
      it(`lasts ${seconds} s with ${query || "no expires_in"}, and no longer than the artifact`, async () => {
        await using world = await openLinkWorld(kind)
        const link = await makeLink(world, `${LINKS}${query}`)
        assert.equal(link.expires_at, START + seconds)
        await assertOpens(world, toPath(link.url))
        await world.clock.advance(seconds * 1_000)
        await assertNothing(world, toPath(link.url))
      })
    }

    it("counts from whole seconds, floored, and never ends behind the artifact's own", async () => {
      await using world = await openLinkWorld(kind)
      await world.clock.advance(900)
      assert.equal((await makeLink(world, `${LINKS}?expires_in=60`)).expires_at, START + 60)
      putArtifact(world.fake, BYTES, { expiresAt: (START + 10) * 1_000 + 999 })
      assert.equal((await makeLink(world)).expires_at, START + 10)
    })

    it("is 410 where it could open nothing any more: at the end, and in the last second", async () => {
      await using world = await openLinkWorld(kind)
      putArtifact(world.fake, BYTES, { expiresAt: (START + 10) * 1_000 + 999 })
      await world.clock.advance(9_999)
      assert.equal((await makeLink(world)).expires_at, START + 10)
      await world.clock.advance(1)
      assert.equal(await readCode(world.call(LINKS, POST)), "410 artifact_expired")
      await world.clock.advance(999)
      assert.equal(await readCode(world.call(LINKS, POST)), "410 artifact_expired")
    })

    for (const [query, code] of [
      ["?expires_in=0", "400 integer_below_min_value expires_in"],
      ["?expires_in=-5", "400 integer_below_min_value expires_in"],
      ["?expires_in=604801", "400 integer_above_max_value expires_in"],
      [`?expires_in=${"9".repeat(400)}`, "400 integer_above_max_value expires_in"],
      ["?expires_in=1.5", "400 invalid_type expires_in"],
      ["?expires_in=1d", "400 invalid_type expires_in"],
      ["?expires_in=", "400 invalid_type expires_in"],
      ["?expires_in=60&expires_in=60", "400 unknown_parameter expires_in"],
      ["?expires=60", "400 unknown_parameter expires"],
      ["?access=v1", "400 unknown_parameter access"],
    ] as const) {
      it(`is refused with ${query.slice(0, 40)}`, async () => {
        await using world = await openLinkWorld(kind)
        assert.equal(await readCode(world.call(`${LINKS}${query}`, POST)), code)
        assert.equal(world.links.reads(), 0)
      })
    }

    it("is refused with a body, which says where expires_in goes", async () => {
      await using world = await openLinkWorld(kind)
      const body = '{"expires_in":60}'
      for (const headers of [{}, { "content-type": "application/json" }]) {
        const answer = await readAnswer(world.call(LINKS, { ...POST, body, headers }))
        assert.equal(answer.status, 400)
        assert.match(answer.body, /put expires_in into the query.*"code":"unknown_parameter"/)
      }
      assert.equal(await readCode(world.call(LINKS, { ...DELETE, body })), "400 unknown_parameter")
      assert.equal(world.links.reads(), 0)
    })

    it("is for artifacts of the account's own finished tasks", async () => {
      await using world = await openLinkWorld(kind)
      putArtifact(world.fake, BYTES, { id: taskId(2), account: "account-b" })
      for (const id of [3, 4, 5]) {
        const state = (["queued", "running", "failed"] as const)[id - 3] ?? "queued"
        world.fake.put(toTask(taskId(id), { state }))
      }
      for (const [path, code] of [
        [LINKS.replace(taskId(1), taskId(404)), "404 task_not_found"],
        [LINKS.replace(taskId(1), "x"), "404 task_not_found"],
        [LINKS.replace(taskId(1), taskId(2)), "404 task_not_found"],
        [LINKS.replace(taskId(1), taskId(3)), "409 task_not_finished"],
        [LINKS.replace(taskId(1), taskId(4)), "409 task_not_finished"],
        [LINKS.replace(taskId(1), taskId(5)), "404 artifact_not_found"],
        [LINKS.replace("image_1", "image_2"), "404 artifact_not_found"],
        [LINKS.replace("image_1", "%00"), "404 artifact_not_found"],
      ] as const) {
        assert.equal(await readCode(world.call(path, POST)), code, path)
        assert.equal(await readCode(world.call(path, DELETE)), code, path)
      }
      assert.equal(await world.storage.readLinkEpoch(names(taskId(2))), 0)
    })

    it("needs a key with the scope links:write", async () => {
      await using world = await openLinkWorld(kind)
      const key = world.keys.add({ scopes: ["tasks:write", "tasks:read", "artifacts:read"] })
      const headers = { authorization: `Bearer ${key}` }
      for (const call of [POST, DELETE]) {
        assert.equal(await readCode(world.bare(LINKS, call)), "401 missing_api_key")
        const refused = world.bare(LINKS, { ...call, headers })
        assert.equal(await readCode(refused), "403 insufficient_scope")
      }
      const { headers: allowed } = await readAnswer(world.bare(LINKS, { method: "OPTIONS" }))
      assert.equal(allowed["allow"], "POST, DELETE, OPTIONS")
      assert.equal(await readCode(world.call(LINKS)), "405 method_not_allowed")
    })

    it("needs artifacts:read too, since it opens what that reads; a revocation does not", async () => {
      await using world = await openLinkWorld(kind)
      const key = world.keys.add({ scopes: ["tasks:write", "tasks:read", "links:write"] })
      const headers = { authorization: `Bearer ${key}` }
      const refused = await readAnswer(world.bare(LINKS, { ...POST, headers }))
      assert.equal(refused.status, 403)
      assert.match(refused.body, /lacks the scope artifacts:read/)
      assert.match(refused.headers["www-authenticate"] ?? "", /scope="links:write artifacts:read"/)
      assert.equal((await readAnswer(world.bare(LINKS, { ...DELETE, headers }))).status, 204)
    })

    it("counts against the account's rate for reads, as its revocation does", async () => {
      await using world = await openLinkWorld(kind)
      const read = { requests: 2, windowMs: 60_000 }
      world.accounts.set({ rates: { create: null, read, content: null } })
      await makeLink(world)
      assert.equal((await world.call(LINKS, DELETE)).status, 204)
      assert.equal(await readCode(world.call(LINKS, POST)), "429 rate_limit_exceeded")
      assert.equal(await readCode(world.call(LINKS, DELETE)), "429 rate_limit_exceeded")
    })

    it("is 503 while a storage is down", async () => {
      await using world = await openLinkWorld(kind)
      for (const part of [world.links, world.fake]) {
        part.fail(outside("storage-unavailable"))
        assert.equal(await readCode(world.call(LINKS, POST)), "503 service_unavailable")
        assert.equal(await readCode(world.call(LINKS, DELETE)), "503 service_unavailable")
        part.fail(undefined)
      }
      await makeLink(world)
    })
  })

  describe(`a revocation, ${kind}`, () => {
    it("is 204 without a body, and ends all links that were made before it", async () => {
      await using world = await openLinkWorld(kind)
      const paths = [toPath((await makeLink(world)).url), toPath((await makeLink(world)).url)]
      const { status, headers, body } = await readAnswer(world.call(LINKS, DELETE))
      assert.deepEqual([status, body], [204, ""])
      assert.deepEqual(headers, { "cache-control": "no-store" })
      for (const path of paths) await assertNothing(world, path)
      await assertOpens(world, toPath((await makeLink(world)).url))
    })

    it("counts once for each time, and for an expired artifact too", async () => {
      await using world = await openLinkWorld(kind)
      putArtifact(world.fake, BYTES, { expiresAt: 1 })
      for (const epoch of [1, 2]) {
        assert.equal((await world.call(LINKS, DELETE)).status, 204)
        assert.equal(await world.storage.readLinkEpoch(names(taskId(1))), epoch)
      }
    })

    it("takes no parameters: whoever names one link must not revoke all", async () => {
      await using world = await openLinkWorld(kind)
      const { url } = await makeLink(world)
      for (const query of ["?access=v1", "?expires_in=60"]) {
        const name = query.slice(1).replace(/=.*/, "")
        const code = await readCode(world.call(`${LINKS}${query}`, DELETE))
        assert.equal(code, `400 unknown_parameter ${name}`)
      }
      await assertOpens(world, toPath(url))
    })
  })

  describe(`a listing, ${kind}`, () => {
    it("has plain addresses that need the key, and makes no signing key", async () => {
      await using world = await openLinkWorld(kind)
      assert.equal((await list(world)).content_url, ADDRESS)
      assert.equal(world.links.reads(), 0)
    })

    it("has private links where the account's addresses are signed, for a day", async () => {
      await using world = await openLinkWorld(kind)
      world.accounts.set({ signsContentUrls: true })
      const { content_url: url } = await list(world)
      await assertOpens(world, toPath(url))
      await world.clock.advance(DAY * 1_000 - 1)
      await assertOpens(world, toPath(url))
      await world.clock.advance(1)
      await assertNothing(world, toPath(url))
    })

    it("has links that end with their artifact, and none for what is expired", async () => {
      await using world = await openLinkWorld(kind)
      world.accounts.set({ signsContentUrls: true })
      putArtifact(world.fake, BYTES, { expiresAt: (START + 60) * 1_000 })
      const { content_url: url } = await list(world)
      assert.match(url, new RegExp(`\\?access=v1\\.\\w{8}\\.${START + 60}\\.0\\.`))
      await world.clock.advance(60_000)
      assert.deepEqual((await list(world)).content_url, ADDRESS)
      await assertNothing(world, toPath(url))
    })

    it("leaves out an expiry that is hidden, and the content ends all the same", async () => {
      await using world = await openLinkWorld(kind)
      putArtifact(world.fake, BYTES, { expiresAt: (START + 60) * 1_000, expiryHidden: true })
      assert.deepEqual(Object.keys(await list(world)), ["key", "type", "mime_type", "content_url"])
      const { url, expires_at } = await makeLink(world)
      assert.equal(expires_at, START + 60)
      await world.clock.advance(60_000)
      assert.equal(await readCode(world.call(CONTENT)), "410 artifact_expired")
      await assertNothing(world, toPath(url))
    })
  })
}

function names(task: string) {
  return { account: "account-a", task, key: "image_1" }
}
