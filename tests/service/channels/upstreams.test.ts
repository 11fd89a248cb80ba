/** Models under names that only the operator knows: in the configuration, in a model's own definition, and in both. */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { describe, it, type TestContext } from "node:test"
import {
  DEFAULT_PRICES,
  defineModel,
  fields,
  MODELS,
  text,
  textToImage,
  type Model,
  type Upstream,
} from "@safelight/core"
import * as v from "valibot"
import { loadConfiguration, type Configuration } from "safelight"
import type { RunningStub } from "@safelight/testkit/stubs"
import { runCommand, temporaryFolder } from "../command/command-process.ts"
import { makeTask, openOwnServices } from "../own-services.ts"

const ID = "acme/flux"
const REQUEST = { account: "sample", model: ID, parameters: { prompt: "fog", size: "square" } }

const IMAGE = defineModel({
  id: ID,
  artifacts: "image",
  parameters: fields({
    prompt: text(1, 100),
    size: v.optional(v.picklist(["square", "wide"]), "square"),
    is_checked: v.optional(v.boolean(), true),
  }),
  logged: ["size"],
  estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
})

function createModel(upstreams?: Model["upstreams"]): Model {
  return { ...IMAGE, ...(upstreams !== undefined && { upstreams }) }
}

interface World {
  readonly fal: RunningStub
  readonly replicate: RunningStub
  start(
    channels: Configuration["channels"],
    models: readonly Model[],
    data?: string,
  ): ReturnType<Awaited<ReturnType<typeof openOwnServices>>["start"]>
}

async function createWorld(t: TestContext): Promise<World> {
  const { folder, start, startStub } = await openOwnServices(t)
  const [fal, replicate] = [await startStub("fal"), await startStub("replicate")]
  const [table] = DEFAULT_PRICES
  const price = { [ID]: { perImageMicros: 60_000 } }
  const prices: Configuration["prices"] = [{ ...table, models: { ...table.models, ...price } }]
  const environment = { FAL_KEY: "a:b", REPLICATE_API_TOKEN: "token" }
  return {
    fal,
    replicate,
    start: (channels, models, data = "data") =>
      start({ channels, models, prices, data: join(folder, data) }, { environment }),
  }
}

describe("a model that a channel maps to one of its provider's", () => {
  it("is made there as the configuration says, at the cost that it says", async (t) => {
    const { fal, start } = await createWorld(t)
    const own: Upstream = {
      model: "fal-ai/flux-2-pro",
      rename: { size: "image_size" },
      values: { image_size: { square: "square_hd" } },
      constants: { output_format: "png" },
      drop: ["is_checked"],
      accepts: { size: { enum: ["square"] } },
      cost: { perImageMicros: 30_000, source: "https://vendor.example", read: "2026-11-26" },
    }
    const channels = [{ type: "fal", baseUrl: fal.url, models: { [ID]: own } }]
    const service = await start(channels, [...MODELS, createModel()])
    const { artifacts, id, state } = await makeTask(service, REQUEST)
    assert.deepEqual([state, artifacts[0]?.mimeType], ["succeeded.available", "image/png"])
    const { body, endpoint } = fal.purchases.at(-1) ?? assert.fail()
    assert.equal(endpoint, "fal-ai/flux-2-pro")
    assert.deepEqual(body, { prompt: "fog", image_size: "square_hd", output_format: "png" })
    const { sealed } = (await service.storage.readEvents(id)).at(-1) ?? {}
    assert.match(sealed ?? "", /"computedMicros":30000\b/)
    const wide = { ...REQUEST, parameters: { prompt: "fog", size: "wide" } }
    const refused = JSON.stringify(await service.engine.submit(wide))
    assert.ok(refused.includes("parameters.size: only square can be asked for"), refused)
    assert.equal(fal.purchases.length, 1)
  })

  it("is made as its own definition says, in every channel of that type", async (t) => {
    const { fal, replicate, start } = await createWorld(t)
    const model = createModel({
      fal: { model: "fal-ai/flux-2-pro", drop: ["is_checked"] },
      replicate: { model: "black-forest-labs/flux-2-pro" },
    })
    await makeTask(await start([{ type: "fal", baseUrl: fal.url }], [model]), REQUEST)
    assert.deepEqual(fal.purchases.at(-1)?.body, { prompt: "fog", size: "square" })
    const channels = [{ type: "replicate", baseUrl: replicate.url }]
    await makeTask(await start(channels, [model], "other"), REQUEST)
    const { body } = replicate.purchases.at(-1) ?? assert.fail()
    const input = { prompt: "fog", size: "square", is_checked: true }
    assert.deepEqual((body as { input: unknown }).input, input)
  })

  it("is made as both say, and the configuration wins member by member", async (t) => {
    const { fal, start } = await createWorld(t)
    const model = createModel({ fal: { model: "fal-ai/old", drop: ["size"] } })
    const channels = [{ type: "fal", baseUrl: fal.url, models: { [ID]: { model: "fal-ai/new" } } }]
    await makeTask(await start(channels, [model]), REQUEST)
    const { body, endpoint } = fal.purchases.at(-1) ?? assert.fail()
    assert.deepEqual([endpoint, body], ["fal-ai/new", { prompt: "fog", is_checked: true }])
  })

  it("needs the operator if the provider does not have it", async (t) => {
    const { entries, start, startStub } = await openOwnServices(t)
    const ark = await startStub("ark")
    ark.setFaults({ own: ["not-open"] })
    const unlike: Upstream = { model: "ep-1", drop: ["is_checked", "size"] }
    const channels = [{ type: "ark", baseUrl: ark.url, models: { [ID]: unlike } }]
    const prices: Configuration["prices"] = [
      { version: "1", models: { [ID]: { perImageMicros: 1 } } },
    ]
    const configuration = { channels, models: [createModel()], prices }
    const service = await start(configuration, { environment: { ARK_API_KEY: "key" } })
    await service.engine.submit(REQUEST)
    const isTold = () => entries.some(({ message }) => message === "channel needs its operator")
    // oxlint-disable-next-line no-await-in-loop
    while (!isTold()) await setImmediate()
    const [{ fields: told } = assert.fail()] = entries.filter(({ level }) => level === "error")
    assert.deepEqual(
      [told["channel"], told["reason"], told["words"]],
      ["ark", "provider_answered_404", "ModelNotOpen: The request failed."],
    )
    assert.deepEqual(ark.purchases, [])
  })
})

