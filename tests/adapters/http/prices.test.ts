/** Prices before a purchase over HTTP: quotes, the most that a task may cost, the balance. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { creation, createWorld, VALID, WORLDS, type World } from "./worlds.ts"

const VIDEO = "vendor-c/video-2.5/reference-to-video"

interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly type: string
    readonly param?: string
    readonly message: string
  }
}

/** A submission with more headers. */
function submit(world: World, more: Record<string, string>): Promise<Response> {
  const { headers, ...call } = creation()
  return world.call("/v1/tasks", { ...call, headers: { ...headers, ...more } })
}

for (const kind of WORLDS) {
  describe(`a quote, ${kind}`, () => {
    it("is the price, its parts, and what names it on a submission", async () => {
      await using world = await createWorld(kind)
      const response = await world.call("/v1/quotes", creation())
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), {
        quote: "1767229200.10000.default-1",
        valid_until: 1_767_229_200,
        model: VALID.model,
        max_cost_micros: 10_000,
        price_version: "default-1",
        price: { per_image_micros: 10_000 },
        lines: [
          {
            item: "image",
            unit: "image",
            unit_price_micros: 10_000,
            images: 1,
            is_estimate: false,
          },
        ],
      })
      const named = await submit(world, { "safelight-quote": "1767229200.10000.default-1" })
      assert.equal(named.status, 202)
      assert.deepEqual(world.fake.requests.at(-1)?.quote, {
        priceVersion: "default-1",
        maxCostMicros: 10_000,
        validUntil: 1_767_229_200_000,
      })
    })

    it("of a video says which lengths are measured only later", async () => {
      await using world = await createWorld(kind)
      const parameters = { duration: 5, video_urls: ["https://media.example/a.mp4"] }
      const response = await world.call("/v1/quotes", creation({ model: VIDEO, parameters }))
      const { lines, max_cost_micros: cost } = (await response.json()) as Record<string, unknown>
      const line = { unit: "second", unit_price_micros: 100_000, is_estimate: true }
      assert.deepEqual(lines, [
        { ...line, item: "output_video", duration_ms: 5_000 },
        { ...line, item: "input_video", duration_ms: 30_000 },
      ])
      assert.equal(cost, 3_500_000)
    })

    it("is refused as the creation would be, and counted against the same rate", async () => {
      await using world = await createWorld(kind)
      for (const body of [
        "{",
        { ...VALID, model: "none" },
        { ...VALID, parameters: { prompt: 1, other: 2 } },
      ]) {
        const [quoted, created] = await Promise.all([
          world.call("/v1/quotes", creation(body)),
          world.call("/v1/tasks", creation(body)),
        ])
        assert.equal(quoted.status, 400)
        assert.deepEqual(await quoted.json(), await created.json())
      }
      const once = { requests: 1, windowMs: 3_600_000 }
      world.accounts.set({ rates: { create: once, read: null, content: null } }, "account-q")
      const authorization = `Bearer ${world.keys.add({ account: "account-q" })}`
      const { headers, ...call } = creation()
      const ask = async (path: string) => {
        const sent = { ...call, headers: { ...headers, authorization } }
        return (await world.call(path, sent)).status
      }
      assert.deepEqual([await ask("/v1/quotes"), await ask("/v1/tasks")], [200, 429])
    })
  })

  describe(`the headers of a price, ${kind}`, () => {
    it("reach the service", async () => {
      await using world = await createWorld(kind)
      assert.equal((await submit(world, { "safelight-max-cost-micros": "0" })).status, 202)
      assert.equal(world.fake.requests.at(-1)?.maxCostMicros, 0)
      assert.equal((await submit(world, {})).status, 202)
      assert.ok(!("maxCostMicros" in (world.fake.requests.at(-1) ?? {})))
    })

    for (const [name, values] of [
      ["Safelight-Max-Cost-Micros", ["", "-1", "1.5", "1e3", "9".repeat(16), "1, 1", "0x1"]],
      ["Safelight-Quote", ["", "1.2", "x.1.v", "1.1.%E0%A4%A", "1.1.v 2", "1.1."]],
    ] as const) {
      for (const value of values) {
        it(`are refused where ${name} is "${value}"`, async () => {
          await using world = await createWorld(kind)
          const response = await submit(world, { [name.toLowerCase()]: value })
          const { error } = (await response.json()) as ErrorBody
          assert.deepEqual([response.status, error.code, error.param], [400, "invalid_value", name])
          assert.equal(world.fake.requests.length, 0)
        })
      }
    }

    it("are refused as 402 where the task would cost more, or the quote is over", async () => {
      await using world = await createWorld(kind)
      const rejection = { code: "max-cost-exceeded", costMicros: 9, maxCostMicros: 8 } as const
      world.fake.refuse(rejection)
      const exceeded = await submit(world, { "safelight-max-cost-micros": "8" })
      assert.equal(exceeded.status, 402)
      const message = "The task could cost 9 micro-units, and at most 8 are allowed."
      const error = { message, type: "billing_error", code: "max_cost_exceeded" }
      assert.deepEqual(await exceeded.json(), { error })
      world.fake.refuse({ code: "quote-expired" })
      const expired = await submit(world, { "safelight-quote": "1.1.v" })
      assert.equal(expired.status, 402)
      assert.equal(((await expired.json()) as ErrorBody).error.code, "quote_expired")
    })

    it("are no part of what an idempotency key stands for", async () => {
      await using world = await createWorld(kind)
      const key = { "idempotency-key": "order 7" }
      await submit(world, { ...key, "safelight-max-cost-micros": "50000" })
      const again = await submit(world, { ...key, "safelight-max-cost-micros": "1" })
      assert.equal(again.headers.get("idempotent-replayed"), "true")
    })
  })

  describe(`the balance, ${kind}`, () => {
    it("is shown with its rest", async () => {
      await using world = await createWorld(kind)
      world.fake.setBalance({
        budgetMicros: 100,
        reservedMicros: 20,
        chargedMicros: 30,
        leftMicros: 50,
      })
      const response = await world.call("/v1/balance")
      assert.equal(
        await response.text(),
        JSON.stringify({
          budget_micros: 100,
          reserved_micros: 20,
          spent_micros: 30,
          left_micros: 50,
        }),
      )
      assert.equal((await world.call("/v1/balance?account=b")).status, 400)
    })

    it("of an account without a budget has no rest", async () => {
      await using world = await createWorld(kind)
      const { budget_micros: budget, left_micros: left } = (await (
        await world.call("/v1/balance")
      ).json()) as Record<string, unknown>
      assert.deepEqual([budget, left], [null, null])
    })
  })
}
