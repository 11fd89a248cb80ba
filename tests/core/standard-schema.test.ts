/**
 * One model, written in valibot, zod, arktype and as a file, takes and refuses the same, at the same places. Where a
 * library has a check that JSON Schema has no word for, its refusal has one code and none of its words.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  defineModel,
  fields,
  findDescriptionFaults,
  integer,
  mediaUrl,
  readModelFile,
  text,
  toCanonicalJson,
  type Model,
  type ParameterValues,
  type StandardSchema,
} from "@safelight/core"
import { scope, type } from "arktype"
import * as v from "valibot"
import * as z from "zod"

const PNG = "data:image/png;base64,AAAA"
const estimate = () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 })

/** Without words of its own, since the schema is all that differs. */
function own<Parameters extends ParameterValues>(
  parameters: StandardSchema<Parameters>,
  media: Readonly<Record<string, "audio" | "image" | "video">> = {},
): Model {
  return defineModel({
    id: "acme/one",
    artifacts: "image",
    parameters,
    logged: [],
    media: media as never,
    estimate,
  })
}

const MEDIA = { photo: "image", "elements/image_url": "image" } as const

const inValibot = own(
  fields({
    prompt: text(1, 20),
    size: v.optional(v.picklist(["small", "4k"]), "small"),
    count: v.optional(integer(1, 4), 1),
    strength: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
    seed: v.optional(v.nullable(integer(0, 9))),
    is_raw: v.optional(v.boolean()),
    colour: v.optional(v.pipe(text(7, 7), v.regex(/^#[0-9a-f]{6}$/))),
    words: v.optional(v.pipe(v.array(text(0, 3)), v.minLength(1), v.maxLength(2))),
    photo: v.optional(mediaUrl("image")),
    elements: v.optional(
      v.pipe(
        v.array(fields({ image_url: mediaUrl("image"), weight: integer(1, 9) })),
        v.maxLength(2),
      ),
    ),
  }),
  MEDIA,
)

const inZod = own(
  z.object({
    prompt: z.string().min(1).max(20),
    size: z.enum(["small", "4k"]).default("small"),
    count: z.int().min(1).max(4).default(1),
    strength: z.number().min(0).max(1).optional(),
    seed: z.int().min(0).max(9).nullable().optional(),
    is_raw: z.boolean().optional(),
    colour: z
      .string()
      .length(7)
      .regex(/^#[0-9a-f]{6}$/)
      .optional(),
    words: z.array(z.string().max(3)).min(1).max(2).optional(),
    photo: z.string().meta({ "x-media": "image" }).optional(),
    elements: z
      .array(
        z.strictObject({
          image_url: z.url().meta({ "x-media": "image" }),
          weight: z.int().min(1).max(9),
        }),
      )
      .max(2)
      .optional(),
  }),
)

const inArktype = own(
  type({
    prompt: "1 <= string <= 20",
    size: "'small' | '4k' = 'small'",
    count: "1 <= number.integer <= 4 = 1",
    "strength?": "0 <= number <= 1",
    "seed?": "0 <= number.integer <= 9 | null",
    "is_raw?": "boolean",
    "colour?": type(/^#[0-9a-f]{6}$/).and("string == 7"),
    "words?": "1 <= (string <= 3)[] <= 2",
    "photo?": "string",
    "elements?": type({ "+": "reject", image_url: "string", weight: "1 <= number.integer <= 9" })
      .array()
      .atMostLength(2),
  }),
  MEDIA,
)

function fromFile(): Model {
  const read = readModelFile({
    id: "acme/one",
    outputs: { image: 1 },
    logged: [],
    parameters: {
      type: "object",
      required: ["prompt"],
      properties: {
        prompt: { type: "string", minLength: 1, maxLength: 20 },
        size: { enum: ["small", "4k"], default: "small" },
        count: { type: "integer", minimum: 1, maximum: 4, default: 1 },
        strength: { type: "number", minimum: 0, maximum: 1 },
        seed: { type: ["integer", "null"], minimum: 0, maximum: 9 },
        is_raw: { type: "boolean" },
        colour: { type: "string", minLength: 7, maxLength: 7, pattern: "^#[0-9a-f]{6}$" },
        words: { type: "array", items: { type: "string", maxLength: 3 }, minItems: 1, maxItems: 2 },
        photo: { type: "string", "x-media": "image" },
        elements: {
          type: "array",
          maxItems: 2,
          items: {
            type: "object",
            required: ["image_url", "weight"],
            properties: {
              image_url: { type: "string", "x-media": "image" },
              weight: { type: "integer", minimum: 1, maximum: 9 },
            },
          },
        },
      },
    },
  })
  assert.ok(read.kind === "model", JSON.stringify(read))
  return read.model
}

const IN_ALL: Readonly<Record<string, Model>> = {
  valibot: inValibot,
  zod: inZod,
  arktype: inArktype,
  "a file": fromFile(),
}

function nest(levels: number): unknown {
  let value: unknown = {}
  for (let level = 0; level < levels; level += 1) value = { prompt: value }
  return value
}

const element = (rest: object = {}): object => ({ image_url: PNG, weight: 1, ...rest })
const image = (rest: object): object => ({ prompt: "fog", ...rest })

/** What is sent; what is refused in it, in order. */
const REQUESTS: readonly (readonly [name: string, sent: unknown, ...refused: string[]])[] = [
  ["the least", { prompt: "a" }],
  ["all", image({ size: "4k", count: 4, strength: 0.5, seed: null, is_raw: true, photo: PNG })],
  ["members in any order", { words: ["a", "b"], seed: 9, prompt: "fog", colour: "#00ff00" }],
  ["nested media", image({ elements: [element(), element({ image_url: "https://a.example/b" })] })],
  ["nothing", {}, "missing_required_parameter parameters.prompt"],
  ["no object", "fog", "invalid_type parameters"],
  ["a list", [], "invalid_type parameters"],
  ["null", null, "invalid_type parameters"],
  ["an empty text", { prompt: "" }, "string_below_min_length parameters.prompt"],
  ["a long text", { prompt: "a".repeat(21) }, "string_above_max_length parameters.prompt"],
  ["a huge text", { prompt: "a".repeat(20e6) }, "string_above_max_length parameters.prompt"],
  ["half a character", { prompt: "\ud800" }, "invalid_value parameters.prompt"],
  ["a deep object", nest(50_000), "invalid_type parameters.prompt"],
  ["a value of no list", image({ size: "8k" }), "invalid_value parameters.size"],
  ["too many", image({ count: 5 }), "integer_above_max_value parameters.count"],
  ["a part", image({ count: 1.5 }), "invalid_type parameters.count"],
  ["infinity", image({ strength: Infinity }), "integer_above_max_value parameters.strength"],
  ["a text for a number", image({ count: "1" }), "invalid_type parameters.count"],
  ["null for a boolean", image({ is_raw: null }), "invalid_type parameters.is_raw"],
  ["another pattern", image({ colour: "#GGGGGG" }), "invalid_value parameters.colour"],
  ["no items", image({ words: [] }), "array_below_min_length parameters.words"],
  ["many items", image({ words: ["", "", ""] }), "array_above_max_length parameters.words"],
  ["a long item", image({ words: ["", "long"] }), "string_above_max_length parameters.words[1]"],
  ["an unknown member", image({ hunter2: 1 }), "unknown_parameter parameters.hunter2"],
  [
    "members of every object",
    JSON.parse('{"prompt":"fog","__proto__":{"a":1},"constructor":1}'),
    "unknown_parameter parameters.__proto__",
    "unknown_parameter parameters.constructor",
  ],
  ["another scheme", image({ photo: "file:///etc/passwd" }), "url_not_allowed parameters.photo"],
  [
    "another kind of data",
    image({ photo: "data:text/html;base64,AAAA" }),
    "invalid_data_url parameters.photo",
  ],
  [
    "nested faults",
    image({ elements: [element(), { image_url: "nowhere", weight: 0, more: 1 }] }),
    "invalid_url parameters.elements[1].image_url",
    "integer_below_min_value parameters.elements[1].weight",
    "unknown_parameter parameters.elements[1].more",
  ],
  [
    "several faults",
    { count: 0, size: 1, prompt: 1 },
    "invalid_type parameters.prompt",
    "invalid_type parameters.size",
    "integer_below_min_value parameters.count",
  ],
]

function tell(model: Model, sent: unknown): readonly string[] {
  const check = model.check(sent)
  if (check.kind === "valid") return [toCanonicalJson(check.parameters)]
  return check.issues.map(({ code, param }) => `${code} ${param}`)
}

describe("the same model", () => {
  for (const [library, model] of Object.entries(IN_ALL)) {
    describe(`in ${library}`, () => {
      for (const [name, sent, ...refused] of REQUESTS) {
        it(refused.length === 0 ? `takes ${name}` : `refuses ${name}`, () => {
          const told = tell(model, sent)
          // The order of members is that of the description, and arktype describes them in one of its own.
          const expected = refused.length === 0 ? tell(inValibot, sent) : refused
          assert.deepEqual(told.toSorted(), expected.toSorted())
        })
      }

      it("applies defaults in canonical order", () => {
        const check = model.check({ strength: 1, prompt: "fog", is_raw: false })
        const parameters = '{"count":1,"is_raw":false,"prompt":"fog","size":"small","strength":1}'
        assert.equal(JSON.stringify(check), `{"kind":"valid","parameters":${parameters}}`)
      })

      it("has its media by path", () => {
        assert.deepEqual({ ...model.media }, MEDIA)
      })
    })
  }

  it("in zod has the messages of the file", () => {
    const file = fromFile()
    for (const [name, sent] of REQUESTS) {
      if (name !== "another pattern") assert.deepEqual(inZod.check(sent), file.check(sent), name)
    }
  })
})

describe("what only the library knows", () => {
  const SECRET = "hunter2 has a lighthouse"

  it("is refused at its place in words of our own", () => {
    const width = z.int().min(1).max(9)
    const model = own(
      z
        .object({
          prompt: z.string().max(99),
          width: width.optional(),
          sizes: z.array(z.object({ width })).max(3),
        })
        .refine(({ prompt }) => !prompt.startsWith("hunter2"), {
          path: ["prompt"],
          error: ({ input }) => `no ${JSON.stringify(input)}`,
        })
        .refine(({ sizes }) => sizes.length < 2, { path: ["sizes", 1, "width"] })
        .refine(({ width: given }) => given !== 1, "no"),
    )
    const check = model.check({ prompt: SECRET, sizes: [{ width: 1 }, { width: 1 }], width: 1 })
    const takes = "must be what the model's schema takes."
    assert.deepEqual(check, {
      kind: "invalid",
      issues: ["parameters.prompt", "parameters.sizes[1].width", "parameters"].map((param) => ({
        param,
        code: "invalid_value",
        message: `${param} ${takes}`,
      })),
    })
  })

  it("is refused in arktype without the value that it prints", () => {
    const prompt = type("string <= 99").narrow((word, context) =>
      word.startsWith("hunter2") ? context.mustBe(`other than ${word}`) : true,
    )
    const check = own(type({ prompt })).check({ prompt: SECRET })
    assert.ok(check.kind === "invalid")
    assert.doesNotMatch(JSON.stringify(check), /hunter2/)
    assert.deepEqual(
      check.issues.map(({ param }) => param),
      ["parameters.prompt"],
    )
  })

  it("counts a text's halves of characters in arktype, where a description counts characters", () => {
    const sent = { prompt: "\u{1f4a9}".repeat(3) }
    const model = own(type({ prompt: "string <= 4" }))
    assert.deepEqual(tell(model, sent), ["invalid_value parameters.prompt"])
    for (const parameters of [
      fields({ prompt: text(0, 4) }),
      z.object({ prompt: z.string().max(4) }),
    ]) {
      assert.equal(own<ParameterValues>(parameters).check(sent).kind, "valid")
    }
  })

  it("may transform, and then makes canonical JSON", () => {
    const model = own(
      z.object({
        prompt: z.string().max(9).trim().toLowerCase(),
        pair: z
          .tuple([z.int().min(0).max(9), z.boolean()])
          .transform(([z1, a1]) => ({ z1, a1, left: undefined })),
      }),
    )
    const check = model.check({ prompt: " Fog ", pair: [1, true] })
    assert.ok(check.kind === "valid")
    assert.equal(JSON.stringify(check.parameters), '{"pair":{"a1":true,"z1":1},"prompt":"fog"}')
  })

  it("is at fault if it answers later, throws, or makes no object, and its words are gone", async () => {
    const late = z.object({
      prompt: z
        .string()
        .max(99)
        .refine(async () => Promise.resolve(true)),
    })
    const throwing = z.object({
      prompt: z
        .string()
        .max(99)
        .transform((told) => JSON.parse(told) as unknown),
    })
    const narrow = type({
      prompt: type("string <= 99").narrow((told) => {
        throw new Error(told)
      }),
    })
    const list = z.object({ prompt: z.string().max(99) }).transform(({ prompt }) => [prompt])
    const faults: readonly (readonly [StandardSchema<unknown>, RegExp])[] = [
      [late, /^model acme\/one: its schema answers with a promise/],
      [throwing, /^model acme\/one: its schema answers with a promise/],
      [narrow, /^model acme\/one: its schema throws$/],
      [list, /^model acme\/one: its schema makes something else than an object of parameters$/],
    ]
    for (const [schema, message] of faults) {
      const model = own(schema as StandardSchema<ParameterValues>)
      assert.throws(
        () => model.check({ prompt: SECRET }),
        (error: Error) => {
          assert.match(error.message, message)
          assert.equal(error.cause, undefined)
          assert.doesNotMatch(String(error.stack), /hunter2/)
          assert.match(String(error.stack), /standard-schema/)
          return true
        },
      )
    }
    // A rejection that nobody took would fail this test.
    await new Promise(setImmediate)
  })

  it("tells no more than a hundred faults", () => {
    const model = own(
      z.object({
        words: z
          .array(
            z
              .string()
              .max(9)
              .refine(() => false),
          )
          .max(1_000),
      }),
    )
    const check = model.check({ words: Array.from({ length: 1_000 }, () => "a") })
    assert.ok(check.kind === "invalid")
    assert.equal(check.issues.length, 100)
  })
})

describe("a schema of another library", () => {
  interface Tree {
    readonly more?: Tree | undefined
  }
  const tree: z.ZodType<Tree> = z.object({
    get more() {
      return tree.optional()
    },
  })
  const cyclic = scope({ tree: { "more?": "tree" } }).export().tree
  const { jsonSchema: _told, ...mute } = z.object({})["~standard"]

  const BAD: readonly (readonly [
    name: string,
    schema: StandardSchema<unknown>,
    message: RegExp,
  ])[] = [
    [
      "without JSON Schema",
      { "~standard": mute },
      /parameters is a schema of zod that gives no JSON Schema: it needs ~standard\.jsonSchema, as zod/,
    ],
    [
      "that is a list",
      z.array(z.int()).max(9),
      /\/parameters must be a schema with "type": "object"$/,
    ],
    ["with a date", z.object({ day: z.date() }), /can't be described as JSON Schema: Date cannot/],
    [
      "with a date of arktype",
      type({ day: "Date" }),
      /\/parameters\/properties\/day takes anything/,
    ],
    ["with an endless text", z.object({ a: z.string() }), /\/properties\/a may have any length/],
    ["with an endless number", z.object({ a: z.number() }), /\/properties\/a may be any number/],
    ["with an endless whole number", type({ a: "number.integer" }), /\/properties\/a may be any/],
    [
      "with an endless list",
      type({ a: "boolean[]" }),
      /\/properties\/a may have any number of items/,
    ],
    [
      "with an endless choice",
      type({ a: "string | 0 < number < 1" }),
      /\/a\/anyOf\/\d may have any/,
    ],
    ["with any member", z.looseObject({}), /\/parameters\/additionalProperties must be false/],
    [
      "with a record",
      z.object({ a: z.record(z.string(), z.int()) }),
      /\/a\/additionalProperties must/,
    ],
    [
      "with names by pattern",
      type({ "[/^a/]": "boolean" } as never),
      /additionalProperties must be/,
    ],
    ["that holds itself", tree, /\/parameters\/properties\/more\/\$ref must name a schema of/],
    ["that holds itself by name", cyclic, /\/properties\/more\/\$ref refers to itself/],
    [
      "with media of no kind",
      z.object({ a: z.string().meta({ "x-media": "smell" }) }),
      /\/a\/x-media must/,
    ],
    [
      "with more media than are fetched",
      z.object({ a: z.array(z.string().meta({ "x-media": "image" })).max(101) }),
      /\/a\/items may be 101 media in one request/,
    ],
  ]
  for (const [name, schema, message] of BAD) {
    it(`${name} is refused when it is defined`, () => {
      assert.throws(
        () => own(schema as StandardSchema<ParameterValues>),
        (error: { readonly code?: string; readonly message: string }) => {
          assert.equal(error.code, "invalid-configuration")
          assert.match(error.message, /^model acme\/one: /)
          assert.match(error.message, message)
          return true
        },
      )
    })
  }

  it("is refused with media where it takes no text", () => {
    const schema = z.object({ size: z.enum(["a", "b"]), n: z.int() })
    for (const path of ["size", "n", "n/a", "photo"]) {
      const pointer = `/media/${path.replace("/", "~1")}`
      assert.throws(() => own(schema, { [path]: "image" }), {
        message: `model acme/one: ${pointer} is not where the parameters take media of the kind "image"`,
      })
    }
  })

  it("may be of any library that describes itself", () => {
    const schema: StandardSchema<{ readonly word: string }> = {
      "~standard": {
        version: 1,
        vendor: "ours",
        validate: (value) => ({ value: value as { readonly word: string } }),
        jsonSchema: {
          input: () => ({
            $schema: "https://json-schema.org/draft/2020-12/schema",
            $ref: "#/$defs/All",
            $defs: {
              All: {
                allOf: [
                  {
                    type: "object",
                    required: ["word"],
                    properties: { word: { $ref: "#/$defs/Word" } },
                  },
                  {
                    type: "object",
                    required: ["at"],
                    properties: {
                      at: { type: "string", format: "time" },
                      photo: { $ref: "#/$defs/Photo" },
                    },
                  },
                ],
                type: "object",
                anyOf: [{ required: ["photo"] }, { required: ["word"] }],
              },
              Word: { type: "string", allOf: [{ maxLength: 3 }, { pattern: "^a" }] },
              Photo: { type: ["string", "null"] },
            },
          }),
        },
      },
    }
    const model = own(schema, { photo: "image" })
    assert.deepEqual(tell(model, { word: "aaaa", photo: "nowhere", more: 1 }), [
      "string_above_max_length parameters.word",
      "missing_required_parameter parameters.at",
      "invalid_url parameters.photo",
      "unknown_parameter parameters.more",
    ])
    assert.equal(model.check({ word: "aaa", at: "12:00", photo: null }).kind, "valid")
    assert.deepEqual(findDescriptionFaults(model.described, model), [])
  })

  it("gives the model its parameters' types", () => {
    const parameters = z.object({ count: z.int().min(1).max(4).default(1), photo: z.string() })
    const model = defineModel({
      id: "acme/one",
      artifacts: "image",
      parameters,
      logged: ["count"],
      media: { photo: "image" },
      estimate: ({ count }) => ({
        images: count satisfies number,
        inputVideosMs: [],
        outputVideoMs: 0,
      }),
    })
    const defineWrong = (): readonly Model[] => [
      // @ts-expect-error -- no parameter has this name
      defineModel({ id: "acme/one", artifacts: "image", parameters, logged: ["size"], estimate }),
      defineModel({
        id: "acme/one",
        artifacts: "image",
        parameters,
        logged: [],
        // @ts-expect-error -- no parameter has this name
        media: { "photo/deep": "image", film: "video" },
        estimate,
      }),
    ]
    assert.throws(defineWrong)
    assert.equal(model.estimate({ count: 3 }).images, 3)
  })
})
