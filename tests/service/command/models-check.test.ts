/** `safelight models check`: what the models of a configuration cost and who makes them, or the field that is wrong. */
import assert from "node:assert/strict"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { DEFAULT_PRICES } from "@safelight/core"
import { priceVersionOf } from "../../support/price-version.ts"
import { runCommand, temporaryFolder } from "./command-process.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const VIDEO = "vendor-c/video-2.5/reference-to-video"
const MODELS = {
  [PICTURE]: { perImageMicros: 7 },
  [EDIT]: { perImageMicros: 1_000_001 },
  [VIDEO]: { perVideoSecondMicros: 333 },
}

async function check(t: TestContext, words: readonly string[], file?: unknown) {
  const folder = await temporaryFolder(t)
  const text = typeof file === "string" ? file : JSON.stringify(file)
  if (file !== undefined) await writeFile(join(folder, "models.json"), text)
  const end = await runCommand(["models", "check", ...words], { folder })
  return { ...end, left: await readdir(folder) }
}

const CONFIG = ["--config", "models.json"]

const versionOf = (model: string) => priceVersionOf(DEFAULT_PRICES[0], model)

test("without a configuration the three are priced by the built-in table and made by the studio", async (t) => {
  const { code, stdout, stderr, left } = await check(t, [])
  assert.equal(
    stdout,
    `${PICTURE}
  10000 micro-units (0.010000) an image  ${versionOf(PICTURE)}
  it costs the same whatever is asked
  cheapest: 1 image × 10000 = 10000 micro-units (0.010000)
  dearest: 1 image × 10000 = 10000 micro-units (0.010000)
  made by studio (tier 1)

${EDIT}
  20000 micro-units (0.020000) an image  ${versionOf(EDIT)}
  all 4 combinations of count have a price
  cheapest: {"count":1}: 1 image × 20000 = 20000 micro-units (0.020000)
  dearest: {"count":4}: 4 images × 20000 = 80000 micro-units (0.080000)
  made by studio (tier 1)

${VIDEO}
  100000 micro-units (0.100000) a second  ${versionOf(VIDEO)}
  all 28 combinations of duration have a price
  cheapest: {"duration":4}: 4 s × 100000 = 400000 micro-units (0.400000)
  dearest: (30 s + 30 s) × 100000 = 6000000 micro-units (6.000000)
  made by studio (tier 1)

table "default-1" prices new tasks
`,
  )
  assert.deepEqual([code, stderr, left], [0, "", []])
})

test("the last table prices new tasks, older ones stay for theirs", async (t) => {
  const prices = [
    { version: "a", models: { [PICTURE]: { perImageMicros: 1 } } },
    { version: "b", models: MODELS },
  ]
  const { code, stdout } = await check(t, [...CONFIG, EDIT], { prices })
  assert.match(stdout, /4 images × 1000001 = 4000004 micro-units \(4\.000004\)/)
  const last = `table "b" prices new tasks; older ones, for the tasks accepted under them: "a", "default-1"`
  assert.equal(stdout.trimEnd().split("\n").at(-1), last)
  assert.equal(code, 0)
})

test("a provider loses nothing by what it does not take", async (t) => {
  const prices = [{ version: "b", models: { ...MODELS, [EDIT]: { perImageMicros: 10 } } }]
  const costs = { perImageMicros: 9, factors: { quality: { low: "1", medium: "2" } } }
  const lossesOf = async (accepts: object) => {
    const mapping = { [EDIT]: { model: "own", cost: costs, accepts } }
    const channels = [{ type: "studio" }, { type: "fal", models: mapping }]
    const words = [...CONFIG, "--json", EDIT]
    const { stdout } = await check(t, words, { prices, channels })
    const { models } = JSON.parse(stdout) as { readonly models: readonly { losses: unknown[] }[] }
    return models[0]?.losses
  }
  const worst = { parameters: { count: 4, quality: "medium" }, quote_micros: 40 }
  assert.deepEqual(await lossesOf({ prompt: { maxLength: 9 } }), [
    { by: "fal", combinations: 4, cost_micros: 72, worst },
  ])
  assert.deepEqual(await lossesOf({ count: { maximum: 1 } }), [
    {
      by: "fal",
      combinations: 1,
      cost_micros: 18,
      worst: { parameters: { count: 1, quality: "medium" }, quote_micros: 10 },
    },
  ])
  assert.deepEqual(await lossesOf({ quality: { enum: ["low"] } }), [])
  assert.deepEqual(await lossesOf({ quality: false }), [])
})

