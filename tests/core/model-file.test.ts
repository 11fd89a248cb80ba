/**
 * A model as a file of JSON: what it takes is what JSON Schema says, as another validator reads it; and what is wrong
 * with a file is told with its place.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { listMediaInputs, readModelFile, type Model } from "@safelight/core"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as fc from "fast-check"
import { check } from "./support/property.ts"

const PROMPT = { type: "string", minLength: 1, maxLength: 5_000 }
const PHOTO = { type: "string", format: "uri", "x-media": "image" }
const FILM = { type: "string", "x-media": "video" }

function file(properties: object = {}, members: object = {}): object {
  return {
    id: "acme/flux",
    outputs: { image: 1 },
    parameters: { type: "object", properties },
    ...members,
  }
}

function read(json: object): Model {
  const found = readModelFile(json)
  assert.equal(found.kind, "model", JSON.stringify(found))
  return found.kind === "model" ? found.model : assert.fail()
}

function faultsOf(json: unknown): readonly string[] {
  const found = readModelFile(json)
  return found.kind === "model"
    ? []
    : found.faults.map(({ pointer, reason }) => `${pointer} ${reason}`)
}

function issuesOf(model: Model, parameters: unknown): readonly string[] {
  const found = model.check(parameters)
  return found.kind === "valid" ? [] : found.issues.map(({ code, param }) => `${code} ${param}`)
}

describe("the parameters of a file", () => {
  const name = fc.constantFrom("a", "b", "c")
  const least = fc.integer({ min: -3, max: 3 })
  const leaf: fc.Arbitrary<object> = fc.oneof(
    fc.constant({ type: "boolean" }),
    fc.constant({ type: "null" }),
    fc.tuple(least, fc.nat(4), fc.constantFrom("integer", "number")).map(([min, more, type]) => ({
      type,
      minimum: min,
      maximum: min + more,
    })),
    fc.tuple(least, fc.constantFrom(1, 2, 0.5)).map(([min, multipleOf]) => ({
      type: "number",
      exclusiveMinimum: min,
      exclusiveMaximum: min + 5,
      multipleOf,
    })),
    fc.tuple(fc.nat(2), fc.nat(3)).map(([min, more]) => ({
      type: "string",
      minLength: min,
      maxLength: min + more,
    })),
    fc.constantFrom("^[ab]*$", "a|bb", "^(?:a|b){2}$", "^.$", "\\d").map((pattern) => ({
      type: "string",
      maxLength: 4,
      pattern,
    })),
    fc.constant({ type: ["string", "null"], maxLength: 2 }),
    fc
      .uniqueArray(fc.constantFrom("a", "", 0, 1, true, false, null), {
        minLength: 1,
        maxLength: 3,
      })
      .map((values) => ({ enum: values })),
    fc.constantFrom("a", 1, false, null).map((value) => ({ const: value })),
    fc.constantFrom("date", "ipv4", "uuid").map((format) => ({ type: "string", format })),
  )
  const schema = fc.letrec<{ any: object }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, depthSize: "small", withCrossShrink: true },
      leaf,
      fc
        .tuple(fc.dictionary(name, tie("any"), { maxKeys: 3 }), fc.array(name))
        .map(([properties, names]) => ({
          type: "object",
          properties: { ...properties },
          required: [...new Set(names)].filter((each) => Object.hasOwn(properties, each)),
          additionalProperties: false,
        })),
      fc
        .tuple(tie("any"), fc.nat(1), fc.nat(3), fc.boolean())
        .map(([items, minItems, more, uniqueItems]) => ({
          type: "array",
          items,
          minItems,
          maxItems: minItems + more,
          uniqueItems,
        })),
      fc
        .tuple(
          fc.constantFrom("anyOf", "oneOf"),
          fc.array(tie("any"), { minLength: 1, maxLength: 3 }),
        )
        .map(([keyword, options]) => ({ [keyword]: options })),
    ),
  })).any
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.constantFrom(
        null,
        true,
        false,
        "",
        "a",
        "ab",
        "bb",
        "\u{1f4a9}",
        "2026-01-31",
        "127.0.0.1",
      ),
      fc.integer({ min: -4, max: 9 }),
      fc.constantFrom(0.5, 1.5, 1.25),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom("a", "b", "c", "constructor"), tie("any"), { maxKeys: 3 }),
    ),
  })).any

  it("are taken and refused as another validator does", (t) => {
    const seen = { valid: 0, invalid: 0 }
    check(
      t,
      fc.property(schema, fc.array(value, { minLength: 8, maxLength: 8 }), (part, values) => {
        const model = read(file({ part }))
        const ajv = new Ajv2020({
          strict: false,
          ownProperties: true,
          formats: {
            date: /^\d{4}-\d\d-\d\d$/,
            ipv4: /^\d+\.\d+\.\d+\.\d+$/,
            uuid: /^[\da-f-]{36}$/,
          },
        })
        const validate = ajv.compile(part)
        for (const each of values) {
          const isValid = validate(each)
          seen[isValid ? "valid" : "invalid"] += 1
          const told = JSON.stringify([part, each, issuesOf(model, { part: each })])
          assert.equal(model.check({ part: each }).kind === "valid", isValid, told)
        }
      }),
    )
    assert.ok(seen.valid > 20 && seen.invalid > 20, JSON.stringify(seen))
  })

  it("have defaults, also in objects and lists", () => {
    const colour = {
      type: "object",
      properties: { r: { type: "integer", minimum: 0, maximum: 9, default: 1 } },
    }
    const model = read({
      ...file(),
      parameters: {
        type: "object",
        $defs: { colour },
        properties: {
          one: { $ref: "#/$defs/colour", default: {} },
          two: { type: "array", maxItems: 2, items: { $ref: "#/$defs/colour" } },
          three: { anyOf: [{ enum: ["red"] }, { $ref: "#/$defs/colour" }] },
        },
      },
    })
    const found = model.check({ two: [{}, { r: 3 }], three: {} })
    const parameters = { one: { r: 1 }, two: [{ r: 1 }, { r: 3 }], three: { r: 1 } }
    assert.deepEqual(found, { kind: "valid", parameters })
  })

  it("are refused in the words of the built-in models", () => {
    const model = read(
      file({
        prompt: PROMPT,
        size: { anyOf: [{ enum: ["square", "wide"] }, { type: "object", properties: {} }] },
        film: FILM,
        count: { type: "integer", minimum: 1, maximum: 4 },
        colour: { type: "string", maxLength: 7, pattern: "^#[0-9a-f]{6}$" },
      }),
    )
    const wrong = { prompt: "", size: "tall", film: "ftp://a", count: 5, colour: "red", x: 1 }
    assert.deepEqual(issuesOf(model, wrong), [
      "string_below_min_length parameters.prompt",
      "invalid_value parameters.size",
      "url_not_allowed parameters.film",
      "integer_above_max_value parameters.count",
      "invalid_value parameters.colour",
      "unknown_parameter parameters.x",
    ])
    assert.deepEqual(issuesOf(model, { size: 1 }), ["invalid_type parameters.size"])
  })

  it("name their media by path", () => {
    const element = {
      type: "object",
      properties: { image_url: PHOTO, videos: { type: "array", maxItems: 2, items: FILM } },
    }
    const model = read(
      file({ start: PHOTO, elements: { type: "array", maxItems: 9, items: element } }),
    )
    assert.deepEqual(model.media, {
      start: "image",
      "elements/image_url": "image",
      "elements/videos": "video",
    })
    const parameters = {
      elements: [
        { image_url: "https://a/1", videos: ["https://a/2", "https://a/3"] },
        { image_url: "https://a/4" },
      ],
    }
    assert.deepEqual(
      listMediaInputs(model, parameters).map(({ param, url }) => `${param} ${url}`),
      [
        "elements/image_url https://a/1",
        "elements/image_url https://a/4",
        "elements/videos https://a/2",
        "elements/videos https://a/3",
      ],
    )
  })
})

describe("the outputs of a file", () => {
  const duration = { enum: ["auto", "5", "8s"], default: "5" }
  const rows: readonly (readonly [outputs: object, parameters: object, usage: object])[] = [
    [{ image: 3 }, {}, { images: 3, outputVideoMs: 0 }],
    [{ image: "/count" }, { count: 2 }, { images: 2, outputVideoMs: 0 }],
    [
      { video: { seconds: { from: "/duration", values: { auto: 15 } } } },
      { duration: "auto" },
      { images: 0, outputVideoMs: 15_000 },
    ],
    [
      { video: { from: "/duration", values: { auto: 15 } } },
      { duration: "8s" },
      { images: 0, outputVideoMs: 8_000 },
    ],
    [
      { video: { count: "/count", seconds: 2.5 }, image: 1 },
      { count: 3 },
      { images: 1, outputVideoMs: 7_500 },
    ],
    [{ audio: { seconds: 4 } }, {}, { images: 0, outputVideoMs: 0, outputAudioMs: 4_000 }],
    [{ text: 1 }, {}, { images: 0, outputVideoMs: 0 }],
  ]
  for (const [outputs, parameters, usage] of rows) {
    it(`${JSON.stringify(outputs)} use up ${JSON.stringify(usage)} of ${JSON.stringify(parameters)}`, () => {
      const count = { type: "integer", minimum: 1, maximum: 4, default: 1 }
      const model = read(file({ count, duration }, { outputs }))
      assert.deepEqual(model.artifacts, Object.keys(outputs))
      const checked = model.check(parameters)
      assert.equal(checked.kind, "valid")
      if (checked.kind === "valid") {
        assert.deepEqual(model.estimate(checked.parameters), { inputVideosMs: [], ...usage })
      }
    })
  }

  it("count input videos and characters where the file says so", () => {
    const urls = { type: "array", maxItems: 3, items: FILM }
    const members = { outputs: { video: 5 }, inputVideos: "/urls", characters: "/prompt" }
    const model = read(file({ urls, prompt: PROMPT }, members))
    assert.deepEqual(model.estimate({ urls: ["https://a"], prompt: "\u{1f4a9}a" }), {
      images: 0,
      inputVideosMs: [30_000],
      outputVideoMs: 5_000,
      characters: 2,
    })
    assert.deepEqual(model.estimate({}), { images: 0, inputVideosMs: [], outputVideoMs: 5_000 })
  })
})

describe("a file that", () => {
  const text = (pattern: string, maxLength = 100): object => ({
    type: "string",
    maxLength,
    pattern,
  })
  const BAD: readonly (readonly [name: string, json: unknown, ...faults: RegExp[]])[] = [
    ["is a list", [], /^ must be an object/],
    [
      "is deep",
      file({ a: { default: JSON.parse(`${"[".repeat(90)}${"]".repeat(90)}`) } }),
      /levels$/,
    ],
    ["has a member of no meaning", file({}, { outputz: 1 }), /^\/outputz is not known/],
    [
      "has several faults",
      file({ a: {}, b: { type: "string" } }, { id: "flux" }),
      /^\/id must be an id/,
      /^\/parameters\/properties\/a takes anything/,
      /^\/parameters\/properties\/b may have any length/,
    ],
    ["has no parameters", { id: "a/b", outputs: { image: 1 } }, /^\/parameters must be a schema/],
    [
      "takes other members",
      file({ a: { type: "object", additionalProperties: true } }),
      /\/a\/additionalProperties must be false/,
    ],
    [
      "uses a keyword of its own",
      file({ a: { type: "string", maxLength: 1, "if~/": {} } }),
      /\/a\/if~0~1 is no keyword/,
    ],
    ["bounds no number", file({ a: { type: "number", minimum: 1 } }), /\/a may be any number/],
    [
      "bounds no list",
      file({ a: { type: "array", items: { type: "boolean" } } }),
      /\/a may have any number of items/,
    ],
    [
      "bounds a number as a text",
      file({ a: { type: "integer", minimum: 1, maximum: 2, maxLength: 1 } }),
      /\/a\/maxLength needs "type": "string"/,
    ],
    [
      "takes an address that nobody fetches",
      file({ a: { type: "string", format: "uri" } }),
      /\/a\/format needs x-media/,
    ],
    [
      "takes too many media",
      file({
        a: { type: "array", maxItems: 20, items: { type: "array", maxItems: 20, items: PHOTO } },
      }),
      /400 media in one request/,
    ],
    [
      "takes media of two kinds at once",
      file({ a: { anyOf: [PHOTO, FILM] } }),
      /^\/parameters takes media of two kinds at a$/,
    ],
    ["has a name with a slash", file({ "a/b": { type: "boolean" } }), /\/a~1b must be named/],
    [
      "has a name that is none",
      JSON.parse(
        '{"id":"a/b","outputs":{"image":1},"parameters":{"type":"object","properties":{"__proto__":{"type":"boolean"}}}}',
      ),
      /__proto__ must be named/,
    ],
    [
      "has a name that every object has",
      file({ constructor: { type: "boolean" } }),
      /constructor must be/,
    ],
    [
      "requires what it has not",
      file({}, { parameters: { type: "object", required: ["a"] } }),
      /\/required\/0 names "a"/,
    ],
    [
      "has a default that it refuses",
      file({ a: { enum: ["x"], default: "y" } }),
      /\/a\/default is refused: it must be "x"/,
    ],
    [
      "has a default in a list that it refuses",
      file({
        a: {
          type: "array",
          maxItems: 1,
          items: { type: "object", properties: { b: { type: "boolean", default: 1 } } },
        },
      }),
      /\/a\/items\/properties\/b\/default is refused/,
    ],
    [
      "has an example that it refuses",
      file({}, { examples: [{ b: 1 }] }),
      /^\/examples\/0 is refused: parameters\.b is not a known/,
    ],
    [
      "has an option whose parameter is none",
      file({}, { options: { size: { parameter: "toString" } } }),
      /^\/options\/size\/parameter must be a parameter/,
    ],
    [
      "has an option with a value that its parameter refuses",
      file({ a: { enum: ["b"] } }, { options: { n: { parameter: "a", values: { 1: "c" } } } }),
      /^\/options\/n\/values\/1 is no value that a takes/,
    ],
    [
      "has an option of another shape",
      file({ a: { enum: ["b"] } }, { options: { n: { parameter: "a", value: {} } } }),
      /^\/options\/n\/value is not known here/,
    ],
    [
      "has a list of options",
      file({}, { options: ["size"] }),
      /^\/options must be an object of at most 50 options/,
    ],
    [
      "has an option of no name",
      file({ a: { enum: ["b"] } }, { options: { "": { parameter: "a" } } }),
      /^\/options\/ must be the name of an option/,
    ],
    ["refers to nothing", file({ a: { $ref: "#/$defs/b" } }), /\/a\/\$ref must name a schema/],
    [
      "refers to another file",
      file({ a: { $ref: "https://x.example/a.json" } }),
      /\/a\/\$ref must name/,
    ],
    [
      "refers to itself",
      file(
        {},
        {
          parameters: {
            type: "object",
            $defs: { t: { type: "object", properties: { t: { $ref: "#/$defs/t" } } } },
            properties: { a: { $ref: "#/$defs/t" } },
          },
        },
      ),
      /\/a\/properties\/t\/\$ref refers to itself/,
    ],
    ["grows by what it refers to", file({}, { parameters: bomb() }), /has more than 2000 schemas/],
    ["has a pattern that is none", file({ a: text("(") }), /\/a\/pattern is no regular expression/],
    [
      "repeats a repetition",
      file({ a: text("^(?:a+)+$") }),
      /\/a\/pattern repeats a group without end/,
    ],
    [
      "has a pattern of too many ways",
      file({ a: text("^a*a*a*a*$") }),
      /\/a\/pattern may take 1e\+10 steps/,
    ],
    ["repeats alternatives", file({ a: text("^(?:a|a){40}$") }), /\/a\/pattern may take/],
    ["looks ahead", file({ a: text("^(?=a)a$") }), /\/a\/pattern looks ahead/],
    ["refers to a group", file({ a: text("^(a)\\1$") }), /\/a\/pattern refers to a group/],
    [
      "has a pattern for many texts",
      file({ a: { type: "array", maxItems: 10_000, items: text("^a*$", 1_000) } }),
      /\/items\/pattern may take/,
    ],
    ["makes nothing", file({}, { outputs: {} }), /^\/outputs must say what is made/],
    ["makes a smell", file({}, { outputs: { smell: 1 } }), /^\/outputs\/smell is no kind/],
    [
      "makes a film without end",
      file({}, { outputs: { video: {} } }),
      /^\/outputs\/video\/seconds must be a number/,
    ],
    [
      "makes as many as nobody says",
      file({}, { outputs: { image: "/n" } }),
      /^\/outputs\/image\/count names no parameter/,
    ],
    [
      "makes as many as may be left out",
      file({ n: { enum: [1, 2] } }, { outputs: { image: "/n" } }),
      /count may be left out by a request/,
    ],
    [
      "makes none",
      file({ n: { enum: [0, 2], default: 2 } }, { outputs: { image: "/n" } }),
      /count must be a whole number from 1, and 0 is none/,
    ],
    [
      "makes a part",
      file(
        { n: { type: "number", minimum: 1, maximum: 2, default: 1 } },
        { outputs: { image: "/n" } },
      ),
      /count must be a whole number from 1/,
    ],
    [
      "counts by words",
      file({ n: { enum: ["auto"], default: "auto" } }, { outputs: { video: "/n" } }),
      /seconds must be a number from 0.001, and "auto" is none/,
    ],
    [
      "measures what is no video",
      file({ a: PHOTO }, { inputVideos: "/a" }),
      /^\/inputVideos must point/,
    ],
    [
      "counts characters of a number",
      file({ a: { type: "boolean" } }, { characters: "/a" }),
      /^\/characters must point/,
    ],
    [
      "logs what a person wrote",
      file({ prompt: PROMPT }, { logged: ["prompt"] }),
      /^\/logged\/0 may not be logged/,
    ],
    ["logs what is no parameter", file({}, { logged: ["prompt"] }), /^\/logged\/0 is no parameter/],
    [
      "has a price in words",
      file({}, { price: { perImageMicros: "1" } }),
      /^\/price\/perImageMicros /,
    ],
    [
      "has a price for nothing known",
      file({}, { price: { perSmellMicros: 1 } }),
      /^\/price\/perSmellMicros is not known/,
    ],
    [
      "has a provider without a model",
      file({}, { providers: { fal: {} } }),
      /^\/providers\/fal\/model /,
    ],
    [
      "renames what is no parameter",
      file({}, { providers: { fal: { model: "a/b", rename: { x: "y" } } } }),
      /^\/providers\/fal\/rename\/x names "x"/,
    ],
  ]
  for (const [name, json, ...expected] of BAD) {
    it(`${name} is refused, with the place`, () => {
      const faults = faultsOf(json)
      assert.equal(faults.length, expected.length, JSON.stringify(faults))
      for (const [at, pattern] of expected.entries()) assert.match(faults[at] ?? "", pattern)
    })
  }

  it("was made by chance never throws", (t) => {
    check(
      t,
      fc.property(fc.jsonValue(), (json) => void readModelFile(json)),
    )
    const keyword = fc.constantFrom(
      "type",
      "enum",
      "items",
      "anyOf",
      "properties",
      "$ref",
      "default",
    )
    const part = fc.dictionary(
      keyword,
      fc.oneof(fc.jsonValue(), fc.constantFrom("object", "array")),
    )
    check(
      t,
      fc.property(part, (json) => void readModelFile(file({ a: json }))),
    )
  })

  it("says which parameters take other APIs' options, which is nothing of its tasks", () => {
    const options = {
      size: { parameter: "a", values: { "1024x1024": "b" } },
      n: { parameter: "a" },
    }
    const parameters = { a: { enum: ["b"] } }
    const model = read(file(parameters, { options }))
    assert.deepEqual(model.options, options)
    assert.equal(model.definition, read(file(parameters)).definition)
  })

  it("logs by default all that may be, and carries what is said of the model", () => {
    const upstream = { model: "fal-ai/flux", rename: { size: "image_size" } }
    const model = read(
      file(
        {
          prompt: PROMPT,
          size: { enum: ["s", "l"] },
          safe: { type: "boolean" },
          n: { type: "integer", minimum: 1, maximum: 2 },
        },
        {
          title: "Flux",
          examples: [{ prompt: "a" }],
          price: { perImageMicros: 7 },
          providers: { fal: upstream, replicate: "black-forest-labs/flux" },
        },
      ),
    )
    assert.deepEqual(model.logged, ["n", "safe", "size"])
    assert.deepEqual(
      [model.title, model.examples, model.price],
      ["Flux", [{ prompt: "a" }], { perImageMicros: 7 }],
    )
    assert.deepEqual(model.upstreams, {
      fal: upstream,
      replicate: { model: "black-forest-labs/flux" },
    })
  })
})

/** 3^12 schemas. */
function bomb(): object {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const $ref = `#/$defs/d${level + 1}`
    const properties = { a: { $ref }, b: { $ref }, c: { $ref } }
    return [`d${level}`, level === 11 ? { type: "boolean" } : { type: "object", properties }]
  })
  const $defs: unknown = Object.fromEntries(levels)
  return { type: "object", $defs, properties: { a: { $ref: "#/$defs/d0" } } }
}
