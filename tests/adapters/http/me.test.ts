/** GET /v1/me: what a key may do, told to whoever holds it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { MODELS } from "@safelight/core"
import { createWorld, WORLDS } from "./worlds.ts"

for (const kind of WORLDS) {
  describe(`whose key it is, ${kind}`, () => {
    it("is told to every key that is good, whatever its scopes", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      const ends = world.clock.now() + 60_000
      for (const [scopes, expiresAt] of [
        [[], 0],
        [["tasks:read", "admin"], ends],
      ] as const) {
        const key = world.keys.add({ scopes, expiresAt })
        const response = await world.bare("/v1/me", { headers: { authorization: `Bearer ${key}` } })
        assert.equal(response.status, 200)
        const body = (await response.json()) as Record<string, unknown>
        assert.deepEqual(body["scopes"], scopes)
        assert.equal(body["expires_at"], Math.floor(expiresAt / 1_000))
        assert.ok(key.includes(String(body["key_id"])))
        assert.ok(!JSON.stringify(body).includes(key))
      }
    })

    it("is told with how long its account may hold artifacts", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      world.accounts.set({ maxRetentionMs: 90_500 }, "account-b")
      const key = world.keys.add({ account: "account-b" })
      const response = await world.bare("/v1/me", { headers: { authorization: `Bearer ${key}` } })
      const body = (await response.json()) as Record<string, unknown>
      assert.equal(body["max_retention_seconds"], 90)
    })

    it("is told with what amounts are in, if that has a name", async (t) => {
      for (const currency of [undefined, "credits"]) {
        const world = await createWorld(kind, currency === undefined ? {} : { currency })
        t.after(() => world.close())
        const paths = ["/v1/me", "/v1/balance", "/v1/usage", `/v1/models/${MODELS[0]?.id}`]
        for (const path of paths) {
          const body = (await (await world.call(path)).json()) as Record<string, unknown>
          assert.equal(body["currency"], currency, path)
        }
      }
    })

    it("is told with which log proves its tasks, if one is signed", async (t) => {
      for (const hasProofs of [false, true]) {
        const world = await createWorld(kind, { hasProofs })
        t.after(() => world.close())
        const body = (await (await world.call("/v1/me")).json()) as Record<string, unknown>
        assert.equal(body["signed_log"], hasProofs ? "media.example/log" : undefined)
      }
    })

    it("is told to nobody without a key, nor of a revoked one", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      assert.equal((await world.bare("/v1/me")).status, 401)
      const revoked = world.keys.add({ revokedAt: 1 })
      const headers = { authorization: `Bearer ${revoked}` }
      assert.equal((await world.bare("/v1/me", { headers })).status, 401)
    })
  })
}
