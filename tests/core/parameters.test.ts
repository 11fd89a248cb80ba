/**
 * The parameters of all three models, both sides of every bound (specification §2.4–2.6, §8;
 * http-decisions §2, §4), through the public `check`. A row of a table is a value and what is wrong
 * with it: nothing, or pairs of code and path.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  imageEdit,
  MODELS,
  referenceToVideo,
  textToImage,
  type Model,
  type ParameterValues,
} from "@safelight/core"
import * as fc from "fast-check"
import { check } from "./support/property.ts"

type Fault = readonly [code: string, param: string]
type Row = readonly [title: string, parameters: unknown, ...faults: Fault[]]

const PNG = "data:image/png;base64,AAAA"
const URL = "https://media.example/a.png"
const POO = "\u{1f4a9}"

function faultsOf(model: Model, parameters: unknown): Fault[] {
  const result = model.check(parameters)
  return result.kind === "valid"
    ? []
    : result.issues.map((issue) => [issue.code, issue.param] as const)
}

function accepted(model: Model, parameters: unknown): ParameterValues {
  const result = model.check(parameters)
  assert.equal(result.kind, "valid", JSON.stringify(result).slice(0, 500))
  return result.kind === "valid" ? result.parameters : {}
}

function describeRows(suite: string, model: Model, rows: readonly Row[]): void {
  describe(suite, () => {
    for (const [title, parameters, ...faults] of rows) {
      const codes = [...new Set(faults.map(([code]) => code))].join(" and ")
      const name = faults.length === 0 ? `accepts ${title}` : `refuses ${title} as ${codes}`
      it(name, () => assert.deepEqual(faultsOf(model, parameters), faults))
    }
  })
}

const image = (rest: object): object => ({ prompt: "a", ...rest })
const edit = (rest: object): object => ({ prompt: "a", image_urls: [URL], ...rest })
const list = (length: number, item: unknown = URL): unknown[] => Array.from({ length }, () => item)

/** Both sides of an integer's bounds, wrong types and forms, at `param`. */
function integerRows(
  param: string,
  lowest: number,
  highest: number,
  place: (value: unknown) => object,
): Row[] {
  const path = `parameters.${param}`
  return [
    [`${param} ${lowest}`, place(lowest)],
    [`${param} ${highest}`, place(highest)],
    [`${param} written as 4.0e0`, place(JSON.parse("4.0e0"))],
    [`${param} ${lowest - 1}`, place(lowest - 1), ["integer_below_min_value", path]],
    [`${param} ${highest + 1}`, place(highest + 1), ["integer_above_max_value", path]],
    [`${param} 1e308`, place(1e308), ["integer_above_max_value", path]],
    [`${param} with a fraction`, place(lowest + 0.5), ["invalid_type", path]],
    [`${param} beyond all numbers`, place(JSON.parse("1e999")), ["invalid_type", path]],
    [`${param} as a text`, place(String(lowest)), ["invalid_type", path]],
    [`${param} as a boolean`, place(true), ["invalid_type", path]],
    [`${param} null`, place(null), ["invalid_type", path]],
    [`${param} in an array`, place([lowest]), ["invalid_type", path]],
  ]
}

/** Every allowed value, the same in another case or with blanks, and values of other types. */
function choiceRows(
  param: string,
  choices: readonly string[],
  place: (value: unknown) => object,
): Row[] {
  const path = `parameters.${param}`
  const first = choices[0] ?? ""
  return [
    ...choices.map((choice): Row => [`${param} ${choice}`, place(choice)]),
    ...choices
      .filter((choice) => choice !== choice.toUpperCase())
      .map((choice): Row => [
        `${param} ${choice.toUpperCase()}`,
        place(choice.toUpperCase()),
        ["invalid_value", path],
      ]),
    [`${param} with a blank`, place(`${first} `), ["invalid_value", path]],
    [`${param} empty`, place(""), ["invalid_value", path]],
    [`${param} as a number`, place(1), ["invalid_type", path]],
    [`${param} null`, place(null), ["invalid_type", path]],
    [`${param} in an array`, place([first]), ["invalid_type", path]],
    [`${param} in an object`, place({ value: first }), ["invalid_type", path]],
  ]
}

function booleanRows(param: string, place: (value: unknown) => object): Row[] {
  const path = `parameters.${param}`
  return [
    [`${param} true`, place(true)],
    [`${param} false`, place(false)],
    [`${param} null`, place(null), ["invalid_type", path]],
    [`${param} as a text`, place("true"), ["invalid_type", path]],
    [`${param} as a number`, place(0), ["invalid_type", path]],
  ]
}