const FACTORED = {
  ...MODELS,
  [VIDEO]: {
    perVideoSecondMicros: 100,
    factors: { resolution: { "1080p": "5", "*": "1" }, generate_audio: { false: "0.5", "*": "1" } },
  },
}

test("every combination of what has a factor is walked, and the ends are told", async (t) => {
  const prices = [{ version: "b", models: FACTORED }]
  const { stdout } = await check(t, [...CONFIG, VIDEO], { prices })
  const [, price, walked, cheapest, dearest] = stdout.split("\n")
  assert.equal(
    price,
    `  100 micro-units (0.000100) a second, by resolution: × 5 1080p, × 1 *, by generate_audio: × 0.5 false, × 1 *  ${priceVersionOf({ version: "b", models: FACTORED }, VIDEO)}`,
  )
  // Each may be left out as well.
  assert.match(walked ?? "", /all 336 combinations of duration, generate_audio, resolution have a/)
  assert.match(cheapest ?? "", /: 4 s × 100 × 1 for \S+ 480p × 0\.5 for \S+ false = 200 micro/)
  assert.match(
    dearest ?? "",
    /: \(30 s \+ 30 s\) × 100 × 5 for \S+ 1080p × 1 for \S+ left out = 30000/,
  )
})

test("a price below what a channel charges is a warning with its figures, and so is nobody who makes it", async (t) => {
  const costs = {
    [VIDEO]: { perVideoSecondMicros: 90, factors: { resolution: { "1080p": "5.5", "*": "1" } } },
  }
  const channels = [
    { type: "studio", models: [PICTURE, EDIT, VIDEO] },
    { type: "fal", costs },
  ]
  const file = { prices: [{ version: "b", models: FACTORED }], channels }
  const { code, stdout } = await check(t, [...CONFIG, "--json"], file)
  const { models, tables } = JSON.parse(stdout) as {
    readonly tables: unknown
    readonly models: readonly {
      readonly model: string
      readonly made_by: readonly unknown[]
      readonly losses: readonly unknown[]
      readonly warnings: readonly string[]
      readonly dearest: unknown
    }[]
  }
  assert.deepEqual(tables, [
    { version: "default-1", prices_new_tasks: false },
    { version: "b", prices_new_tasks: true },
  ])
  const [picture, , video] = models
  assert.deepEqual(picture?.warnings, [])
  assert.deepEqual(video?.made_by, [
    { channel: "studio", tier: 1, faults: [] },
    { channel: "fal", tier: 1, faults: ["FAL_KEY is empty"] },
  ])
  // Without sound the price is below 90 at any resolution, with it 495 against 500 at 1080p.
  const asked = { duration: 30, generate_audio: false, resolution: "1080p" }
  assert.deepEqual(video?.losses, [
    {
      by: "fal",
      combinations: 112,
      cost_micros: 29_700,
      worst: { parameters: asked, quote_micros: 15_000 },
    },
  ])
  assert.deepEqual(video?.warnings, [
    `fal charges more than the price for 112 of 336 combinations, such as ${JSON.stringify(asked)}: 29700 micro-units (0.029700) against 15000 micro-units (0.015000)`,
  ])
  assert.equal(code, 0)
  const alone = await check(t, [...CONFIG, PICTURE], {
    channels: [{ type: "fal", models: [VIDEO] }],
  })
  assert.match(alone.stdout, /^ {2}warning: no channel of this configuration makes it$/m)
})

