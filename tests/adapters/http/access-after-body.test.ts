/**
 * A body may take minutes to arrive, and a revocation holds within a second: before a body is used the handler asks
 * once more who calls. Every documented endpoint with a key and a body is called.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { DEFAULTS } from "@safelight/access"
import type { DescribedOperation } from "../../support/openapi-document.ts"
import { createWorld, creation, DOCUMENT, WORLDS, type World } from "./worlds.ts"

const ENDPOINTS = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => {
    const body = toExample(operation)
    return body === undefined ? [] : [{ path, method: method.toUpperCase(), body }]
  }),
)

const CHANGES: readonly (readonly [string, (world: World) => void, string])[] = [
  [
    "a key that was revoked meanwhile",
    ({ key, keys }) => keys.change(key, { revokedAt: 1 }),
    "api_key_revoked",
  ],
  [
    "a key that ended meanwhile",
    ({ clock, key, keys }) => keys.change(key, { expiresAt: clock.now() + 1 }),
    "api_key_expired",
  ],
  [
    "a key whose scopes were taken meanwhile",
    ({ key, keys }) => keys.change(key, { scopes: [] }),
    "insufficient_scope",
  ],
  [
    "an account that was suspended meanwhile",
    ({ accounts }) => accounts.set({ suspendedAt: 1 }),
    "account_suspended",
  ],
]

describe("a body that arrives slowly", () => {
  it("is asked for by more than a creation", () => {
    assert.ok(ENDPOINTS.length > 8, `only ${ENDPOINTS.length} endpoints take a body`)
  })

  for (const { body, method, path } of ENDPOINTS) {
    for (const [words, change, code] of CHANGES) {
      it(`does nothing for ${words}: ${method} ${path}`, async () => {
        await using world = await open()
        const sending = world.sendSlowly(path, method, body)
        await sending.asked
        change(world)
        await world.clock.advance(DEFAULTS.keyCacheMs)
        const response = await sending.finish()
        const { error } = (await response.json()) as { error: { code: string } }
        assert.equal(error.code, code)
        assert.deepEqual([world.fake.requests, world.operator.asked], [[], []])
      })
    }
  }

  it("counts once against the rate", async () => {
    await using world = await open()
    world.accounts.set({
      rates: {
        create: { requests: 2, windowMs: 3_600_000 },
        read: null,
        content: null,
      },
    })
    for (const remaining of [1, 0]) {
      const sending = world.sendSlowly("/v1/tasks", "POST", String(creation().body))
      await sending.asked
      await world.clock.advance(DEFAULTS.keyCacheMs)
      const response = await sending.finish()
      assert.equal(response.status, 202)
      assert.match(response.headers.get("ratelimit") ?? "", new RegExp(`r=${remaining};`))
    }
  })
})

for (const kind of WORLDS) {
  describe(`a body that arrives at once, ${kind}`, () => {
    it("has its key looked up once, and the key of those that follow not at all", async () => {
      const world = await createWorld(kind)
      for (let count = 0; count < 3; count += 1) {
        assert.equal((await world.call("/v1/tasks", creation())).status, 202)
      }
      assert.equal(world.keys.lookups(), 1)
      await world.close()
    })
  })
}

async function open() {
  const world = await createWorld("in process")
  return {
    ...world,
    /** Begins a request whose body has not arrived. */
    sendSlowly(path: string, method: string, body: string) {
      const asked = Promise.withResolvers<void>()
      const whole = Promise.withResolvers<void>()
      const stream = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            asked.resolve()
            await whole.promise
            controller.enqueue(new TextEncoder().encode(body))
            controller.close()
          },
        },
        // Nothing is asked for before the handler reads.
        { highWaterMark: 0 },
      )
      const headers = {
        authorization: `Bearer ${world.key}`,
        "content-type": "application/json",
      }
      const url = `http://a${path.replaceAll(/[{}]/g, "")}`
      const init = { method, headers, body: stream, duplex: "half" } as RequestInit
      const answering = Promise.resolve(world.handler.fetch(new Request(url, init)))
      return {
        asked: asked.promise,
        finish() {
          whole.resolve()
          return answering
        },
      }
    },
    [Symbol.asyncDispose]: () => world.close(),
  }
}

/** The example of a body that needs a key; undefined where an endpoint takes none. */
function toExample({ requestBody, security }: DescribedOperation): string | undefined {
  const { example, examples = {} } = requestBody?.content["application/json"] ?? {}
  const [first] = Object.values(examples)
  const value = example ?? first?.value
  const needsKey = security !== undefined && security.length > 0
  return needsKey && value !== undefined ? JSON.stringify(value) : undefined
}