for (const model of MODELS) {
  const missing: Fault[] = faultsOf(model, {})
  describeRows(`what ${model.id} takes for parameters`, model, [
    ["null", null, ["invalid_type", "parameters"]],
    ["an array", [], ["invalid_type", "parameters"]],
    ["a text", "{}", ["invalid_type", "parameters"]],
    ["a number", 1, ["invalid_type", "parameters"]],
    ["nothing at all, as one error", undefined, ["missing_required_parameter", "parameters"]],
    ["an unknown member", { unknown: 1 }, ...missing, ["unknown_parameter", "parameters.unknown"]],
    [
      "a member called __proto__",
      JSON.parse('{"__proto__":{"prompt":"a"}}'),
      ...missing,
      ["unknown_parameter", "parameters.__proto__"],
    ],
    [
      "a member called constructor",
      { constructor: 1 },
      ...missing,
      ["unknown_parameter", "parameters.constructor"],
    ],
    [
      "every unknown member",
      { one: 1, two: 2 },
      ...missing,
      ["unknown_parameter", "parameters.one"],
      ["unknown_parameter", "parameters.two"],
    ],
    [
      "a known name in another case",
      { Prompt: "a" },
      ...missing,
      ["unknown_parameter", "parameters.Prompt"],
    ],
  ])
}

describeRows("the prompt of text to image", textToImage, [
  ["none", {}, ["missing_required_parameter", "parameters.prompt"]],
  ["an empty one", image({ prompt: "" }), ["string_below_min_length", "parameters.prompt"]],
  ["one character", image({ prompt: "a" })],
  ["one character of two code units", image({ prompt: POO })],
  ["a blank, untrimmed", image({ prompt: " " })],
  ["10,000 characters", image({ prompt: "a".repeat(10_000) })],
  [
    "10,001 characters",
    image({ prompt: "a".repeat(10_001) }),
    ["string_above_max_length", "parameters.prompt"],
  ],
  ["10,000 code points of two units", image({ prompt: POO.repeat(10_000) })],
  [
    "10,001 code points of two units",
    image({ prompt: POO.repeat(10_001) }),
    ["string_above_max_length", "parameters.prompt"],
  ],
  ["10,000 code points that compose to fewer", image({ prompt: "e\u0301".repeat(5_000) })],
  [
    "10,001 code points that compose to fewer",
    image({ prompt: `${"e\u0301".repeat(5_000)}a` }),
    ["string_above_max_length", "parameters.prompt"],
  ],
  ["U+0000", image({ prompt: "\u0000" })],
  ["a lone high surrogate", image({ prompt: "a\ud83d" }), ["invalid_value", "parameters.prompt"]],
  ["a lone low surrogate", image({ prompt: "\udca9a" }), ["invalid_value", "parameters.prompt"]],
  ["null", image({ prompt: null }), ["invalid_type", "parameters.prompt"]],
  ["a number", image({ prompt: 1 }), ["invalid_type", "parameters.prompt"]],
  ["an array of texts", image({ prompt: ["a"] }), ["invalid_type", "parameters.prompt"]],
])

const component = (name: string): Row[] =>
  integerRows(`background_color.${name}`, 0, 255, (value) =>
    image({ background_color: { [name]: value } }),
  )

describeRows("the other parameters of text to image", textToImage, [
  ...choiceRows(
    "size",
    ["square_hd", "square", "portrait_4_3", "portrait_16_9", "landscape_4_3", "landscape_16_9"],
    (size) => image({ size }),
  ),
  ["a custom size", image({ size: { width: 9, height: 9 } }), ["invalid_type", "parameters.size"]],
  ...booleanRows("enable_safety_checker", (value) => image({ enable_safety_checker: value })),
  ...component("r"),
  ...component("g"),
  ...component("b"),
  [
    "a colour null",
    image({ background_color: null }),
    ["invalid_type", "parameters.background_color"],
  ],
  [
    "a colour as an array",
    image({ background_color: [1, 2, 3] }),
    ["invalid_type", "parameters.background_color"],
  ],
  [
    "a colour as a text",
    image({ background_color: "#fff" }),
    ["invalid_type", "parameters.background_color"],
  ],
  [
    "a fourth component",
    image({ background_color: { r: 1, a: 1 } }),
    ["unknown_parameter", "parameters.background_color.a"],
  ],
  [
    "__proto__ in a colour",
    image({ background_color: JSON.parse('{"__proto__":{}}') }),
    ["unknown_parameter", "parameters.background_color.__proto__"],
  ],
  ["colors null", image({ colors: null }), ["invalid_type", "parameters.colors"]],
  ["colors as one colour", image({ colors: { r: 1 } }), ["invalid_type", "parameters.colors"]],
  [
    "a colour item as a number",
    image({ colors: [{}, 7] }),
    ["invalid_type", "parameters.colors[1]"],
  ],
  [
    "a component out of range",
    image({ colors: [{}, { g: 256 }] }),
    ["integer_above_max_value", "parameters.colors[1].g"],
  ],
  [
    "several faults, in order",
    image({ size: "", colors: [{ r: -1 }, { b: 0.5 }] }),
    ["invalid_value", "parameters.size"],
    ["integer_below_min_value", "parameters.colors[0].r"],
    ["invalid_type", "parameters.colors[1].b"],
  ],
])

