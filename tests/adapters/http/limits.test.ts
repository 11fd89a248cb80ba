/**
 * Request rates as HTTP tells them. How they are counted is tested in tests/access.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { AccountSettings, Rate, RatePolicy } from "@safelight/core"
import { outside, putArtifact, taskId, toTask } from "./fake-service.ts"
import { ACCOUNT, createFakeStorage } from "./fake-storage.ts"
import { creation, createWorld, WORLDS, type World, type WorldOptions } from "./worlds.ts"

const TASK = `/v1/tasks/${taskId(1)}`
const MINUTE = { requests: 3, windowMs: 60_000 }

for (const kind of WORLDS) {
  describe(`a rate, ${kind}`, () => {
    it("is told on every answer, with what remains and when it is one more", async () => {
      await using world = await open(kind, { read: MINUTE })
      world.fake.put(toTask(taskId(1)))
      assert.deepEqual(await tell(world, TASK), [200, '"read";q=3;w=60', '"read";r=2;t=20', null])
      assert.deepEqual(await tell(world, `${TASK}0`), [
        404,
        '"read";q=3;w=60',
        '"read";r=1;t=20',
        null,
      ])
      await world.clock.advance(7_500)
      const head = await tell(world, "/v1/usage", "HEAD")
      assert.deepEqual(head, [200, '"read";q=3;w=60', '"read";r=0;t=13', null])
    })

    it("refuses with 429 and the seconds to wait, and lets through after them", async () => {
      await using world = await open(kind, { create: { requests: 2, windowMs: 5_000 } })
      for (const remaining of [1, 0]) {
        const response = await world.call("/v1/tasks", creation())
        assert.equal(response.status, 202)
        assert.match(response.headers.get("ratelimit") ?? "", new RegExp(`;r=${remaining};`))
      }
      const refused = await world.call("/v1/tasks", creation())
      const { error } = (await refused.json()) as { error: { code: string; type: string } }
      assert.deepEqual([error.code, error.type], ["rate_limit_exceeded", "rate_limit_error"])
      assert.deepEqual(toTold(refused), [429, '"create";q=2;w=5', '"create";r=0;t=3', "3"])
      assert.equal(world.fake.requests.length, 2)
      await world.clock.advance(2_499)
      assert.equal((await world.call("/v1/tasks", creation())).status, 429)
      await world.clock.advance(1)
      assert.equal((await world.call("/v1/tasks", creation())).status, 202)
    })

    it("of creations counts what has webhooks' messages sent", async () => {
      await using world = await open(kind, { create: MINUTE })
      for (const [remaining, path] of ["test", "replay", "deliveries/msg_1/replay"].entries()) {
        const response = await world.call(`/v1/webhooks/we_1/${path}`, { method: "POST" })
        assert.equal(toTold(response)[2], `"create";r=${2 - remaining};t=20`)
      }
      const refused = await world.call("/v1/webhooks/we_1/test", { method: "POST" })
      assert.equal(refused.status, 429)
    })

    it("goes along with the bytes of an artifact", async () => {
      await using world = await open(kind, { content: MINUTE })
      putArtifact(world.fake, Buffer.from("pixels"))
      const path = `${TASK}/artifacts/image_1/content`
      const response = await world.call(path)
      assert.equal(await response.text(), "pixels")
      assert.deepEqual(toTold(response), [200, '"content";q=3;w=60', '"content";r=2;t=20', null])
      assert.equal((await tell(world, path, "HEAD"))[2], '"content";r=1;t=20')
      await world.call(path)
      assert.equal((await tell(world, path))[0], 429)
    })

    it("admits exactly as many as it says of two hundred that come at once", async () => {
      await using world = await open(kind, { create: { requests: 50, windowMs: 3_600_000 } })
      assert.equal(await countAdmitted([world], 200), 50)
      assert.equal(world.fake.submitted.length, 50)
    })

    it("admits together on two nodes what one would alone", async () => {
      const shared = createFakeStorage()
      const rates = { create: { requests: 50, windowMs: 3_600_000 } }
      await using one = await open(kind, rates, { shared })
      await using other = await open(kind, rates, { shared })
      assert.equal(await countAdmitted([one, other], 120), 50)
    })

    it("is still used up after a restart", async () => {
      const shared = createFakeStorage()
      const before = await open(kind, { read: MINUTE }, { shared })
      for (const status of [200, 200, 200, 429]) {
        assert.equal((await tell(before, "/v1/usage"))[0], status)
      }
      await before.close()
      await using after = await open(kind, { read: MINUTE }, { shared })
      assert.equal((await tell(after, "/v1/usage"))[0], 429)
      await after.clock.advance(20_000)
      assert.equal((await tell(after, "/v1/usage"))[0], 200)
      assert.equal((await tell(after, "/v1/usage"))[0], 429)
    })
  })
}

describe("rates", () => {
  it("count each policy and each account alone", async () => {
    const once = { requests: 1, windowMs: 60_000 }
    await using world = await open("in process", { create: once, read: once, content: once })
    world.accounts.set({ rates: toRates({ read: once }) }, "account-b")
    const other = `Bearer ${world.keys.add({ account: "account-b" })}`
    const second = `Bearer ${world.keys.add()}`
    const calls: readonly (readonly [path: string, authorization: string, status: number])[] = [
      ["/v1/usage", `Bearer ${world.key}`, 200],
      ["/v1/usage", `Bearer ${world.key}`, 429],
      ["/v1/tasks", second, 429],
      [`${TASK}/artifacts/image_1/content`, second, 404],
      [`${TASK}/artifacts/image_1/content`, second, 429],
      ["/v1/usage", other, 200],
      ["/v1/usage", other, 429],
    ]
    for (const [path, authorization, status] of calls) {
      const response = await world.bare(path, { headers: { authorization } })
      assert.equal(response.status, status, path)
    }
    assert.equal((await world.call("/v1/tasks", creation())).status, 202)
  })

  it("cost an account without one nothing, and tell it nothing", async () => {
    await using world = await open("in process", { create: MINUTE })
    const response = await world.call("/v1/usage")
    assert.deepEqual(toTold(response), [200, null, null, null])
    assert.deepEqual([world.rates.reads(), world.rates.writes()], [0, 0])
  })

  it("that the storage can't count let nobody through", async () => {
    await using world = await open("in process", { create: MINUTE })
    for (const failure of [outside("storage-unavailable"), outside("outcome-unknown", 1_500)]) {
      world.rates.fail(failure)
      const response = await world.call("/v1/tasks", creation())
      const { error } = (await response.json()) as { error: { code: string } }
      assert.deepEqual([response.status, error.code], [503, "service_unavailable"])
      assert.equal(response.headers.get("ratelimit"), null)
      assert.notEqual(response.headers.get("retry-after"), null)
    }
    assert.equal(world.fake.requests.length, 0)
    world.rates.fail(undefined)
    assert.equal((await world.call("/v1/tasks", creation())).status, 202)
  })

  it("are counted on with what was leased while the storage fails", async () => {
    await using world = await open("in process", { read: { requests: 100, windowMs: 100_000 } })
    const calls = Array.from({ length: 10 }, () => tell(world, "/v1/usage"))
    await Promise.all(calls)
    await tell(world, "/v1/usage")
    const leased = world.rates.moments.get(`read ${ACCOUNT}`) ?? 0
    world.rates.fail(outside("storage-unavailable"))
    const left = (leased - world.clock.now() * 1000) / 1_000_000 - 11
    assert.ok(left > 0, "more was leased than was asked for")
    for (let count = 0; count < left; count += 1) {
      assert.equal((await tell(world, "/v1/usage"))[0], 200)
    }
    assert.equal((await tell(world, "/v1/usage"))[0], 503)
  })

  it("take the account's new rate once the key is looked up again", async () => {
    await using world = await open("in process", { read: { requests: 1, windowMs: 60_000 } })
    assert.equal((await tell(world, "/v1/usage"))[0], 200)
    assert.equal((await tell(world, "/v1/usage"))[0], 429)
    world.accounts.set({ rates: toRates({ read: null }) })
    assert.equal((await tell(world, "/v1/usage"))[0], 429)
    await world.clock.advance(1_000)
    assert.deepEqual(await tell(world, "/v1/usage"), [200, null, null, null])
  })

  it("are counted before anything else is looked at, and after who calls", async () => {
    await using world = await open("in process", { read: { requests: 1, windowMs: 60_000 } })
    const headers = { authorization: `Bearer ${world.keys.add({ scopes: [] })}` }
    assert.deepEqual(toTold(await world.bare("/v1/usage", { headers })), [403, null, null, null])
    assert.equal((await world.call("/v1/usage?other=1")).status, 400)
    assert.equal((await world.call("/v1/usage?other=1")).status, 429)
  })
})

function toRates(rates: Partial<Record<RatePolicy, Rate | null>>): AccountSettings["rates"] {
  return { create: null, read: null, content: null, ...rates }
}

async function open(
  kind: (typeof WORLDS)[number],
  rates: Partial<Record<RatePolicy, Rate>>,
  options?: WorldOptions,
): Promise<World> {
  const world = await createWorld(kind, options)
  world.accounts.set({ rates: toRates(rates) })
  return world
}

type Told = readonly [
  status: number,
  policy: string | null,
  left: string | null,
  after: string | null,
]

async function tell(world: World, path: string, method = "GET"): Promise<Told> {
  const response = await world.call(path, { method })
  await response.arrayBuffer()
  return toTold(response)
}

function toTold({ status, headers }: Response): Told {
  // An unfinished task says when to poll; that is not about rates.
  const after = status === 429 ? headers.get("retry-after") : null
  const left = headers.get("ratelimit")
  return [status, headers.get("ratelimit-policy"), left, after]
}

/** Creations that were accepted, of `count` sent to each world at once; all others are 429. */
async function countAdmitted(worlds: readonly World[], count: number): Promise<number> {
  const calls = worlds.flatMap((world) =>
    Array.from({ length: count }, async () => (await world.call("/v1/tasks", creation())).status),
  )
  const statuses = await Promise.all(calls)
  const admitted = statuses.filter((status) => status === 202).length
  assert.equal(statuses.filter((status) => status === 429).length, statuses.length - admitted)
  return admitted
}
