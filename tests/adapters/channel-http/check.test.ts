/** A channel's check: whether the provider answers and takes the key, without a purchase. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createHttpChannel, type Provider, PROVIDERS } from "@safelight/channel-http"
import type { ChannelCheck } from "@safelight/core"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { openAnswered } from "./open-answered.ts"

const { fal } = PROVIDERS

let stub: RunningStub

before(async () => {
  stub = (await STUBS["fal"]?.()) ?? assert.fail()
})
after(() => stub[Symbol.asyncDispose]())

interface CheckOptions {
  readonly provider?: Provider
  readonly key?: string
  readonly baseUrl?: string
}

async function check(options: CheckOptions = {}): Promise<ChannelCheck | undefined> {
  const { baseUrl = stub.url, key = "key-id:key-secret", provider = fal } = options
  const channel = createHttpChannel({ provider, key, baseUrl })
  try {
    return await channel.check?.()
  } finally {
    await channel.close?.()
  }
}

/** The same protocol, without a request that shows whether the key is taken. */
function withoutCheck(): Provider {
  const { check: _check, ...others } = fal
  return others
}

describe("a check", () => {
  it("of fal proves the key and buys nothing", async () => {
    assert.deepEqual(await check(), { kind: "ready", key: "taken" })
    const [{ method, path } = { method: "", path: "" }] = stub.requests
    assert.equal(method, "GET")
    assert.match(path, /\/requests\/[-0-9]+\/status$/)
    assert.deepEqual(stub.purchases, [])
  })

  it("tells a key that is refused", async () => {
    assert.deepEqual(await check({ key: "invalid" }), {
      kind: "refused",
      reason: "it refuses the key (401)",
    })
  })

  it("tells an address that nobody answers at", async () => {
    assert.deepEqual(await check({ baseUrl: "http://127.0.0.1:1" }), {
      kind: "unavailable",
      reason: "fal can't be reached (ECONNREFUSED)",
    })
  })

  const unclear: readonly (readonly [number, string, string])[] = [
    [503, "", "it answers 503"],
    [200, "<html>", "it answers 200, which says nothing of the key"],
    [404, '{"detail":"Not Found"}', "it answers 404, which says nothing of the key"],
  ]
  for (const [status, body, reason] of unclear) {
    it(`takes an answer of ${status} for no proof`, async (t) => {
      const channel = await openAnswered(t, fal, [status, body])
      assert.deepEqual(await channel.check?.(), { kind: "unavailable", reason })
    })
  }

  it("says that the key was not proved where nothing shows it", async () => {
    const provider = withoutCheck()
    assert.deepEqual(await check({ provider, key: "invalid" }), { kind: "ready", key: "unproved" })
    assert.deepEqual(stub.purchases, [])
  })
})