describe("a colour in its doubled form", () => {
  const colours: readonly (readonly [title: string, parameters: object, output: object])[] = [
    ["{} is black", { background_color: {} }, { background_color: { r: 0, g: 0, b: 0 } }],
    [
      "a part is completed",
      { background_color: { g: 7 } },
      { background_color: { r: 0, g: 7, b: 0 } },
    ],
    [
      "doubled",
      { background_color: { background_color: { r: 1, g: 2, b: 3 } } },
      { background_color: { r: 1, g: 2, b: 3 } },
    ],
    [
      "doubled and empty",
      { background_color: { background_color: {} } },
      { background_color: { r: 0, g: 0, b: 0 } },
    ],
    ["no palette", { colors: [] }, { colors: [] }],
    [
      "a palette",
      { colors: [{ r: 1 }, { b: 2 }] },
      {
        colors: [
          { r: 1, g: 0, b: 0 },
          { r: 0, g: 0, b: 2 },
        ],
      },
    ],
    [
      "a doubled palette",
      { colors: [{ colors: [{ r: 1 }, { r: 2 }] }] },
      {
        colors: [
          { r: 1, g: 0, b: 0 },
          { r: 2, g: 0, b: 0 },
        ],
      },
    ],
    [
      "both forms beside each other, in order",
      { colors: [{ r: 1 }, { colors: [{ r: 2 }, { r: 3 }] }, { r: 4 }] },
      { colors: [1, 2, 3, 4].map((r) => ({ r, g: 0, b: 0 })) },
    ],
    ["an empty doubled palette", { colors: [{ colors: [] }] }, { colors: [] }],
  ]
  for (const [title, parameters, output] of colours) {
    it(`is flattened: ${title}`, () => {
      const defaults = { prompt: "a", size: "square_hd", enable_safety_checker: true, colors: [] }
      assert.deepEqual(accepted(textToImage, image(parameters)), { ...defaults, ...output })
    })
  }
})

const doubled = "parameters.background_color.background_color"
describeRows("a colour in a mixture of its forms", textToImage, [
  [
    "the doubled form beside a component",
    image({ background_color: { background_color: {}, r: 1 } }),
    ["unknown_parameter", doubled],
  ],
  [
    "a form nested thrice",
    image({ background_color: { background_color: { background_color: {} } } }),
    ["unknown_parameter", `${doubled}.background_color`],
  ],
  [
    "the palette's name in a colour",
    image({ background_color: { colors: {} } }),
    ["unknown_parameter", "parameters.background_color.colors"],
  ],
  [
    "a doubled component out of range",
    image({ background_color: { background_color: { r: 256 } } }),
    ["integer_above_max_value", `${doubled}.r`],
  ],
  [
    "a doubled colour null",
    image({ background_color: { background_color: null } }),
    ["invalid_type", doubled],
  ],
  [
    "a doubled item beside a component",
    image({ colors: [{ colors: [], r: 1 }] }),
    ["unknown_parameter", "parameters.colors[0].colors"],
  ],
  [
    "a doubled item that is no array",
    image({ colors: [{ colors: { r: 1 } }] }),
    ["invalid_type", "parameters.colors[0].colors"],
  ],
  [
    "items nested thrice",
    image({ colors: [{ colors: [{ colors: [] }] }] }),
    ["unknown_parameter", "parameters.colors[0].colors[0].colors"],
  ],
  [
    "a doubled item out of range",
    image({ colors: [{}, { colors: [{}, { g: 256 }] }] }),
    ["integer_above_max_value", "parameters.colors[1].colors[1].g"],
  ],
])

const RATIOS = [
  "auto",
  "2:1",
  "20:9",
  "19.5:9",
  "16:9",
  "4:3",
  "3:2",
  "1:1",
  "2:3",
  "3:4",
  "9:16",
  "9:19.5",
  "9:20",
  "1:2",
]