test("a model with too many combinations is checked value by value, and says why that is enough", async (t) => {
  const factors = {
    size: Object.fromEntries(Array.from({ length: 60 }, (_, place) => [`s${place}`, `${place}`])),
    style: Object.fromEntries(Array.from({ length: 60 }, (_, place) => [`t${place}`, "2"])),
    finish: { a: "1", b: "2", c: "3" },
    frame: { a: "1", b: "2", c: "3" },
  }
  const values = (name: keyof typeof factors) =>
    `${name}: v.picklist(${JSON.stringify(Object.keys(factors[name]))})`
  const module = `import { defineModel, fields } from "@safelight/core"
    import * as v from "valibot"
    export default defineModel({
      id: "acme/many", artifacts: "image",
      parameters: fields({ ${["size", "style", "finish", "frame"].map((name) => values(name as "size")).join(", ")} }),
      logged: ["size", "style", "finish", "frame"],
      estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
      price: ${JSON.stringify({ perImageMicros: 10, factors })},
    })`
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, "many.mjs"), module)
  await writeFile(join(folder, "models.json"), JSON.stringify({ models: ["./many.mjs"] }))
  const words = ["models", "check", "acme/many", ...CONFIG]
  const { code, stdout, stderr } = await runCommand(words, { folder })
  assert.deepEqual([code, stderr], [0, ""])
  assert.match(
    stdout,
    /each value of 32400 combinations of finish, frame, size, style has a price, and so has every/,
  )
  assert.match(stdout, /cheapest: .*"size":"s0".*: nothing$/m)
  assert.match(stdout, /dearest: .*"size":"s59".* = 10620 micro-units/)
})

test("what a model's file says of providers is known without a channel, and with one where it says nothing else", async (t) => {
  const upstreams = {
    fal: { model: "acme", cost: { perImageMicros: 20 } },
    replicate: { model: "acme", cost: { perImageMicros: 15 } },
  }
  const module = `import { defineModel, fields } from "@safelight/core"
    const model = defineModel({
      id: "acme/one", artifacts: "image", parameters: fields({}), logged: [],
      estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
      price: { perImageMicros: 10 },
    })
    export default { ...model, upstreams: ${JSON.stringify(upstreams)} }`
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, "one.mjs"), module)
  const losses = async (channels: readonly object[]) => {
    const file = { models: ["./one.mjs"], channels: [{ type: "studio" }, ...channels] }
    await writeFile(join(folder, "models.json"), JSON.stringify(file))
    const words = ["models", "check", "acme/one", "--json", ...CONFIG]
    const { stdout, stderr } = await runCommand(words, { folder })
    assert.equal(stderr, "")
    const { models } = JSON.parse(stdout) as {
      models: readonly {
        could_be_made_by: readonly string[]
        losses: readonly { by: string; cost_micros: number }[]
      }[]
    }
    const [found] = models
    return [
      found?.could_be_made_by,
      found?.losses.map(({ by, cost_micros: micros }) => [by, micros]),
    ]
  }
  const ofFile = [
    ["fal", 20],
    ["replicate", 15],
  ]
  assert.deepEqual(await losses([]), [["fal", "replicate"], ofFile])
  assert.deepEqual(await losses([{ type: "fal" }]), [["replicate"], ofFile])
  const other = { type: "fal", name: "fal-2", baseUrl: "https://fal.example" }
  assert.deepEqual(await losses([other]), [["replicate"], [["replicate", 15]]])
})

test("a model that the configuration does not have is refused", async (t) => {
  const { code, stderr } = await check(t, ["acme/none"])
  assert.deepEqual([code, stderr], [2, "safelight: acme/none is no model of this configuration\n"])
})

const factored = (factors: unknown) => ({
  prices: [{ version: "b", models: { ...MODELS, [EDIT]: { perImageMicros: 1, factors } } }],
})

