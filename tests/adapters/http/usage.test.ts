/** What tasks cost, as the API shows it: one task, and an account's in a period. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { toTaskFailure, type Task } from "@safelight/core"
import { taskId, toTask } from "./fake-service.ts"
import { createWorld, WORLDS } from "./worlds.ts"

const VIDEO = "vendor-c/video-2.5/reference-to-video"
const IMAGE = "vendor-a/v4.1/flash/text-to-image"

const TASKS: readonly [name: string, changes: Partial<Task>, shown: Record<string, unknown>][] = [
  [
    "queued",
    { priceVersion: "default-1", reservationMicros: 10_000 },
    {
      model: IMAGE,
      status: "queued",
      labels: {},
      finished_at: 0,
      price_version: "default-1",
      price: { per_image_micros: 10_000 },
      reserved_micros: 10_000,
      charge_micros: 0,
      charge_limit_micros: 10_000,
      images_asked: null,
      usage: null,
    },
  ],
  [
    "succeeded",
    {
      model: VIDEO,
      priceVersion: "default-1",
      reservationMicros: 9_000_000,
      attempt: 1,
      state: "succeeded.available",
      progress: 100,
      finishedAt: 1_767_225_700_999,
      chargeMicros: 1_400_000,
      usage: { images: 0, outputVideoMs: 6_000, inputVideosMs: [1_500, 4_000] },
    },
    {
      model: VIDEO,
      status: "succeeded",
      labels: {},
      finished_at: 1_767_225_700,
      price_version: "default-1",
      price: { per_video_second_micros: 100_000 },
      reserved_micros: 0,
      charge_micros: 1_400_000,
      charge_limit_micros: 9_000_000,
      images_asked: null,
      usage: {
        images: 0,
        output_video_ms: 6_000,
        input_videos_ms: [1_500, 4_000],
        billed_input_ms: 8_000,
      },
    },
  ],
  [
    "spoken",
    {
      model: IMAGE,
      priceVersion: "default-1",
      reservationMicros: 10_000,
      attempt: 1,
      state: "succeeded.available",
      finishedAt: 1_767_225_700_999,
      chargeMicros: 10_000,
      usage: {
        characters: 1_200,
        images: 0,
        inputVideosMs: [],
        outputAudioMs: 61_441,
        outputVideoMs: 0,
        tokens: 840,
      },
    },
    {
      model: IMAGE,
      status: "succeeded",
      labels: {},
      finished_at: 1_767_225_700,
      price_version: "default-1",
      price: { per_image_micros: 10_000 },
      reserved_micros: 0,
      charge_micros: 10_000,
      charge_limit_micros: 10_000,
      images_asked: null,
      usage: {
        images: 0,
        output_video_ms: 0,
        output_audio_ms: 61_441,
        characters: 1_200,
        tokens: 840,
        input_videos_ms: [],
        billed_input_ms: 0,
      },
    },
  ],
  [
    "failed, with a price that is no longer configured,",
    {
      priceVersion: "older",
      reservationMicros: 10_000,
      state: "failed",
      finishedAt: 1_767_225_700_000,
      error: toTaskFailure("no_output"),
    },
    {
      model: IMAGE,
      status: "failed",
      labels: {},
      finished_at: 1_767_225_700,
      price_version: "older",
      price: null,
      reserved_micros: 0,
      charge_micros: 0,
      charge_limit_micros: 10_000,
      images_asked: null,
      usage: null,
    },
  ],
]

const REPORT = {
  charges: [
    {
      model: IMAGE,
      priceVersion: "default-1",
      tasks: 3,
      images: 5,
      outputVideoMs: 0,
      outputAudioMs: 0,
      characters: 0,
      tokens: 0,
      billedInputMs: 0,
      chargeMicros: 50_000,
    },
    {
      model: VIDEO,
      priceVersion: "default-1",
      tasks: 1,
      images: 0,
      outputVideoMs: 6_000,
      outputAudioMs: 0,
      characters: 0,
      tokens: 0,
      billedInputMs: 8_000,
      chargeMicros: 1_400_000,
    },
  ],
  totals: { chargedMicros: 2_000_000, reservedMicros: 10_000, unfinishedTasks: 1 },
  budgetMicros: 5_000_000,
}

for (const kind of WORLDS) {
  describe(`usage, ${kind}`, () => {
    for (const [name, changes, shown] of TASKS) {
      it(`of a ${name} task is shown in its own order`, async () => {
        await using world = await createWorld(kind)
        const { id } = world.fake.put(toTask(taskId(3), changes))
        const response = await world.call(`/v1/tasks/${id}/usage`)
        assert.equal(response.status, 200)
        assert.equal(await response.text(), JSON.stringify({ task_id: id, ...shown }))
      })
    }

    it("of an account is the sums of the period and its standing now", async () => {
      await using world = await createWorld(kind)
      world.fake.setReport(REPORT)
      const response = await world.call("/v1/usage?from=1767225600&to=1767312000")
      assert.equal(
        await response.text(),
        JSON.stringify({
          from: 1_767_225_600,
          to: 1_767_312_000,
          charge_micros: 1_450_000,
          tasks: 4,
          charges: [
            {
              model: IMAGE,
              price_version: "default-1",
              tasks: 3,
              images: 5,
              output_video_ms: 0,
              billed_input_ms: 0,
              charge_micros: 50_000,
            },
            {
              model: VIDEO,
              price_version: "default-1",
              tasks: 1,
              images: 0,
              output_video_ms: 6_000,
              billed_input_ms: 8_000,
              charge_micros: 1_400_000,
            },
          ],
          account: {
            budget_micros: 5_000_000,
            charged_micros: 2_000_000,
            reserved_micros: 10_000,
            unfinished_tasks: 1,
          },
        }),
      )
      assert.deepEqual(world.fake.summed, [
        { account: "account-a", from: 1_767_225_600_000, to: 1_767_312_000_000 },
      ])
    })

    it("of an account is that of all that has finished where no period is named", async () => {
      await using world = await createWorld(kind)
      await world.clock.advance(1_999)
      const response = await world.call("/v1/usage")
      const { account, charges, ...rest } = (await response.json()) as Record<string, object>
      const to = 1_767_225_602
      assert.deepEqual(rest, { from: 0, to, charge_micros: 0, tasks: 0 })
      assert.deepEqual(charges, [])
      assert.deepEqual(account, {
        budget_micros: null,
        charged_micros: 0,
        reserved_micros: 0,
        unfinished_tasks: 0,
      })
      assert.deepEqual(world.fake.summed, [{ account: "account-a", from: 0, to: to * 1_000 }])
    })
  })
}

describe("a period", () => {
  const refused: readonly (readonly [query: string, code: string, param: string])[] = [
    ["from=-1", "integer_below_min_value", "from"],
    ["from=1.5", "invalid_type", "from"],
    ["from=", "invalid_type", "from"],
    ["to=253402300800", "integer_above_max_value", "to"],
    ["to=2026-01-01", "invalid_type", "to"],
    ["from=1&from=1", "unknown_parameter", "from"],
    ["since=1", "unknown_parameter", "since"],
    ["from=6&to=5", "invalid_value", "to"],
  ]
  for (const [query, code, param] of refused) {
    it(`${query} is refused as ${code}`, async () => {
      await using world = await createWorld()
      const response = await world.call(`/v1/usage?${query}`)
      const { error } = (await response.json()) as { error: Record<string, unknown> }
      assert.deepEqual([response.status, error["code"], error["param"]], [400, code, param])
      assert.deepEqual(world.fake.summed, [])
    })
  }

  it("may be empty, also as one that begins later and has no end", async () => {
    await using world = await createWorld()
    const later = 1_767_225_602
    for (const [query, at] of [
      ["from=5&to=5", 5],
      [`from=${later}`, later],
    ] as const) {
      const response = await world.call(`/v1/usage?${query}`)
      const { from, to } = (await response.json()) as Record<string, unknown>
      assert.deepEqual([response.status, from, to], [200, at, at])
    }
  })
})