describeRows("the parameters of the edit", imageEdit, [
  [
    "neither of the required",
    {},
    ["missing_required_parameter", "parameters.prompt"],
    ["missing_required_parameter", "parameters.image_urls"],
  ],
  ["an empty prompt", edit({ prompt: "" })],
  ["a prompt of 8,000 code points", edit({ prompt: POO.repeat(8_000) })],
  [
    "a prompt of 8,001 code points",
    edit({ prompt: POO.repeat(8_001) }),
    ["string_above_max_length", "parameters.prompt"],
  ],
  ["no image", edit({ image_urls: [] }), ["array_below_min_length", "parameters.image_urls"]],
  ["one image", edit({ image_urls: [PNG] })],
  ["five images, the same five times", edit({ image_urls: list(5) })],
  [
    "six images",
    edit({ image_urls: list(6) }),
    ["array_above_max_length", "parameters.image_urls"],
  ],
  ["images null", edit({ image_urls: null }), ["invalid_type", "parameters.image_urls"]],
  ["images as a text", edit({ image_urls: URL }), ["invalid_type", "parameters.image_urls"]],
  [
    "images as an object",
    edit({ image_urls: { 0: URL } }),
    ["invalid_type", "parameters.image_urls"],
  ],
  [
    "an image null",
    edit({ image_urls: [URL, null] }),
    ["invalid_type", "parameters.image_urls[1]"],
  ],
  ...choiceRows("output_format", ["jpeg", "png", "webp"], (output_format) =>
    edit({ output_format }),
  ),
  ...choiceRows("quality", ["low", "medium"], (quality) => edit({ quality })),
  ["a quality of other models", edit({ quality: "high" }), ["invalid_value", "parameters.quality"]],
  ...choiceRows("resolution", ["1k", "2k"], (resolution) => edit({ resolution })),
  ...choiceRows("aspect_ratio", RATIOS, (aspect_ratio) => edit({ aspect_ratio })),
  ["sync_mode false", edit({ sync_mode: false })],
  ["sync_mode true", edit({ sync_mode: true }), ["invalid_value", "parameters.sync_mode"]],
  ["sync_mode null", edit({ sync_mode: null }), ["invalid_type", "parameters.sync_mode"]],
  ["sync_mode as a text", edit({ sync_mode: "false" }), ["invalid_type", "parameters.sync_mode"]],
  ...integerRows("count", 1, 4, (count) => edit({ count })),
])

const references = (name: string, most: number): Row[] => [
  [`no ${name}`, { [name]: [] }],
  [`${most} ${name}`, { [name]: list(most) }],
  [
    `${most + 1} ${name}`,
    { [name]: list(most + 1) },
    ["array_above_max_length", `parameters.${name}`],
  ],
  [`${name} null`, { [name]: null }, ["invalid_type", `parameters.${name}`]],
  [`a number among ${name}`, { [name]: [1] }, ["invalid_type", `parameters.${name}[0]`]],
  [
    `a file among ${name}`,
    { [name]: [URL, "file:///etc/passwd"] },
    ["url_not_allowed", `parameters.${name}[1]`],
  ],
]

describeRows("the parameters of reference to video", referenceToVideo, [
  ["none at all", {}],
  ["an empty prompt", { prompt: "" }],
  ["a prompt of a million characters", { prompt: POO.repeat(1_000_000) }],
  [
    "a prompt of a million and one characters",
    { prompt: "a".repeat(1_000_001) },
    ["string_above_max_length", "parameters.prompt"],
  ],
  ["a prompt with a lone surrogate", { prompt: "\ud800" }, ["invalid_value", "parameters.prompt"]],
  ["a prompt null", { prompt: null }, ["invalid_type", "parameters.prompt"]],
  ...choiceRows("resolution", ["480p", "720p", "1080p"], (resolution) => ({ resolution })),
  ...choiceRows("aspect_ratio", ["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"], (aspect_ratio) => ({
    aspect_ratio,
  })),
  ...choiceRows("bitrate_mode", ["standard", "high"], (bitrate_mode) => ({ bitrate_mode })),
  ...booleanRows("generate_audio", (generate_audio) => ({ generate_audio })),
  ...integerRows("duration", 4, 30, (duration) => ({ duration })),
  ...references("image_urls", 30),
  ...references("video_urls", 10),
  ...references("audio_urls", 10),
  ["a video as a data URL", { video_urls: ["data:video/mp4;base64,AAAA"] }],
  ["a sound as a data URL", { audio_urls: ["data:audio/mpeg;base64,AAAA"] }],
  [
    "an image among the videos",
    { video_urls: [PNG] },
    ["invalid_data_url", "parameters.video_urls[0]"],
  ],
  [
    "a video among the images",
    { image_urls: ["data:video/mp4;base64,AAAA"] },
    ["invalid_data_url", "parameters.image_urls[0]"],
  ],
])

