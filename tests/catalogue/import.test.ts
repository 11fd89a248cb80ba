/** Models' files from what providers say of their models: realistic documents, hostile ones, and any others. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { importModel, type ImportOptions, type ModelImport } from "@safelight/catalogue"
import { readModelFile } from "@safelight/core"
import * as fc from "fast-check"
import { check } from "../core/support/property.ts"

const SOURCE = { address: "https://fal.ai/openapi.json", read: "2026-11-26" }

function json(schema: unknown): object {
  return { content: { "application/json": { schema } } }
}

/** As fal describes the queue of an endpoint. */
function toFal(input: unknown, output: unknown, schemas: object = {}): object {
  return {
    openapi: "3.0.4",
    components: { schemas },
    paths: {
      "/fal-ai/x": { post: { requestBody: json(input) } },
      "/fal-ai/x/requests/{request_id}": { get: { responses: { 200: json(output) } } },
    },
  }
}

function fromFal(document: unknown, more: Partial<ImportOptions> = {}): ModelImport {
  const asked = { provider: "fal", endpoint: "fal-ai/x", id: "acme/x", source: SOURCE } as const
  return importModel(document, { ...asked, ...more })
}

function toFile(made: ModelImport) {
  assert.ok(made.kind === "model", JSON.stringify(made))
  const read = readModelFile(made.file)
  assert.ok(read.kind === "model", JSON.stringify(read))
  return {
    model: read.model,
    notes: made.notes.map(({ pointer, topic, words }) => `${topic} ${pointer} ${words}`),
    outputs: made.file["outputs"],
    parameters: made.file["parameters"] as { readonly properties: Record<string, object> },
  }
}

const FILE = { type: "object", properties: { url: { type: "string" } } }
const PROMPT = { prompt: { type: "string", maxLength: 100, examples: ["fog"] } }

function object(properties: object, required: readonly string[] = []): object {
  return { type: "object", properties, required }
}

