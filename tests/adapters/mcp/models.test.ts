/** Which tools make a model, and what of many models still stands in a tool. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { ModelInfo } from "@safelight/client"
import { DEFAULTS } from "@safelight/mcp"
import { listTools } from "../../../adapters/mcp/src/models/media-tools.ts"
import { toModelInput } from "../../../adapters/mcp/src/models/input-schema.ts"
import { TOOLS } from "../../../adapters/mcp/src/tools/tools.ts"

const PROMPT = { type: "object", required: ["prompt"], properties: { prompt: { type: "string" } } }

function toModel(more: Partial<ModelInfo> = {}): ModelInfo {
  return {
    model: "acme/one",
    available: true,
    unavailable_reason: null,
    outputs: { type: "image", keys: "image_<n>" },
    media: [],
    limits: { body_bytes: 1, url_characters: 1, data_url_bytes: 1 },
    price_version: "1",
    price: {},
    parameters: PROMPT,
    ...more,
  }
}

const media = (param: string, type: "image" | "video" = "image"): ModelInfo["media"][number] => ({
  param: `parameters.${param}`,
  type,
  data_url_types: [],
})
const needing = (...required: readonly string[]) => ({ ...PROMPT, required })

describe("a model", () => {
  const CASES: readonly [string, Partial<ModelInfo>, readonly string[]][] = [
    ["makes images of a prompt", {}, ["generate_image"]],
    ["may take images", { media: [media("image_urls")] }, ["generate_image", "edit_image"]],
    [
      "needs an image",
      { media: [media("image_url")], parameters: needing("prompt", "image_url") },
      ["edit_image"],
    ],
    [
      "needs images within a list of objects",
      { media: [media("elements/image_url")], parameters: needing("elements") },
      ["edit_image"],
    ],
    [
      "makes an image of a video",
      { media: [media("video_url", "video")], parameters: needing("video_url") },
      ["generate_image"],
    ],
    ["makes video", { outputs: { type: "video", keys: "video" } }, ["generate_video"]],
    ["makes a 3D model", { outputs: { type: "3d", keys: "3d" } }, ["generate_3d"]],
    ["makes text", { outputs: { type: "text", keys: "text" } }, ["generate_text"]],
    ["makes sound", { outputs: { type: "audio", keys: "audio" } }, ["generate_audio"]],
  ]
  for (const [what, more, tools] of CASES) {
    it(`that ${what} is made by ${tools.join(" and ")}`, () => {
      assert.deepEqual(listTools(toModel(more)), tools)
      const listed = [...TOOLS.values()].filter(({ list }) => list([toModel(more)]) !== undefined)
      for (const tool of tools) assert.ok(listed.some(({ name }) => name === tool))
    })
  }
})

describe("the input of a tool", () => {
  const many = (count: number, parameters: object = PROMPT): readonly ModelInfo[] =>
    Array.from({ length: count }, (_, index) =>
      toModel({ model: `acme/${index}`, parameters: { $schema: "x", ...parameters } }),
    )

  it("has the schemas of few models as they are, each by its name", () => {
    const { parameters } = toModelInput(many(2)).properties ?? {}
    const anyOf = [
      { title: "acme/0", ...PROMPT },
      { title: "acme/1", ...PROMPT },
    ]
    assert.deepEqual(parameters, { anyOf })
    assert.deepEqual(toModelInput(many(1)).properties?.["parameters"], anyOf[0])
  })

  it("names models up to the bound, and beyond it says where they are named", () => {
    const most = DEFAULTS.listedModels
    const at = toModelInput(many(most)).properties?.["model"]
    assert.deepEqual(at, { enum: many(most).map(({ model }) => model) })
    const beyond = toModelInput(many(most + 1)).properties?.["model"] as object
    assert.match(JSON.stringify(beyond), /list_models/)
    assert.ok(!("enum" in beyond))
  })

  it("stays small, however many models there are and however long their schemas", () => {
    const long = { ...PROMPT, description: "x".repeat(10_000) }
    const size = (models: readonly ModelInfo[]): number =>
      JSON.stringify(toModelInput(models)).length
    assert.ok(size(many(1, long)) > 10_000)
    assert.match(JSON.stringify(toModelInput(many(2, long))), /describe_model/)
    assert.ok(size(many(2, long)) < 1_000)
    assert.ok(size(many(5_000)) < 1_000)
  })
})