describe("the defaults", () => {
  it("are those of the specification", () => {
    assert.deepEqual(accepted(textToImage, { prompt: "a" }), {
      prompt: "a",
      size: "square_hd",
      enable_safety_checker: true,
      colors: [],
    })
    assert.deepEqual(accepted(imageEdit, edit({})), {
      prompt: "a",
      image_urls: [URL],
      output_format: "jpeg",
      quality: "medium",
      resolution: "1k",
      aspect_ratio: "auto",
      sync_mode: false,
      count: 1,
    })
    assert.deepEqual(accepted(referenceToVideo, {}), {})
  })
})

describe("what goes into the log", () => {
  it("is never what a person wrote: no prompt, no URL, no colour", (t) => {
    const secret = "written-by-a-person"
    const property = fc.property(fc.integer({ min: 1, max: 4 }), (count) => {
      const requests: readonly (readonly [Model, object])[] = [
        [textToImage, { prompt: secret, background_color: { r: 1 }, colors: [{ g: 2 }] }],
        [imageEdit, { prompt: secret, image_urls: [`https://media.example/${secret}`], count }],
        [
          referenceToVideo,
          { prompt: secret, video_urls: [`https://media.example/${secret}`], duration: count + 4 },
        ],
      ]
      for (const [model, parameters] of requests) {
        const logged = model.toLogged(accepted(model, parameters))
        assert.ok(!JSON.stringify(logged).includes(secret), model.id)
        assert.ok(
          Object.values(logged).every((value) => typeof value !== "object"),
          model.id,
        )
        assert.deepEqual(Object.keys(logged), Object.keys(logged).toSorted(), "canonical order")
      }
    })
    check(t, property, 20)
  })

  it("is every enumerated, integer and boolean parameter, defaults applied", () => {
    assert.deepEqual(textToImage.toLogged(accepted(textToImage, { prompt: "a" })), {
      enable_safety_checker: true,
      size: "square_hd",
    })
    assert.deepEqual(imageEdit.toLogged(accepted(imageEdit, edit({ count: 3 }))), {
      aspect_ratio: "auto",
      count: 3,
      output_format: "jpeg",
      quality: "medium",
      resolution: "1k",
      sync_mode: false,
    })
    assert.deepEqual(referenceToVideo.toLogged(accepted(referenceToVideo, { duration: 4 })), {
      duration: 4,
    })
  })
})

describe("a message", () => {
  it("names the parameter and never what was sent", (t) => {
    const property = fc.property(fc.string({ minLength: 8 }), (sent) => {
      const parameters = edit({ image_urls: [sent], quality: sent, count: sent, sync_mode: sent })
      const result = imageEdit.check(parameters)
      if (result.kind === "valid") return
      for (const { message, param } of result.issues) {
        assert.ok(message.startsWith(`${param} `))
        assert.ok(!message.slice(param.length).includes(sent))
      }
    })
    check(t, property)
  })

  it("shows at most 100 characters of a member's name", () => {
    const [[, param]] = faultsOf(referenceToVideo, { [POO.repeat(101)]: 1 }) as [Fault]
    assert.equal(param, `parameters.${POO.repeat(99)}…`)
    const [[, whole]] = faultsOf(referenceToVideo, { [POO.repeat(100)]: 1 }) as [Fault]
    assert.equal(whole, `parameters.${POO.repeat(100)}`)
  })

  it("lists what is allowed", () => {
    const result = imageEdit.check(edit({ quality: "best" }))
    assert.equal(result.kind, "invalid")
    const message = result.kind === "invalid" ? result.issues[0]?.message : ""
    assert.equal(message, 'parameters.quality must be one of "low", "medium".')
  })

  it("counts one character, and more than one item", () => {
    const messages = [image({ prompt: "" }), edit({ image_urls: Array(6).fill(PNG) })].map(
      (parameters, index) => {
        const result = (index === 0 ? textToImage : imageEdit).check(parameters)
        return result.kind === "invalid" ? result.issues[0]?.message : ""
      },
    )
    assert.deepEqual(messages, [
      "parameters.prompt must have at least 1 character.",
      "parameters.image_urls must have at most 5 items.",
    ])
  })
})