describe("an import from fal", () => {
  it("has the parameters bounded, ordered and told, and media marked", () => {
    const input = object(
      {
        seed: { anyOf: [{ type: "integer" }, { type: "null" }], title: "Seed" },
        image_urls: {
          type: "array",
          items: { type: "string" },
          examples: [["https://a.example/b"]],
        },
        loras: { type: "array", items: { $ref: "#/components/schemas/LoRA" }, default: [] },
        size: {
          anyOf: [{ $ref: "#/components/schemas/Size" }, { type: "string", enum: ["square"] }],
          default: "square",
        },
        num_images: { type: "integer", minimum: 1, maximum: 4, default: 1 },
        prompt: { type: "string", description: "What to make.", examples: ["fog"] },
        extra: {},
      },
      ["prompt", "image_urls"],
    )
    const schemas = {
      In: { ...input, "x-fal-order-properties": ["prompt", "image_urls"] },
      Size: object({ width: { type: "integer", exclusiveMinimum: 0, maximum: 14_142 } }),
      LoRA: object({ path: { type: "string" }, scale: { type: "number", maximum: 4 } }, ["path"]),
      Out: object({ images: { type: "array", items: FILE } }),
    }
    const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const { model, notes, outputs, parameters } = toFile(
      fromFal(toFal(refer("In"), refer("Out"), schemas)),
    )
    assert.deepEqual(outputs, { image: "/num_images" })
    assert.deepEqual(Object.keys(parameters.properties).slice(0, 2), ["prompt", "image_urls"])
    assert.equal("extra" in parameters.properties, false)
    assert.deepEqual(model.media, { image_urls: "image" })
    assert.deepEqual(model.examples, [{ prompt: "fog", image_urls: ["https://a.example/b"] }])
    assert.deepEqual(parameters.properties["seed"], {
      type: "integer",
      minimum: 0,
      maximum: 2_147_483_647,
    })
    const at = "/parameters/properties"
    assert.deepEqual(notes, [
      `bounded ${at}/prompt/maxLength 5000`,
      `bounded ${at}/image_urls/maxItems 10`,
      `bounded ${at}/seed/minimum 0`,
      `bounded ${at}/seed/maximum 2147483647`,
      `bounded ${at}/loras/items/properties/path/maxLength 5000`,
      `bounded ${at}/loras/items/properties/scale/minimum 0`,
      `bounded ${at}/loras/maxItems 10`,
      `left-out ${at}/extra takes anything: it names no type`,
    ])
  })

  for (const [name, input, output, expected] of [
    [
      "a film by its seconds, and a frame",
      { duration: { type: "string", enum: ["5", "10"], default: "5" } },
      { video: FILE, image: FILE },
      { video: { seconds: "/duration" }, image: 1 },
    ],
    [
      "a film whose length the provider may decide, as the longest",
      { duration: { type: "string", enum: ["auto", "4", "8"] } },
      { video: FILE },
      { video: { seconds: { from: "/duration", values: { auto: 8 }, default: 8 } } },
    ],
    ["a film without a length", {}, { video: FILE }, { video: { seconds: 10 } }],
    ["speech", {}, { audio: { anyOf: [FILE, { type: "null" }] } }, { audio: { seconds: 60 } }],
    ["a body", {}, { model_mesh: FILE, textures: { type: "array", items: FILE } }, { "3d": 1 }],
    ["a text", {}, { output: { type: "string" } }, { text: 1 }],
    ["pictures that nobody counts", {}, { images: { type: "array", items: FILE } }, { image: 1 }],
  ] as const) {
    it(`makes ${name}`, () => {
      const document = toFal(object({ ...PROMPT, ...input }, ["prompt"]), object(output))
      assert.deepEqual(toFile(fromFal(document)).outputs, expected)
    })
  }

  it("counts by one parameter, since two would multiply", () => {
    const count = { type: "integer", minimum: 1, maximum: 6, default: 1 }
    const output = object({ images: { type: "array", items: FILE } })
    const both = { ...PROMPT, num_images: count, max_images: count }
    const { notes, outputs, parameters } = toFile(fromFal(toFal(object(both), output)))
    assert.deepEqual(outputs, { image: "/num_images" })
    assert.equal("max_images" in parameters.properties, false)
    assert.match(notes.at(-1) ?? "", /^left-out .*max_images counts beside another parameter/)
    const needed = fromFal(toFal(object(both, ["max_images"]), output))
    assert.ok(needed.kind === "refused")
    assert.equal(needed.faults[0].pointer, "/parameters/properties/max_images")
  })

  it("takes the kind that is asked for where the document leaves it open, and is refused without", () => {
    const document = toFal(object(PROMPT), object({ thing: { type: "integer" } }))
    const refused = fromFal(document)
    assert.ok(refused.kind === "refused")
    assert.match(refused.faults[0].reason, /leaves open what it makes: image, video/)
    assert.deepEqual(toFile(fromFal(document, { kind: "3d" })).outputs, { "3d": 1 })
  })
})

describe("an import from Replicate", () => {
  const version = "ab".repeat(32)
  function toReplicate(more: object, Output: object, Input: object = object(PROMPT)): object {
    const openapi_schema = { components: { schemas: { Input, Output } } }
    return { description: "Pictures.", latest_version: { id: version, openapi_schema }, ...more }
  }
  const options = { provider: "replicate", endpoint: "acme/there" } as const

  it("names an official model by its name and any other by its version", () => {
    const output = { type: "string", format: "uri" }
    for (const [more, upstream] of [
      [{ is_official: true }, "acme/there"],
      [{}, `acme/there:${version}`],
    ] as const) {
      const document = toReplicate(more, output)
      const { model } = toFile(fromFal(document, { ...options, kind: "image" }))
      assert.deepEqual(model.upstreams, { replicate: { model: upstream } })
      assert.equal(model.description, "Pictures.")
    }
  })

  it("knows what is made by the model's example or its formats, and else asks", () => {
    const files = { type: "array", items: { type: "string", format: "uri" } }
    const example = { default_example: { output: ["https://a.example/b.webp?x=1"] } }
    const counted = object({
      ...PROMPT,
      num_outputs: { type: "integer", minimum: 1, maximum: 4, default: 1 },
    })
    assert.deepEqual(toFile(fromFal(toReplicate(example, files, counted), options)).outputs, {
      image: "/num_outputs",
    })
    const formats = object({ ...PROMPT, output_format: { type: "string", enum: ["mp3", "wav"] } })
    const audio = fromFal(toReplicate({}, { type: "string", format: "uri" }, formats), options)
    assert.deepEqual(toFile(audio).outputs, { audio: { seconds: 60 } })
    assert.equal(fromFal(toReplicate({}, files), options).kind, "refused")
    const told = toReplicate(
      {},
      { type: "array", items: { type: "string" }, "x-cog-array-type": "iterator" },
    )
    assert.ok(["model", "refused"].includes(fromFal(told, options).kind))
  })
})

