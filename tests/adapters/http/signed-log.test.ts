/** The signed tree over the log, as strangers and operators ask for it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpHandler } from "@safelight/http"
import { createAccess } from "@safelight/access"
import { createManualClock } from "@safelight/testkit"
import { createFakeProofs, NOTE, PROOF, TILE } from "./fake-proofs.ts"
import { IN_DOUBT, RUNNING, UNKNOWN } from "./fake-operator-tasks.ts"
import { createFakeService, taskId, toTask } from "./fake-service.ts"
import { createFakeStorage } from "./fake-storage.ts"
import { createWorld, WORLDS } from "./worlds.ts"

for (const kind of WORLDS) {
  describe(`the signed log, ${kind}`, () => {
    it("says who signs it, to anybody", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      const response = await world.bare("/.well-known/safelight-log.json")
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), {
        origin: "media.example/log",
        keys: ["media.example/log+00000000+AQ=="],
        checkpoint_url: "https://media.example/log/checkpoint",
        tiles_url: "https://media.example/log/tile/",
      })
    })

    it("has the newest checkpoint once there is one, and nobody keeps an older one", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      world.proofs.setSigned(false)
      assert.equal((await world.bare("/log/checkpoint")).status, 404)
      world.proofs.setSigned(true)
      const response = await world.bare("/log/checkpoint")
      assert.equal(response.headers.get("cache-control"), "no-cache")
      assert.match(response.headers.get("content-type") ?? "", /^text\/plain/)
      assert.equal(await response.text(), NOTE)
    })

    it("has tiles by their names, which are kept for good", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      const response = await world.bare("/log/tile/0/000.p/2")
      assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), TILE)
      assert.equal((await world.bare("/log/tile/0/000")).status, 404)
    })

    it("proves a task to an operator, and says why not", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      const toPath = (id: string) => `/v1/admin/tasks/${id}/proof`
      const response = await world.call(toPath(RUNNING))
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), { ...PROOF, checkpoint: `${NOTE}operator` })
      assert.equal((await world.call(toPath(IN_DOUBT))).status, 409)
      assert.equal((await world.call(toPath(UNKNOWN))).status, 404)
      const headers = { authorization: `Bearer ${world.keys.add({ scopes: ["tasks:read"] })}` }
      assert.equal((await world.call(toPath(RUNNING), { headers })).status, 403)
    })

    it("proves a task to its account, and to no other", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      const { id } = world.fake.put(toTask(taskId(1)))
      const response = await world.call(`/v1/tasks/${id}/proof`)
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), {
        ...PROOF,
        task: id,
        checkpoint: `${NOTE}account`,
      })
      const other = { headers: { authorization: `Bearer ${world.keys.add({ account: "b" })}` } }
      assert.equal((await world.call(`/v1/tasks/${id}/proof`, other)).status, 404)
      const mute = { headers: { authorization: `Bearer ${world.keys.add({ scopes: [] })}` } }
      assert.equal((await world.call(`/v1/tasks/${id}/proof`, mute)).status, 403)
      world.fake.put(toTask(IN_DOUBT))
      assert.match(
        await (await world.call(`/v1/tasks/${IN_DOUBT}/proof`)).text(),
        /proof_not_ready/,
      )
    })

    it("is not there where nobody signs it", async (t) => {
      const world = await createWorld(kind, { hasProofs: false })
      t.after(() => world.close())
      for (const path of [
        "/.well-known/safelight-log.json",
        "/log/checkpoint",
        "/log/tile/0/000",
        `/v1/admin/tasks/${RUNNING}/proof`,
        `/v1/tasks/${RUNNING}/proof`,
      ]) {
        const response = await world.handler.fetch(new Request(`http://inner.example${path}`))
        assert.equal(response.status, 404, path)
        assert.match(await response.text(), /"route_not_found"/)
      }
    })
  })
}

describe("strangers who read the signed log", () => {
  it("have few reads of the database at a time, and those after them are told to come later", async () => {
    const fake = createFakeService()
    const { storage } = createFakeStorage()
    const clock = createManualClock()
    let [reading, most] = [0, 0]
    const waiting: (() => void)[] = []
    const proofs = {
      ...createFakeProofs(() => {}),
      readTile: async () => {
        reading += 1
        most = Math.max(most, reading)
        await new Promise<void>((resolve) => waiting.push(resolve))
        reading -= 1
        return TILE
      },
    }
    const access = createAccess({ storage, service: fake.service, clock })
    const publicUrl = () => "https://media.example"
    const handler = createHttpHandler({ service: fake.service, access, clock, publicUrl, proofs })
    const answered: number[] = []
    async function ask(): Promise<void> {
      const request = new Request("http://inner.example/log/tile/0/000.p/2")
      answered.push((await handler.fetch(request)).status)
    }
    const asked = Array.from({ length: 200 }, ask)
    while (answered.length < 132) await new Promise(setImmediate)
    assert.deepEqual(new Set(answered), new Set([503]))
    while (answered.length < 200) {
      for (const answer of waiting.splice(0)) answer()
      await new Promise(setImmediate)
    }
    await Promise.all(asked)
    assert.equal(most, 4)
    assert.equal(answered.filter((status) => status === 200).length, 68)
  })
})
