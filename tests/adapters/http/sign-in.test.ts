/** POST /v1/sign-in: a token in exchange for a key, and one refusal for every token that is not good. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createRawClient } from "../../support/raw-client.ts"
import { createWorld, WORLDS } from "./worlds.ts"
import { GOOD_TOKEN } from "./fake-sign-in.ts"

const post = (body: unknown) =>
  ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  }) as const

for (const kind of WORLDS) {
  describe(`signing in by a link, ${kind}`, () => {
    it("answers a good token with a key, to somebody without one", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      const response = await world.bare("/v1/sign-in", post({ token: GOOD_TOKEN }))
      assert.equal(response.status, 201)
      assert.equal(response.headers.get("cache-control"), "no-store")
      assert.deepEqual(await response.json(), {
        account: "default",
        key: "sl_live_fake",
        expires_at: 60,
      })
    })

    it("refuses any other, and repeats none", async (t) => {
      const world = await createWorld(kind)
      t.after(() => world.close())
      const refused = await world.bare("/v1/sign-in", post({ token: "another" }))
      assert.equal(refused.status, 401)
      assert.equal(refused.headers.get("www-authenticate"), 'Bearer realm="api"')
      const text = await refused.text()
      assert.match(text, /"code":"invalid_sign_in"/)
      assert.ok(!text.includes("another"))
      for (const body of [{}, { token: "" }, { token: 7 }, { token: "x".repeat(101) }, "{", []]) {
        const response = await world.bare("/v1/sign-in", post(body))
        assert.equal(response.status, 400, JSON.stringify(body))
      }
      assert.ok(!JSON.stringify(world.logged).includes("another"))
    })
  })
}

describe("strangers who stall within the body of a sign-in", () => {
  for (const [strangers, bytes] of [
    [30, 8_739],
    [300, 1_021],
  ] as const) {
    it(`keep nobody else out: ${strangers} of ${bytes} bytes each`, async (t) => {
      const world = await createWorld("over a socket")
      t.after(() => world.close())
      for (let count = 0; count < strangers; count += 1) {
        const client = createRawClient(world.server?.url ?? "")
        t.after(() => client.socket.destroy())
        const lines = ["Host: a", "Content-Type: application/json", "Expect: 100-continue"]
        const head = `POST /v1/sign-in HTTP/1.1\r\n${lines.join("\r\n")}\r\n`
        client.send(`${head}Content-Length: ${bytes}\r\n\r\n`)
        await client.receive(/^HTTP\/1\.1 [^]*\r\n\r\n/)
        await new Promise((resolve) => client.socket.write(" ".repeat(bytes - 1), resolve))
      }
      for (let count = 0; count < 20; count += 1) {
        const response = await world.bare("/v1/sign-in", post({ token: GOOD_TOKEN }))
        assert.equal(response.status, 201)
      }
    })
  }

  it("may send no body longer than any that holds a token", async (t) => {
    const world = await createWorld("over a socket")
    t.after(() => world.close())
    const body = JSON.stringify({ token: GOOD_TOKEN }).padEnd(1_024)
    assert.equal((await world.bare("/v1/sign-in", post(body))).status, 201)
    assert.equal((await world.bare("/v1/sign-in", post(`${body} `))).status, 413)
  })
})