const mistakes: readonly (readonly [string, unknown, RegExp])[] = [
  ["no file", undefined, /^safelight: models\.json: there is no such file$/],
  ["no JSON", "{", /models\.json: not JSON/],
  [
    "a fraction of a micro-unit",
    { prices: [{ version: "b", models: { ...MODELS, [PICTURE]: { perImageMicros: 0.5 } } }] },
    /models\.json: prices\[0\]\.models\.vendor-a\S+\.perImageMicros: expected a whole number/,
  ],
  [
    "a rate that is none",
    { prices: [{ version: "b", models: { ...MODELS, [PICTURE]: { perImage: 1 } } }] },
    /unknown field "prices\[0\]\.models\.vendor-a\S+\.perImage"$/,
  ],
  [
    "models without a price, all of them",
    { prices: [{ version: "b", models: { [PICTURE]: { perImageMicros: 1 } } }] },
    /prices: the last table has no price for "vendor-b.*: \{"perImageMicros": …\}; and .*"vendor-c.*\{"perVideoSecondMicros": …\}$/,
  ],
  [
    "a rate that counts nothing of the model, and one that lacks",
    {
      prices: [
        {
          version: "b",
          models: {
            ...MODELS,
            [PICTURE]: { perImageMicros: 1, perAudioSecondMicros: 1 },
            [VIDEO]: { perImageMicros: 1 },
          },
        },
      ],
    },
    /table "b": "vendor-a\S+": perAudioSecondMicros counts nothing that the model makes, which is image; and prices: the last table has no price for "vendor-c\S+": add "vendor-c\S+": \{"perVideoSecondMicros": …\}$/,
  ],
  [
    "a version twice",
    {
      prices: [
        { version: "b", models: MODELS },
        { version: "b", models: MODELS },
      ],
    },
    /prices: version "b" names another table already$/,
  ],
  ...(["1e3", "-1", "10000", "1.0000001", "", ".5", 2, "0x1"] as const).map(
    (factor) =>
      [
        `the factor ${JSON.stringify(factor)}`,
        factored({ quality: { "*": factor } }),
        /prices\[0\]\.models\.vendor-b\S+\.factors\.quality\.\*: expected a decimal below 10000/,
      ] as const,
  ),
  ["factors of nothing", factored({}), /\.factors: expected from 1 to 16 parameters/],
  ["no values", factored({ quality: {} }), /\.factors\.quality: expected from 1 to 200 values/],
  [
    "too many values",
    factored({ quality: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [n, "1"])) }),
    /\.factors\.quality: expected from 1 to 200 values/,
  ],
  [
    "a factor by what is not logged",
    factored({ prompt: { "*": "1" } }),
    /factors\.prompt: the parameter is not logged, and factors are by logged ones alone: aspect_ratio, count, /,
  ],
  [
    "values that there are not, and values that lack",
    factored({ quality: { high: "2", low: "1" }, count: { 1: "1", 5: "1" } }),
    /"vendor-b\S+": factors\.quality\.high: no value that the parameter may have; and \S+ table "b": \S+ factors\.quality: has no factor for "medium"; and .*factors\.count\.5: no value .*factors\.count: has no factor for 2, 3, 4$/,
  ],
  [
    "a parameter that may be left out",
    {
      prices: [
        {
          version: "b",
          models: {
            ...MODELS,
            [VIDEO]: {
              perVideoSecondMicros: 1,
              factors: { generate_audio: { true: "2", false: "1" } },
            },
          },
        },
      ],
    },
    /factors\.generate_audio: has no factor for being left out: name "\*"$/,
  ],
  [
    "a cost that a value lacks",
    {
      channels: [
        { type: "studio" },
        {
          type: "fal",
          costs: { [EDIT]: { perImageMicros: 1, factors: { quality: { low: "1" } } } },
        },
      ],
    },
    /models\.json: channels\[1\]\.costs\.vendor-b\S+\.factors\.quality: has no factor for "medium"$/,
  ],
]
for (const [name, file, expected] of mistakes) {
  test(`${name} is named in one line and ends with 2`, async (t) => {
    const { code, stdout, stderr } = await check(t, CONFIG, file)
    assert.match(stderr, /^[^\n]+\n$/)
    assert.match(stderr.trimEnd(), expected)
    assert.deepEqual([code, stdout], [2, ""])
  })
}

test("every faulty file of a folder is named, with each of its faults", async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, "models"))
  const files = { a: { id: "x" }, b: { id: "acme/b", outputs: { image: 1 } }, c: "no JSON" }
  for (const [name, file] of Object.entries(files)) {
    const text = typeof file === "string" ? file : JSON.stringify(file)
    await writeFile(join(folder, "models", `${name}.json`), text)
  }
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ models: ["./models"] }))
  const { code, stderr } = await runCommand(["models", "check"], { folder })
  assert.equal(code, 2)
  for (const part of [
    /a\.json.* \/id must/,
    /b\.json.* \/parameters must/,
    /c\.json.* is no JSON/,
  ]) {
    assert.match(stderr, part)
  }
})
