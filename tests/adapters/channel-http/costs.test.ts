/**
 * What each provider tells of its charge, over its stub: the figure as it says it, in the unit that it
 * says it in, at the end of the work. What tells nothing is no cost, and what is no number neither.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type Json,
  type ProviderCost,
} from "@safelight/core"
import { openProviderWorld, toReply } from "./provider-world.ts"

const CHANGES = {
  key: "id:secret",
  edit: { image_urls: ["data:image/png;base64,iVBORw0KGgo="], aspect_ratio: "1:1", quality: "low" },
  film: { aspect_ratio: "16:9", image_urls: ["https://images.example/1.png"] },
}

/** By provider, in place of those. */
const OWN: Readonly<Record<string, object>> = { kling: { film: {} } }

/** What the stubs charge, by provider and model; undefined: it tells nothing. */
const COSTS: Readonly<Record<string, Readonly<Record<string, ProviderCost | undefined>>>> = {
  ark: {
    [referenceToVideo.id]: { amount: 0, unit: "tokens" },
    [textToImage.id]: { amount: 1, unit: "images" },
  },
  "black-forest-labs": { [textToImage.id]: { amount: 4, unit: "credits" } },
  "comfy-router": { [referenceToVideo.id]: { amount: 12.5, unit: "credits" } },
  fal: {
    [textToImage.id]: { amount: 1, unit: "billable_units" },
    [referenceToVideo.id]: { amount: 4, unit: "billable_units" },
  },
  gemini: { [textToImage.id]: { amount: 1_300, unit: "tokens" } },
  higgsfield: { [referenceToVideo.id]: undefined },
  kling: { [referenceToVideo.id]: { amount: 0.42, unit: "usd" } },
  openai: { [imageEdit.id]: { amount: 0, unit: "tokens" } },
  replicate: { [textToImage.id]: { amount: 0, unit: "predict_seconds" } },
  runware: { [textToImage.id]: { amount: 0.0019, unit: "usd" } },
  xai: {
    [imageEdit.id]: { amount: 0.04, unit: "usd" },
    [referenceToVideo.id]: { amount: 0.2, unit: "usd" },
  },
}

/** Told by size and time, which are the stub's own. */
const UNFIXED: ReadonlySet<string> = new Set(["ark", "openai", "replicate"])

for (const provider of Object.values(PROVIDERS).filter(({ name }) => Object.hasOwn(COSTS, name))) {
  const world = await openProviderWorld(provider, { ...CHANGES, ...OWN[provider.name] })
  describe(`the cost of work at ${provider.name}`, () => {
    for (const [model, cost] of Object.entries(COSTS[provider.name] ?? {})) {
      it(`is told with ${model} as the provider says it`, async () => {
        const toRequest = { [textToImage.id]: world.picture, [imageEdit.id]: world.edit }[model]
        const outcome = await world.carryOut((toRequest ?? world.film)())
        assert.ok(outcome.kind === "completed", JSON.stringify(outcome))
        const told = outcome.cost
        if (!UNFIXED.has(provider.name) || cost?.unit === "images") assert.deepEqual(told, cost)
        else assert.deepEqual([told?.unit, Number.isFinite(told?.amount)], [cost?.unit, true])
      })
    }
  })
}

describe("a provider's figure", () => {
  const read = (name: string, json: Json, headers: Record<string, string> = {}) => {
    const provider = Object.values(PROVIDERS).find((each) => each.name === name)
    return provider?.readCost?.(toReply(200, json, headers), { id: "id-1" })
  }

  it("is none where it is missing, a text of no number, or a list", () => {
    for (const usage of [
      undefined,
      null,
      {},
      [],
      { cost_in_usd_ticks: "" },
      { cost_in_usd_ticks: [1] },
    ]) {
      const json = { ...(usage !== undefined && { usage }) } as Json
      assert.equal(read("xai", json), undefined)
    }
    assert.equal(read("fal", {}), undefined)
    const data = [
      { taskUUID: "id-1", cost: 1 },
      { taskUUID: "id-1", cost: "free" },
    ]
    assert.equal(read("runware", { data }), undefined)
  })

  it("is handed on as it is, however wrong, for the engine to judge", () => {
    assert.deepEqual(read("xai", { usage: { cost_in_usd_ticks: -10_000_000_000 } }), {
      amount: -1,
      unit: "usd",
    })
    assert.ok(Number.isNaN(read("fal", {}, { "x-fal-billable-units": "many" })?.amount))
  })

  it("is summed over the results of one task of Runware, and of no other", () => {
    const data = [
      { taskUUID: "id-1", cost: 0.25 },
      { taskUUID: "id-1", cost: 0.5 },
      { taskUUID: "id-2", cost: 9 },
    ]
    assert.deepEqual(read("runware", { data }), { amount: 0.75, unit: "usd" })
  })
})
