/** What an account was charged, charge by charge: how it is asked for, and how much of it at a time. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { until } from "../../support/until.ts"
import { NOTE, PROVEN } from "./fake-proofs.ts"
import { taskId } from "./fake-service.ts"
import { FIRST_END_AT, toFakeEvidence, toItem, toStated } from "./fake-statements.ts"
import { createWorld, WORLDS, type World } from "./worlds.ts"

const PATH = "/v1/usage/statement"

interface Body {
  readonly from: number
  readonly to: number
  readonly checkpoint?: string
  readonly charges: readonly (Record<string, unknown> & { readonly task_id: string })[]
  readonly next_cursor: string | null
}

async function read(world: World, query = ""): Promise<Body> {
  const response = await world.call(`${PATH}${query}`)
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as Body
}

async function refuse(world: World, query: string, headers = {}): Promise<unknown[]> {
  const response = await world.call(`${PATH}${query}`, { headers })
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  return [response.status, error["code"], error["param"]]
}

for (const kind of WORLDS) {
  describe(`a statement, ${kind}`, () => {
    it("has each charge with its usage, price, arithmetic and event", async () => {
      await using world = await createWorld(kind, { currency: "USD" })
      world.statements.charges.push(toStated(1))
      await world.clock.advance(10_000)
      assert.deepEqual(await read(world), {
        from: 0,
        to: 1_767_225_611,
        currency: "USD",
        charges: [
          {
            task_id: taskId(1),
            model: "vendor-a/v4.1/flash/text-to-image",
            ended_at: 1_767_225_601,
            outcome: "succeeded",
            usage: { images: 1, output_video_ms: 0, input_videos_ms: [], billed_input_ms: 0 },
            price_version: "default-1#4b1f0f4e",
            price_digest: "ef".repeat(32),
            price: { per_image_micros: 10_000 },
            lines: [{ item: "image", unit: "image", unit_price_micros: 10_000, images: 1 }],
            measured_micros: 10_000,
            limit_micros: 80_000,
            event: { version: 4, hash: "1".repeat(64), previous_hash: "0f".repeat(32) },
            charge_micros: 10_000,
            finding: null,
          },
        ],
        next_cursor: null,
      })
    })

    it("is of the key's account, and of a month or a period", async () => {
      await using world = await createWorld(kind)
      const { asked } = world.statements
      const reader = { authorization: `Bearer ${world.keys.add({ account: "account-b" })}` }
      world.statements.charges.push(toStated(1))
      const response = await world.call(`${PATH}?month=2025-12`, { headers: reader })
      assert.deepEqual(((await response.json()) as Body).charges, [])
      await read(world, "?from=5&to=7&limit=100")
      const [from, to] = [Date.UTC(2025, 11), Date.UTC(2026, 0)]
      assert.deepEqual(asked, [
        { account: "account-b", from, to, limit: 20 },
        { account: "account-a", from: 5_000, to: 7_000, limit: 100 },
      ])
    })

    it("goes on over pages, and no cursor leads out of the period", async () => {
      await using world = await createWorld(kind)
      const { asked, charges } = world.statements
      charges.push(...[1, 2, 3].map(toStated))
      const first = await read(world, "?limit=2")
      const cursor = first.next_cursor ?? assert.fail("it has no next page")
      const second = await read(world, `?limit=2&cursor=${cursor}`)
      const ids = [first, second].map((page) => page.charges.map(({ task_id: id }) => id))
      assert.deepEqual(ids, [[taskId(1), taskId(2)], [taskId(3)]])
      assert.equal(second.next_cursor, null)
      const after = { at: FIRST_END_AT + 2_000, task: taskId(2) }
      assert.deepEqual(asked[1]?.after, after)
      await read(world, `?from=${1_767_225_600 + 9}&cursor=${cursor}`)
      assert.equal(asked[2]?.after, undefined)
    })

    it("has the proofs of a page under one checkpoint, and null for what is younger", async () => {
      await using world = await createWorld(kind)
      const { charges } = world.statements
      const early = toFakeEvidence(toItem(3))
      const hidden = { ...early, event: { ...early.event, shown: null } }
      charges.push({ item: toItem(3), evidence: hidden, finding: null }, toStated(1), toStated(2))
      const body = await read(world, "?proofs=true")
      assert.equal(body.checkpoint, NOTE)
      const proven = { ...PROVEN, hash: "1".repeat(64), index: 0 }
      assert.deepEqual(
        body.charges.map(({ event, proof }) => [event, proof]),
        [
          [{ version: 4, hash: null, previous_hash: null }, null],
          [{ version: 4, hash: "1".repeat(64), previous_hash: "0f".repeat(32) }, proven],
          [{ version: 4, hash: "2".repeat(64), previous_hash: "0f".repeat(32) }, null],
        ],
      )
      const plain = await read(world, "?proofs=false")
      assert.ok(!("checkpoint" in plain) && plain.charges.every((each) => !("proof" in each)))
    })

    it("tells a charge that does not follow from the log, and no more than its item", async () => {
      await using world = await createWorld(kind)
      const finding = { code: "log-damaged", expectedMicros: null } as const
      const item = toItem(1)
      const differs = { code: "charge-differs", expectedMicros: 9_000 } as const
      world.statements.charges.push(
        { item, evidence: null, finding },
        { item: toItem(2), evidence: toFakeEvidence(toItem(2)), finding: differs },
      )
      const [untold, told] = (await read(world, "?proofs=true")).charges
      assert.deepEqual(untold, {
        task_id: taskId(1),
        model: item.model,
        ended_at: 1_767_225_601,
        outcome: null,
        usage: null,
        price_version: item.priceVersion,
        price_digest: null,
        price: null,
        lines: [],
        measured_micros: null,
        limit_micros: null,
        event: null,
        charge_micros: 10_000,
        finding: {
          code: "log_damaged",
          message:
            "The task's events are not those that were written, so nothing proves the charge.",
          expected_micros: null,
        },
        proof: null,
      })
      assert.deepEqual(told?.["finding"], {
        code: "charge_differs",
        message: "Usage and price make another charge.",
        expected_micros: 9_000,
      })
    })

    it("has no proofs where nothing is signed, or nothing yet", async () => {
      await using world = await createWorld(kind)
      world.proofs.setSigned(false)
      assert.deepEqual((await refuse(world, "?proofs=true")).slice(0, 2), [409, "proof_not_ready"])
      await using mute = await createWorld(kind, { hasProofs: false })
      mute.statements.charges.push(toStated(1))
      assert.deepEqual((await refuse(mute, "?proofs=true")).slice(0, 2), [404, "route_not_found"])
      assert.deepEqual(mute.statements.asked, [])
      assert.equal((await read(mute)).charges.length, 1)
    })
  })
}

describe("what a statement refuses", () => {
  for (const [query, code, param] of [
    ["?limit=101", "integer_above_max_value", "limit"],
    ["?limit=0", "integer_below_min_value", "limit"],
    ["?cursor=x", "invalid_value", "cursor"],
    ["?month=2026-13", "invalid_value", "month"],
    ["?month=2026-11-01", "invalid_value", "month"],
    ["?month=2026-11&from=1", "invalid_value", "month"],
    ["?month=2026-11&to=1", "invalid_value", "month"],
    ["?from=6&to=5", "invalid_value", "to"],
    ["?proofs=1", "invalid_value", "proofs"],
    ["?label=a=b", "unknown_parameter", "label"],
  ] as const) {
    it(`${query} is refused as ${code}`, async () => {
      await using world = await createWorld()
      assert.deepEqual(await refuse(world, query), [400, code, param])
      assert.deepEqual(world.statements.asked, [])
    })
  }

  it("is a key that may not read, and a request above the account's rate", async () => {
    await using world = await createWorld()
    const mute = { authorization: `Bearer ${world.keys.add({ scopes: ["tasks:write"] })}` }
    assert.deepEqual((await refuse(world, "", mute)).slice(0, 2), [403, "insufficient_scope"])
    const rates = { create: null, content: null, read: { requests: 2, windowMs: 3_600_000 } }
    world.accounts.set({ rates }, "account-r")
    const limited = { authorization: `Bearer ${world.keys.add({ account: "account-r" })}` }
    assert.equal((await world.call("/v1/usage", { headers: limited })).status, 200)
    assert.equal((await world.call(PATH, { headers: limited })).status, 200)
    assert.deepEqual((await refuse(world, "", limited)).slice(0, 2), [429, "rate_limit_exceeded"])
    assert.equal(world.statements.asked.length, 1)
  })
})

describe("statements at a time", () => {
  it("are two of an account, and the next one is told to wait", async () => {
    await using world = await createWorld()
    const { reading } = world.statements
    const release = world.statements.hold()
    const own = [world.call(PATH), world.call(PATH)]
    await until(() => reading.now === 2)
    const third = await world.call(PATH)
    assert.deepEqual([third.status, third.headers.get("retry-after")], [429, "2"])
    assert.match(await third.text(), /"concurrency_limit_exceeded"/)
    const headers = { authorization: `Bearer ${world.keys.add({ account: "account-b" })}` }
    const other = world.call(PATH, { headers })
    await until(() => reading.now === 3)
    release()
    for (const response of await Promise.all([...own, other])) assert.equal(response.status, 200)
    assert.equal((await world.call(PATH)).status, 200)
    // As many as before, however many have ended.
    const releaseLast = world.statements.hold()
    const last = [world.call(PATH), world.call(PATH)]
    await until(() => reading.now === 2)
    assert.equal((await world.call(PATH)).status, 429)
    releaseLast()
    await Promise.all(last)
  })

  it("are four of all accounts, few wait, and those after them are told to come later", async () => {
    await using world = await createWorld()
    const { asked, reading } = world.statements
    const release = world.statements.hold()
    const statuses: number[] = []
    const calls = Array.from({ length: 80 }, async (_, place) => {
      const account = `account-${place}`
      const headers = { authorization: `Bearer ${world.keys.add({ account })}` }
      statuses.push((await world.call(PATH, { headers })).status)
    })
    await until(() => statuses.length === 16)
    assert.deepEqual(new Set(statuses), new Set([503]))
    assert.deepEqual([reading.now, asked.length], [4, 4])
    release()
    await Promise.all(calls)
    assert.equal(statuses.filter((status) => status === 200).length, 64)
    assert.equal(reading.most, 4)
  })

  it("count no longer once they have failed", async () => {
    await using world = await createWorld()
    world.fake.fail(new Error("a bug"))
    for (let count = 0; count < 5; count += 1) {
      assert.equal((await world.call(PATH)).status, 500)
    }
    world.fake.fail(undefined)
    assert.equal((await world.call(PATH)).status, 200)
  })
})
