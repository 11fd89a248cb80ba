/** What a workflow takes: exactly what its placeholders say, and the rest at its default alone. */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createComfyUiChannel } from "@safelight/channel-comfyui"
import {
  defineModel,
  fields,
  imageEdit,
  integer,
  MODELS,
  referenceToVideo,
  text,
  textToImage,
} from "@safelight/core"
import * as v from "valibot"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { PARAMETERS, PICTURE, WORKFLOWS } from "./comfyui-world.ts"

async function createAsk() {
  const channel = await createComfyUiChannel({ workflows: WORKFLOWS })
  await channel.close?.()
  return (id: string, change: object) => {
    const given = { ...PARAMETERS[id as keyof typeof PARAMETERS], ...change }
    const check = MODELS.find((model) => model.id === id)?.check(given)
    assert.ok(check?.kind === "valid", JSON.stringify(check))
    return channel.accepts?.({ model: id, parameters: check.parameters })
  }
}

describe("a workflow", async () => {
  const ask = await createAsk()

  const taken: readonly (readonly [string, object])[] = [
    [textToImage.id, {}],
    [textToImage.id, { size: "landscape_4_3", colors: [], enable_safety_checker: true }],
    [imageEdit.id, { quality: "low", resolution: "2k", count: 4, aspect_ratio: "auto" }],
    [referenceToVideo.id, { aspect_ratio: "16:9", resolution: "480p", generate_audio: false }],
    [referenceToVideo.id, { prompt: undefined, duration: undefined }],
  ]
  for (const [id, change] of taken) {
    it(`takes ${id} with ${JSON.stringify(change)}`, () => assert.equal(ask(id, change), true))
  }

  const left: readonly (readonly [string, object, param: string, reason: string])[] = [
    [
      textToImage.id,
      { background_color: { r: 1, g: 2, b: 3 } },
      "background_color",
      "the workflow has no placeholder for background_color",
    ],
    [
      textToImage.id,
      { enable_safety_checker: false },
      "enable_safety_checker",
      "the workflow has no placeholder for enable_safety_checker",
    ],
    [
      textToImage.id,
      { colors: [{ r: 1 }] },
      "colors",
      "the workflow has no placeholder for colors",
    ],
    [imageEdit.id, { output_format: "jpeg" }, "output_format", "the workflow saves PNG alone"],
    [
      imageEdit.id,
      { aspect_ratio: "16:9" },
      "aspect_ratio",
      "the workflow is not for aspect_ratio 16:9",
    ],
    [
      imageEdit.id,
      { image_urls: [PICTURE, PICTURE] },
      "image_urls",
      "the workflow takes 1 of image_urls",
    ],
    [
      referenceToVideo.id,
      { resolution: "720p" },
      "resolution",
      "the workflow is not for resolution 720p",
    ],
    [
      referenceToVideo.id,
      { image_urls: [PICTURE] },
      "image_urls",
      "the workflow has no placeholder for image_urls",
    ],
    [
      referenceToVideo.id,
      { bitrate_mode: "standard" },
      "bitrate_mode",
      "the workflow has no placeholder for bitrate_mode",
    ],
  ]
  for (const [id, change, param, reason] of left) {
    it(`leaves ${id} with ${JSON.stringify(change).slice(0, 60)} to others`, () => {
      assert.deepEqual(ask(id, change), { kind: "ineligible", reason, param })
    })
  }

  it("of a model of one's own is held to that model, and tells no text of a person", async () => {
    const own = defineModel({
      id: "own/picture",
      artifacts: "image",
      parameters: fields({
        words: text(1, 100),
        style: v.optional(text(0, 100), "plain"),
        steps: v.optional(integer(1, 50), 20),
      }),
      logged: ["steps"],
      estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
      charge: () => 0,
    })
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, "own.json")
    const node = (type: string, inputs: object, title: string) => ({
      class_type: type,
      inputs,
      _meta: { title },
    })
    const graph = {
      1: node("Any", { words: "", seed: 1 }, "{{words=words}} {{seed=$seed}} {{only style=plain}}"),
      2: node("My Saver", { images: ["1", 0] }, "{{output}}"),
    }
    await writeFile(file, JSON.stringify(graph))
    const channel = await createComfyUiChannel({ workflows: { [own.id]: file }, models: [own] })
    await channel.close?.()
    const accepts = (parameters: object) =>
      channel.accepts?.({ model: own.id, parameters: { words: "a", ...parameters } })
    assert.equal(accepts({ style: "plain", steps: 20 }), true)
    assert.deepEqual(accepts({ style: "a secret", steps: 20 }), {
      kind: "ineligible",
      reason: "the workflow is not for this style",
      param: "style",
    })
    assert.deepEqual(accepts({ style: "plain", steps: 21 }), {
      kind: "ineligible",
      reason: "the workflow has no placeholder for steps",
      param: "steps",
    })
  })
})
