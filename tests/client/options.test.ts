/** What a client may be made from, and that nothing of it appears in an error. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createClient } from "@safelight/client"
import { createScriptedClient, ID, json, KEY, SUCCEEDED } from "./scripted-client.ts"

describe("an option", () => {
  it("that is wrong is named, and its value is not", () => {
    const secret = "s3cret"
    for (const url of [
      "",
      "service.example",
      "ftp://service.example",
      `https://user:${secret}@service.example`,
      `https://service.example?${secret}`,
      `https://service.example#${secret}`,
    ]) {
      const make = () => createClient({ url, key: KEY })
      assert.throws(make, ({ name, message }: Error) => {
        assert.equal(name, "TypeError")
        assert.match(message, /^url: /)
        return !message.includes(secret)
      })
    }
    for (const key of ["", `${secret} `, `${secret}\n`, `${secret}é`]) {
      const make = () => createClient({ url: "https://service.example", key })
      assert.throws(make, ({ name, message }: Error) => {
        assert.equal(name, "TypeError")
        assert.match(message, /^key: /)
        return !message.includes(secret)
      })
    }
  })

  it("of the settings is a positive integer that a timer can take", () => {
    const make = (settings: object) => () =>
      createClient({ url: "https://service.example", key: KEY, settings })
    assert.throws(make({ tris: 1 }), { name: "TypeError", message: /tris is not known/ })
    for (const value of [0, -1, 1.5, NaN, "5", 2 ** 31]) {
      assert.throws(make({ silenceMs: value }), { message: /^settings\.silenceMs: / })
    }
    assert.ok(make({ artifactBytes: 2 ** 40 })())
  })

  it("url may have a path and a slash at its end", async () => {
    for (const url of ["https://service.example/media", "https://service.example/media//"]) {
      let asked = ""
      const { client } = createScriptedClient([], {
        url,
        fetch: async (address) => {
          asked = address
          return json(200, SUCCEEDED)({} as never)
        },
      })
      await client.get(ID)
      assert.equal(asked, `https://service.example/media/v1/tasks/${ID}`)
    }
  })

  it("fetch is the runtime's as it is when a call is made, called as its own", async (t) => {
    const client = createClient({ url: "https://service.example", key: KEY })
    const original = globalThis.fetch
    t.after(() => (globalThis.fetch = original))
    const owners: unknown[] = []
    globalThis.fetch = async function own(this: unknown) {
      owners.push(this)
      return json(200, SUCCEEDED)({} as never)
    }
    assert.equal((await client.get(ID)).task_id, ID)
    assert.deepEqual(owners, [globalThis])
  })
})