describe("a document that means harm", () => {
  const output = object({ images: { type: "array", items: FILE } })
  const deep = Array.from({ length: 500 }).reduce<object>(
    (below) => ({ type: "object", properties: { a: below } }),
    { type: "string" },
  )
  const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `S${index}`,
      object({ a: refer(`S${index + 1}`), b: refer(`S${index + 1}`) }),
    ]),
  )

  for (const [name, input, schemas] of [
    ["refers to itself", refer("A"), { A: { allOf: [refer("A")] } }],
    ["needs what it can't say", object({ a: {} }, ["a"]), {}],
    ["needs what it does not describe", object(PROMPT, ["other"]), {}],
    ["doubles with each level", refer("S0"), { ...doubling, S40: { type: "string" } }],
    ["refers elsewhere", object({ a: { $ref: "https://evil.example/a.json" } }, ["a"]), {}],
    ["is no schema", 7, {}],
    ["is a list", [], {}],
  ] as const) {
    it(`is refused where it ${name}, with its place`, () => {
      const made = fromFal(toFal(input, output, schemas))
      assert.ok(made.kind === "refused", JSON.stringify(made).slice(0, 500))
      assert.ok(made.faults[0].reason.length > 0 && made.faults[0].reason.length < 500)
    })
  }

  it("loses what no parameter may be: endless patterns, huge lists, names of objects, depths", () => {
    const raw = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"boolean"},"ok":{"type":"boolean"}}',
    ) as object
    const { parameters } = toFile(
      fromFal(
        toFal(
          object({
            ...raw,
            ...PROMPT,
            deep,
            word: { type: "string", maxLength: 50, pattern: "^(a+)+$" },
            many: { type: "string", enum: Array.from({ length: 5_000 }, (_, at) => `v${at}`) },
            ["x".repeat(10_000)]: { type: "boolean" },
          }),
          output,
        ),
      ),
    )
    assert.deepEqual(Object.keys(parameters.properties).toSorted(), ["ok", "prompt", "word"])
    assert.equal("pattern" in (parameters.properties["word"] ?? {}), false)
  })
})

describe("any document", () => {
  const schema = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      // The first is all there is at the deepest level.
      fc.jsonValue({ maxDepth: 2 }),
      fc.record(
        {
          type: fc.constantFrom(
            "string",
            "integer",
            "number",
            "boolean",
            "array",
            "object",
            "null",
            5,
          ),
          enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
          default: fc.jsonValue({ maxDepth: 1 }),
          minimum: fc.oneof(fc.integer(), fc.double()),
          maximum: fc.oneof(fc.integer(), fc.double()),
          maxLength: fc.integer({ min: -1, max: 5_000_000 }),
          minItems: fc.integer({ min: -1, max: 20 }),
          maxItems: fc.integer({ min: -1, max: 200_000 }),
          multipleOf: fc.double(),
          pattern: fc.constantFrom("^a$", "(", "(a*)*b", "[a-z]{1,8}"),
          format: fc.constantFrom("uri", "date", "binary", "other"),
          items: tie("any"),
          required: fc.array(fc.constantFrom("prompt", "image_url", "a"), { maxLength: 2 }),
          properties: fc.dictionary(
            fc.constantFrom("prompt", "image_url", "num_images", "duration", "a", "constructor"),
            tie("any"),
            { maxKeys: 4 },
          ),
          anyOf: fc.array(tie("any"), { maxLength: 3 }),
          allOf: fc.array(tie("any"), { maxLength: 2 }),
          $ref: fc.constantFrom("#/components/schemas/A", "#/components/schemas/B", "#", "x"),
        },
        { requiredKeys: [] },
      ),
    ),
  })).any

  it("becomes a file that serves, or is refused with a reason", (t) => {
    const document = fc
      .tuple(schema, schema, schema, schema)
      .map(([input, output, a, b]) => toFal(input, output, { A: a, B: b }))
    const property = fc.property(
      document,
      fc.constantFrom("image", "video", undefined),
      (each, kind) => {
        const made = fromFal(each, kind === undefined ? {} : { kind })
        if (made.kind === "model") assert.equal(readModelFile(made.file).kind, "model")
        else assert.ok(made.faults.length > 0)
      },
    )
    check(t, property, 1_000)
  })
})