const refusals: readonly (readonly [what: string, models: unknown, message: RegExp])[] = [
  ["no model at all", {}, /channels\[0\]\.models: expected a model/],
  ["an unknown member", { [ID]: { model: "a", names: {} } }, /channels\[0\].*acme\/flux.*names/],
  ["no id", { [ID]: { rename: { a: "b" } } }, /channels\[0\].*acme\/flux.*model/],
  ["an id that leaves its path", { [ID]: "../admin" }, /channels\[0\].*acme\/flux: .*own model id/],
  ["names that are none", { [ID]: { model: "a", rename: { a: 1 } } }, /acme\/flux.*rename.*a: /],
  ["a keyword that is none", { [ID]: { model: "a", accepts: { a: { not: 1 } } } }, /accepts.*not/],
]

describe("a configuration that maps models", () => {
  for (const [what, models, message] of refusals) {
    it(`is refused with the place: ${what}`, async (t) => {
      const folder = await temporaryFolder(t)
      const config = join(folder, "safelight.config.json")
      await writeFile(config, JSON.stringify({ channels: [{ type: "fal", models }] }))
      const loading = loadConfiguration({ flags: { config }, environment: {}, folder })
      await assert.rejects(loading, { code: "invalid-configuration", message })
    })
  }

  it("is refused for the studio, which has no models of its own names", async (t) => {
    const folder = await temporaryFolder(t)
    const config = join(folder, "safelight.config.json")
    const channels = [{ type: "studio", models: { [textToImage.id]: "a" } }]
    await writeFile(config, JSON.stringify({ channels }))
    const loading = loadConfiguration({ flags: { config }, environment: {}, folder })
    await assert.rejects(loading, { message: /the studio and comfyui take models as a list/ })
  })

  const unmade: readonly (readonly [string, Configuration["channels"], RegExp])[] = [
    [
      "a model that nobody serves",
      [{ type: "fal", models: { "acme/none": { model: "fal-ai/x" } } }],
      /fal is to make "acme\/none", which is no model/,
    ],
    [
      "a kind that the provider does not make",
      [{ type: "black-forest-labs", models: { [ID]: { model: "x" } } }],
      /^channels: black-forest-labs: black-forest-labs can't make acme\/flux: video$/,
    ],
    [
      "none of the models that are served",
      [{ type: "xai" }],
      /^channels: xai: xai makes none of the models that are served/,
    ],
  ]
  for (const [what, channels, message] of unmade) {
    it(`refuses the start: ${what}`, async (t) => {
      const { start } = await openOwnServices(t)
      const estimate = () => ({ images: 0, inputVideosMs: [], outputVideoMs: 1_000 })
      const models = [{ ...createModel(), artifacts: ["video"], estimate } satisfies Model]
      const environment = { BFL_API_KEY: "key", FAL_KEY: "a:b", XAI_API_KEY: "key" }
      const prices: Configuration["prices"] = [
        { version: "1", models: { [ID]: { perImageMicros: 1, perVideoSecondMicros: 1 } } },
      ]
      await assert.rejects(start({ channels, models, prices }, { environment }), {
        code: "invalid-configuration",
        message,
      })
    })
  }

  it("is listed with the ids that the provider has for its models", async (t) => {
    const folder = await temporaryFolder(t)
    const channels = [{ type: "fal", models: { [textToImage.id]: "acme/own" } }, { type: "studio" }]
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ channels }))
    const environment = { FAL_KEY: "a:b" }
    const { start } = await openOwnServices(t)
    await (await start({ data: join(folder, "data") })).stop()
    const list = async (...words: readonly string[]) =>
      (await runCommand(["channels", "list", "--data", "data", ...words], { folder, environment }))
        .stdout
    const [fal] = JSON.parse(await list("--json")) as { readonly upstreams: object }[]
    assert.deepEqual(fal?.upstreams, { [textToImage.id]: "acme/own" })
    assert.ok((await list()).includes(`${textToImage.id}=acme/own`))
  })
})
