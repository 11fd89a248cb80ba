/** A host's own model that charges what is no amount: its tasks end, with a charge within their reservation. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineModel, fields, integer, text, type Usage } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import * as v from "valibot"
import { createLogRecorder, type LogRecorder } from "./log-recorder.ts"
import { completed, createScene, PRICES, type Scene } from "./support.ts"

const ACCEPTED = { kind: "accepted", operation: "op-7" } as const
const HOUR_MS = 3_600_000

interface World extends Pick<LogRecorder, "entries"> {
  readonly scene: Scene
}

/** What a task is accepted for is charged as it should be; the picture that it gets, as `charge` has it. */
function createWorld(charge: (usage: Usage) => number): World {
  const model = defineModel({
    id: "model-a",
    artifacts: "image",
    parameters: fields({ prompt: text(1), count: v.optional(integer(1, 4), 2) }),
    logged: ["count"],
    estimate: ({ count }) => ({ images: count, inputVideosMs: [], outputVideoMs: 0 }),
    charge: (usage, { perImageMicros = 0 }) =>
      usage.images === 1 ? charge(usage) : usage.images * perImageMicros,
  })
  const { entries, log } = createLogRecorder()
  const channel = createScriptedChannel({
    submits: [ACCEPTED, ACCEPTED],
    polls: Array.from({ length: 500 }, () => completed()),
  })
  const route = { channel, costs: { "model-a": { perImageMicros: 7 } } }
  // The built-in check at the start charges one picture.
  let isBegun = false
  const lenient = {
    ...model,
    charge: (...given: Parameters<typeof model.charge>) => (isBegun ? model.charge(...given) : 1),
  }
  const scene = createScene({ channels: [route], models: [lenient], prices: PRICES, log })
  isBegun = true
  return { entries, scene }
}

describe("a model whose charge is no whole amount", () => {
  for (const [told, chargeMicros] of [
    [33.3, 34],
    [-5, 0],
    [NaN, 0],
    [Infinity, 60_000],
    [70_000.5, 60_000],
  ] as const) {
    it(`as ${told} ends its tasks charged ${chargeMicros}, which is told once`, async () => {
      const { entries, scene } = createWorld(() => told)
      const ids = [(await scene.submit()).id, (await scene.submit()).id]
      await scene.clock.advance(10_000)
      for (const id of ids) {
        const task = await scene.read(id)
        assert.deepEqual([task.state, task.chargeMicros], ["succeeded.available", chargeMicros])
      }
      const lines = entries.filter(({ message }) => message === "charge unusable")
      const [line, ...others] = lines.map((each) => [each.level, each.fields] as const)
      assert.deepEqual(others, [])
      assert.ok(line !== undefined)
      const { task, ...rest } = line[1] as { readonly task: string }
      assert.ok(ids.includes(task))
      assert.deepEqual(
        [line[0], rest],
        ["error", { model: "model-a", told: `${told}`, chargeMicros }],
      )
    })
  }

  it("as it throws ends its tasks uncharged, an hour past their end and no later", async () => {
    const { scene } = createWorld(() => {
      throw new TypeError("a bug of the host's")
    })
    const { id, endBy } = await scene.submit()
    await scene.clock.advance(endBy + HOUR_MS - scene.clock.now() - 1_000)
    assert.equal((await scene.read(id)).state, "running")
    await scene.clock.advance(40_000)
    const { chargeMicros, error } = await scene.read(id)
    assert.deepEqual([error?.code, chargeMicros], ["internal_error", 0])
    assert.equal(scene.artifacts.locators.size, 0)
  })
})
