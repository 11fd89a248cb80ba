/**
 * Who calls and what the key may do: what is remembered of a key, for how long, and what a stranger can
 * make the storage do. What HTTP tells of a refusal is tested in tests/adapters/http.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createAccess,
  createKey,
  DEFAULTS,
  formatApiKey,
  parseApiKey,
  rotateKey,
} from "@safelight/access"
import {
  SafelightError,
  type ApiKeyScope,
  type Authorization,
  type KeyStorage,
  type StoredKey,
} from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import { createFakeService } from "../adapters/http/fake-service.ts"
import { openAccess } from "./access-world.ts"

describe("authentication", () => {
  it("believes a key for a second and sees its revocation then, on every node", async () => {
    const one = openAccess()
    const other = openAccess({ shared: one.shared })
    for (const node of [one, other]) assert.equal(await node.tell(one.key), "authenticated")
    one.keys.change(one.key, { revokedAt: 5 })
    for (const node of [one, other]) {
      await node.clock.advance(DEFAULTS.keyCacheMs - 1)
      assert.equal(await node.tell(one.key), "authenticated")
      await node.clock.advance(1)
      assert.equal(await node.tell(one.key), "api-key-revoked")
    }
    assert.equal(one.keys.lookups(), 4)
  })

  it("answers at once, without a promise, for a key that was verified lately", async () => {
    const world = openAccess()
    const credentials = { authorization: `Bearer ${world.key}` }
    assert.ok(world.access.authenticate(credentials) instanceof Promise)
    await world.tell(world.key)
    const answer = world.access.authenticate(credentials)
    assert.ok(!(answer instanceof Promise) && answer.kind === "authenticated")
    assert.equal(answer.identity.keyId, parseApiKey(world.key)?.id)
  })

  it("refuses what is no key without a look", async () => {
    const world = openAccess()
    const cut = world.key.slice(0, -1)
    const mistyped = cut + (world.key.endsWith("0") ? "1" : "0")
    const headers = [
      `Bearer ${mistyped}`,
      `Bearer ${cut}`,
      `Basic ${world.key}`,
      "Bearer a, Bearer b",
    ]
    for (const authorization of headers) {
      const answer = await world.access.authenticate({ authorization })
      assert.deepEqual(answer, { kind: "refused", code: "invalid-api-key" })
    }
    for (const authorization of [undefined, null, ""]) {
      const answer = await world.access.authenticate({ authorization })
      assert.deepEqual(answer, { kind: "refused", code: "missing-api-key" })
    }
    assert.equal(world.keys.lookups(), 0)
  })

  it("asks for a wrong key once a second, and for a good one with its id as ever", async () => {
    const world = openAccess()
    const wrong = formatApiKey({ id: parseApiKey(world.key)?.id ?? "", secret: "0".repeat(32) })
    assert.equal(await world.tell(world.key), "authenticated")
    for (const key of [wrong, wrong, wrong]) assert.equal(await world.tell(key), "invalid-api-key")
    assert.equal(await world.tell(world.key), "authenticated")
    assert.equal(world.keys.lookups(), 2)
    await world.clock.advance(DEFAULTS.keyCacheMs)
    assert.equal(await world.tell(wrong), "invalid-api-key")
    assert.equal(world.keys.lookups(), 3)
  })

  it("tells of a revoked or expired key only who has its secret", async () => {
    const world = openAccess()
    const wrong = formatApiKey({ id: parseApiKey(world.key)?.id ?? "", secret: "0".repeat(32) })
    for (const changes of [{ revokedAt: 5 }, { revokedAt: 0, expiresAt: 5 }]) {
      world.keys.change(world.key, changes)
      await world.clock.advance(DEFAULTS.keyCacheMs)
      assert.equal(await world.tell(wrong), "invalid-api-key")
      assert.match(await world.tell(world.key), /^api-key-(?:revoked|expired)$/)
    }
  })

  it("remembers one key however its header is written", async () => {
    const world = openAccess()
    for (let blanks = 1; blanks < 20; blanks += 1) {
      const authorization = `bEARER${" ".repeat(blanks)}${world.key}`
      assert.equal((await world.access.authenticate({ authorization })).kind, "authenticated")
    }
    assert.equal(world.keys.lookups(), 1)
  })

  it("judges each request by the key that it carries", async () => {
    const world = openAccess()
    const other = world.keys.add()
    const wrong = world.key.slice(0, -1) + (world.key.endsWith("0") ? "1" : "0")
    const keys = [world.key, world.key, wrong, world.key, other, other, world.key]
    const told: string[] = []
    for (const key of keys) told.push(await world.tell(key))
    const good = "authenticated"
    assert.deepEqual(told, [good, good, "invalid-api-key", good, good, good, good])
    world.keys.change(world.key, { revokedAt: 1 })
    await world.clock.advance(DEFAULTS.keyCacheMs)
    assert.equal(await world.tell(world.key), "api-key-revoked")
  })

  it("looks up a few unknown keys at a time, lets known ones pass, and past a bound reads nothing", async () => {
    const world = openAccess({ settings: { lookupsAtOnce: 2, lookupsWaiting: 3 } })
    await world.tell(world.key)
    const going = Promise.withResolvers<void>()
    const { findKey } = world.storage
    let asked = 0
    world.storage.findKey = async (id) => {
      asked += 1
      await going.promise
      return findKey(id)
    }
    const answers = Promise.allSettled(
      Array.from({ length: 50 }, () => world.tell(world.keys.add())),
    )
    assert.equal(await world.tell(world.key), "authenticated")
    assert.equal(asked, 2)
    going.resolve()
    const refused = (await answers).filter(({ status }) => status === "rejected")
    assert.equal(refused.length, 45)
    for (const each of refused) {
      assert.ok(
        each.status === "rejected" && (each.reason as { code: string }).code === "overloaded",
      )
    }
    assert.equal(asked, 5)
  })

  it("lets a known key pass at once again after a database that failed", async () => {
    const world = openAccess({ settings: { lookupsAtOnce: 1, lookupsWaiting: 1 } })
    await world.tell(world.key)
    await world.clock.advance(DEFAULTS.keyCacheMs)
    const { findKey } = world.storage
    const message = "the database is away"
    world.storage.findKey = () =>
      Promise.reject(new SafelightError({ code: "storage-unavailable", message, retryable: true }))
    await assert.rejects(world.tell(world.key), { code: "storage-unavailable" })
    const going = Promise.withResolvers<void>()
    world.storage.findKey = async (id) => {
      if (id !== parseApiKey(world.key)?.id) await going.promise
      return findKey(id)
    }
    const answers = Promise.allSettled([1, 2, 3].map(() => world.tell(world.keys.add())))
    assert.equal(await world.tell(world.key), "authenticated")
    going.resolve()
    assert.equal((await answers).filter(({ status }) => status === "rejected").length, 1)
  })

  it("ends a believed key at its own expiry", async () => {
    const world = openAccess()
    world.keys.change(world.key, { expiresAt: world.clock.now() + 10 })
    assert.equal(await world.tell(world.key), "authenticated")
    await world.clock.advance(10)
    assert.equal(await world.tell(world.key), "api-key-expired")
    assert.equal(world.keys.lookups(), 1)
  })

  it("looks a key up once for callers that come together", async () => {
    const world = openAccess()
    await Promise.all(Array.from({ length: 10 }, () => world.tell(world.key)))
    assert.equal(world.keys.lookups(), 1)
  })

  it("remembers the keys that came last, and a bounded number of them", async () => {
    const world = openAccess({ settings: { cachedKeys: 2 } })
    const [second, third] = [world.keys.add(), world.keys.add()]
    for (const key of [world.key, second, third, second, third]) await world.tell(key)
    assert.equal(world.keys.lookups(), 3)
    const few = openAccess({ settings: { cachedKeys: 1 } })
    for (const key of [few.key, few.keys.add(), few.keys.add(), few.key]) await few.tell(key)
    assert.equal(few.keys.lookups(), 4)
  })
})

describe("authorization", () => {
  it("asks for every scope, and names the first that is lacking", async () => {
    const may = await createJudge({})
    assert.deepEqual(may([]), { kind: "authorized" })
    assert.deepEqual(may(["tasks:read"]), { kind: "authorized" })
    const refused = { kind: "refused", code: "insufficient-scope", scope: "links:write" }
    assert.deepEqual(may(["tasks:read", "links:write", "artifacts:read"]), refused)
  })

  it("is refused to a suspended account, whatever its scopes", async () => {
    const may = await createJudge({ suspendedAt: 5 })
    assert.deepEqual(may([]), { kind: "refused", code: "account-suspended" })
    assert.deepEqual(may(["tasks:read"]), { kind: "refused", code: "account-suspended" })
  })
})

describe("an API key that is made", () => {
  it("authenticates, and its successor once it is replaced", async () => {
    const world = openAccess()
    const keys = createKeyStorage(world.keys.stored)
    const now = world.clock.now()
    const made = await createKey({ keys, account: "acme", scopes: ["tasks:read"], now })
    assert.equal(await world.tell(made.key), "authenticated")
    const request = { keys, id: made.id, now, graceMs: 2_000, expiresAt: 0 }
    const result = await rotateKey(request)
    assert.ok(result.kind === "rotated")
    assert.equal(result.replacedExpiresAt, now + 2_000)
    assert.deepEqual(world.keys.stored.get(result.key.id)?.scopes, ["tasks:read"])
    for (const key of [made.key, result.key.key])
      assert.equal(await world.tell(key), "authenticated")
    await world.clock.advance(2_000)
    assert.equal(await world.tell(made.key), "api-key-expired")
    assert.equal(await world.tell(result.key.key), "authenticated")
    assert.deepEqual(await rotateKey({ ...request, id: "0000000000" }), { kind: "unknown" })
  })

  it("makes of a key that ends, or has ended, one that ends after as long a time", async () => {
    const world = openAccess()
    const keys = createKeyStorage(world.keys.stored)
    const madeAt = world.clock.now()
    const made = await createKey({ keys, account: "acme", now: madeAt, expiresAt: madeAt + 5_000 })
    await world.clock.advance(6_000)
    assert.equal(await world.tell(made.key), "api-key-expired")
    const rotated = await rotateKey({ keys, id: made.id, now: world.clock.now(), graceMs: 0 })
    assert.ok(rotated.kind === "rotated")
    assert.equal(rotated.expiresAt, world.clock.now() + 5_000)
    assert.equal(await world.tell(rotated.key.key), "authenticated")
    await world.clock.advance(5_000)
    assert.equal(await world.tell(rotated.key.key), "api-key-expired")
  })

  it("makes of a key that was replaced as soon as it was made one that is good for a second", async () => {
    const world = openAccess()
    const keys = createKeyStorage(world.keys.stored)
    const now = world.clock.now()
    const { id } = await createKey({ keys, account: "acme", now })
    await rotateKey({ keys, id, now, graceMs: 0 })
    const again = await rotateKey({ keys, id, now, graceMs: 0 })
    assert.ok(again.kind === "rotated")
    assert.equal(await world.tell(again.key.key), "authenticated")
    assert.equal(again.expiresAt, now + 1_000)
  })

  it("makes of a key that never ends another one", async () => {
    const world = openAccess()
    const keys = createKeyStorage(world.keys.stored)
    const now = world.clock.now()
    const { id } = await createKey({ keys, account: "acme", now })
    const rotated = await rotateKey({ keys, id, now, graceMs: 0 })
    assert.ok(rotated.kind === "rotated")
    assert.deepEqual([rotated.expiresAt, world.keys.stored.get(rotated.key.id)?.expiresAt], [0, 0])
  })
})

describe("createAccess", () => {
  it("refuses a setting that is none, or no positive integer, by its name", () => {
    const { storage } = openAccess()
    const { service } = createFakeService()
    const options = { storage, service, clock: createManualClock() }
    for (const settings of [{ cachedKeys: 0 }, { cachedKeys: 1.5 }, { cachedKeysX: 1 }]) {
      assert.throws(() => createAccess({ ...options, settings }), {
        code: "invalid-configuration",
        message: /cachedKeys/,
      })
    }
  })
})

/** What a key of one scope may do. */
async function createJudge(
  settings: object,
): Promise<(scopes: readonly ApiKeyScope[]) => Authorization> {
  const world = openAccess()
  world.accounts.set(settings)
  const key = world.keys.add({ scopes: ["tasks:read"] })
  const answer = await world.access.authenticate({ authorization: `Bearer ${key}` })
  assert.ok(answer.kind === "authenticated")
  return (scopes) => world.access.authorize(answer.identity, scopes)
}

function createKeyStorage(
  stored: Map<string, StoredKey>,
): Pick<KeyStorage, "createKey" | "findKey" | "rotateKey"> {
  return {
    createKey: async (key) => void stored.set(key.id, key),
    findKey: async (id) => stored.get(id),
    async rotateKey({ id, expiresAt, successor }) {
      const replaced = stored.get(id)
      if (replaced === undefined) return false
      stored.set(id, { ...replaced, expiresAt }).set(successor.id, successor)
      return true
    },
  }
}
